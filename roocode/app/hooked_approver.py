"""Questions to a person with hooks beside them, and the words that hooks have for the person."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal

from roocode.protocol.decisions import PermissionAnswer, PermissionQuestion
from roocode.protocol.events import Event, Notice
from roocode.protocol.messages import ToolCall
from roocode.security.ports import Approver, BoundAnswer
from roocode.tools.hooks.payload import about_call
from roocode.tools.hooks.runner import Hooks


class Voice:
    """Tells the person what hooks have to say, as notices; `speaks` while it does: no hook hears of those."""

    def __init__(self, emit: Callable[[Event], None], agent: str, parent: str | None) -> None:
        self.speaks = False
        self._emit = emit
        self._agent = agent
        self._parent = parent

    def __call__(self, text: str, level: str) -> None:
        """Shows a notice."""
        severity: Literal["info", "warning"] = "warning" if level == "warning" else "info"
        self.speaks = True
        try:
            self._emit(Notice(agent=self._agent, parent=self._parent, text=text, level=severity))
        finally:
            self.speaks = False


class HookedApprover:
    """Implements `Approver`: fires permission_asked beside the question; a hook can only say no to it.

    Where the answer comes first, the hooks go on in the background.
    """

    def __init__(self, inner: Approver, hooks: Hooks) -> None:
        self._inner = inner
        self._hooks = hooks

    async def ask(self, question: PermissionQuestion) -> BoundAnswer:
        """The person's answer, or a hook's no where that comes first."""
        asking = asyncio.ensure_future(self._inner.ask(question))
        refusing = self._hooks.start(self._refusal(question))
        try:
            await asyncio.wait((asking, refusing), return_when=asyncio.FIRST_COMPLETED)
            if not asking.done() and (why := refusing.result()):
                no = PermissionAnswer(False, reason=why, by="policy")
                return BoundAnswer(question.id, question.digest, no)
            return await asking
        except asyncio.CancelledError:
            refusing.cancel()
            raise
        finally:
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)

    async def _refusal(self, question: PermissionQuestion) -> str:
        call = ToolCall("", question.tool, question.input)
        about = about_call(call, self._hooks.firing.ground.root)
        why = {"reason": question.reason, "layer": question.layer}
        said = await self._hooks.fire("permission_asked", **about, **why)
        self._hooks.context.extend(said.context)
        return said.refused
