"""The hooks around a tool call, as the guard wants them."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace

from roocode.protocol.messages import ToolCall, reminder
from roocode.protocol.tools import ToolOutcome
from roocode.security.ports import BeforeCall
from roocode.tools.hooks.payload import about_call, rewritten
from roocode.tools.hooks.runner import Hooks

_WRITERS = frozenset({"WriteFile", "EditFile"})


class HookedCalls:
    """Implements `CallHooks` for one agent."""

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks
        self._began: dict[str, float] = {}

    async def before(self, call: ToolCall) -> BeforeCall:
        """Fires pre_tool_use: what hooks say there can only tighten what the guard decides."""
        self._began[call.id] = time.monotonic()
        root = self._hooks.firing.ground.root
        outcome = await self._hooks.fire("pre_tool_use", **about_call(call, root))
        self._hooks.context.extend(outcome.context)
        wanted = outcome.arguments
        return BeforeCall(
            rewritten(call, wanted, root) if wanted is not None else None,
            outcome.refused or outcome.stop,
            outcome.ask,
        )

    async def after(self, call: ToolCall, outcome: ToolOutcome) -> ToolOutcome:
        """Fires post_tool_use or its failure, and file_changed; adds what they say to the result."""
        about = about_call(call, self._hooks.firing.ground.root)
        began = self._began.pop(call.id, time.monotonic())
        about["duration_ms"] = round((time.monotonic() - began) * 1000)
        if outcome.is_error:
            said = await self._hooks.fire("post_tool_use_failure", **about, error=outcome.content)
        else:
            self._hooks.called.append(call)
            said = await self._hooks.fire("post_tool_use", **about, output=outcome.content)
            if said.output is not None:
                outcome = replace(outcome, content=said.output, shown="")
        outcome = _with(outcome, said.context)
        if call.name in _WRITERS and not outcome.is_error and "path" in about:
            changed = await self._hooks.fire(
                "file_changed", path=about["path"], tool=call.name, change="written"
            )
            outcome = _with(outcome, changed.context)
        return outcome


def _with(outcome: ToolOutcome, words: Iterable[str]) -> ToolOutcome:
    added = "\n\n".join(reminder(text).text for text in words)
    return replace(outcome, content=f"{outcome.content}\n\n{added}") if added else outcome
