"""Fires events: which hooks fit, what they do, and what comes of it all. Nothing here ever raises."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from roocode.protocol.frozen import frozen
from roocode.protocol.messages import ToolCall
from roocode.tools.hooks.about import is_about
from roocode.tools.hooks.answers import Outcome, Said, together
from roocode.tools.hooks.events import EVENTS, EventKind
from roocode.tools.hooks.hook import Hook
from roocode.tools.hooks.running import Ground, run_action
from roocode.tools.hooks.telling import Telling, configured

_ENDING_S = 2.0
_NOTHING = Outcome()

T = TypeVar("T")

_log = logging.getLogger(__name__)


@frozen
class Firing:
    """For whom events are fired: session, agent and where it works. `mode` gives the permission mode.

    `tell` hears what a person should know of a hook, with a level.
    """

    session: str
    agent: str
    mode: Callable[[], str]
    tell: Callable[[str, str], None]
    ground: Ground
    telling: Telling
    agent_type: str = ""


@dataclass(slots=True)
class _Shared:
    """What the agents of one process have in common: what fired once, and what goes on in the background."""

    fired: set[int] = field(default_factory=set)
    tasks: set[asyncio.Task[Any]] = field(default_factory=set)
    told: set[str] = field(default_factory=set)


class Hooks:
    """The hooks of one agent.

    `context` is what the model is to hear before its next request, `stopped` why the run must end.
    """

    def __init__(self, hooks: Iterable[Hook], firing: Firing, shared: _Shared | None = None) -> None:
        self._hooks = tuple(hooks)
        self._firing = firing
        self._shared = shared or _Shared()
        self.context: list[str] = []
        self.stopped = ""
        self.called: list[ToolCall] = []

    def of_agent(self, firing: Firing) -> Hooks:
        """The same hooks for another agent of this process: a sub-agent."""
        return Hooks(self._hooks, firing, self._shared)

    @property
    def firing(self) -> Firing:
        """For whom events are fired here."""
        return self._firing

    def wait_for(self, *events: str) -> bool:
        """Whether any hook waits for one of these events."""
        return any(hook.kind.name in events for hook in self._hooks)

    async def fire(self, event: str, **fields: Any) -> Outcome:
        """Runs all hooks that fit, beside each other, and says what they say together, in their order."""
        if not self.wait_for(event):
            return _NOTHING
        kind, whole = EVENTS[event], self.whole(event, fields)
        fitting = self._fitting(kind, whole)
        for hook in fitting:
            if not hook.waits:
                self.start(self._in_background(hook, whole))
        waited = [hook for hook in fitting if hook.waits]
        said = await asyncio.gather(*(self._said(hook, whole) for hook in waited))
        outcome, remarks = together((hook.name, each) for hook, each in zip(waited, said, strict=True))
        for remark in remarks:
            self._firing.tell(remark, "warning")
        if outcome.stop:
            self.stopped = self.stopped or outcome.stop
        return outcome

    def listen(self, event: str, **fields: Any) -> None:
        """Fires an event that nobody waits for; what its hooks have to say comes before the next request."""
        if self.wait_for(event) and _in_loop():
            self.start(self._heard(event, fields))

    async def hear(self, event: str, **fields: Any) -> None:
        """Fires an event that nothing can be refused at; what its hooks have to say comes later."""
        await self._heard(event, fields)

    def take_context(self) -> tuple[str, ...]:
        """What the model is to hear, once."""
        taken = tuple(self.context)
        self.context.clear()
        return taken

    async def close(self) -> None:
        """Gives what runs in the background a moment, then ends it."""
        tasks = set(self._shared.tasks)
        if tasks:
            await asyncio.wait(tasks, timeout=_ENDING_S)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def plan(self, event: str, **fields: Any) -> tuple[Hook, ...]:
        """The hooks that would fire, without running any."""
        return tuple(
            hook for hook in self._hooks if self._fits(hook, EVENTS[event], self.whole(event, fields))
        )

    def whole(self, event: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """All fields of an event."""
        firing = self._firing
        return {
            "event": event,
            "session": firing.session,
            "cwd": str(firing.ground.root),
            "mode": firing.mode(),
            "agent": firing.agent,
            "agent_type": firing.agent_type,
            **fields,
        }

    def _fitting(self, kind: EventKind, fields: Mapping[str, Any]) -> list[Hook]:
        """The hooks that fire, each alike one once; those that fire once a session are used up."""
        found: list[Hook] = []
        for hook in self._hooks:
            if hook.once and id(hook) in self._shared.fired:
                continue
            alike = any(other.action == hook.action and other.plugin == hook.plugin for other in found)
            if not alike and self._fits(hook, kind, fields):
                found.append(hook)
                self._shared.fired.add(id(hook))
        return found

    def _fits(self, hook: Hook, kind: EventKind, fields: Mapping[str, Any]) -> bool:
        if hook.kind is not kind:
            return False
        try:
            return hook.fits(fields) and (not hook.rule or is_about(hook.rule, fields, self._firing.ground))
        except Exception as error:
            _log.exception("the condition of the hook %s failed", hook.name)
            self._tell_once(f"the condition of the hook {hook.name} failed, so it runs: {error}")
            return True

    async def _said(self, hook: Hook, fields: Mapping[str, Any]) -> Said:
        """What a hook says, as the model and the person may hear it."""
        action = hook.action
        match action.kind:
            case "prompt" | "hint":
                return Said(context=configured(hook))
            case "block" | "block_final":
                return Said(refused=action.text or f"the hook {hook.name} blocks {hook.kind.blocks}")
            case "stop":
                return Said(stop=action.text or f"the hook {hook.name} ended the run")
            case "require_tool":
                return self._required(hook)
            case _:
                return self._heeded(hook, await run_action(hook, fields, self._firing.ground))

    def _required(self, hook: Hook) -> Said:
        wanted = hook.action.tool
        for call in self.called:
            fields = {"tool": call.name, "input": call.arguments or {}}
            if is_about(wanted, fields, self._firing.ground):
                return Said()
        return Said(refused=hook.action.text or f"call {wanted} first: the hook {hook.name} requires it")

    def _heeded(self, hook: Hook, said: Said) -> Said:
        """Faults and messages told to the person; words for the model in their frame."""
        tell, telling = self._firing.tell, self._firing.telling
        if said.fault:
            said = self._failed(hook, said)
        if said.message:
            tell(f"hook {hook.name}: {telling.short(said.message)}", "info")
        for key in said.unheeded:
            self._tell_once(f"hook {hook.name}: {key} has no effect here")
        if said.refused and not hook.kind.blocks:
            context = "\n".join(part for part in (said.context, said.refused) if part)
            said = replace(said, refused="", context=context)
        return replace(
            said,
            refused=said.refused and telling.reason(hook, said.refused),
            ask=said.ask and f"the hook {hook.name} asks: {telling.short(said.ask)}",
            context=said.context and telling.quoted(hook, said.context),
            output=None if said.output is None else telling.quoted(hook, said.output),
            stop=said.stop and f"the hook {hook.name} ended the run: {telling.short(said.stop)}",
        )

    def _failed(self, hook: Hook, said: Said) -> Said:
        fault = self._firing.telling.short(said.fault)
        if hook.strict and hook.kind.blocks:
            return replace(said, refused=f"the hook must answer, and failed: {fault}")
        self._firing.tell(f"the hook {hook.name} failed and is passed over: {fault}", "warning")
        return said

    async def _in_background(self, hook: Hook, fields: Mapping[str, Any]) -> None:
        said = await self._said(hook, fields)
        words = "\n".join(part for part in (said.refused, said.context) if part)
        if words:
            self.context.append(words)

    async def _heard(self, event: str, fields: Mapping[str, Any]) -> None:
        outcome = await self.fire(event, **fields)
        self.context.extend(outcome.context)
        if outcome.refused:
            self.context.append(outcome.refused)

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Runs something in the background, until `close` at the latest."""
        task = asyncio.get_running_loop().create_task(work)
        self._shared.tasks.add(task)
        task.add_done_callback(self._shared.tasks.discard)
        return task

    def _tell_once(self, text: str) -> None:
        if text not in self._shared.told:
            self._shared.told.add(text)
            self._firing.tell(text, "warning")


def _in_loop() -> bool:
    """Whether anything can be started here: what is said outside of a run's loop, no hook hears."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
