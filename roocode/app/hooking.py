"""Hangs a person's hooks on one agent: around calls, model, prompts and questions, and on its events."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import assert_never

from roocode.app.hooked_approver import HookedApprover, Voice
from roocode.app.options import AgentOptions
from roocode.engine.loop.hooked import HookedClient, HookedLife
from roocode.engine.loop.judging import ModelJudge
from roocode.interaction.config.settings import HookLine
from roocode.memory.compaction.compactor import Trigger
from roocode.memory.compaction.spill import spilled
from roocode.memory.sessions.conversation import Conversation
from roocode.protocol.events import (
    AnswerDelta,
    Answered,
    CallBegan,
    CallDecided,
    CallFinished,
    Event,
    Notice,
    PermissionAnswered,
    PermissionAsked,
    PromptAdded,
    RequestRetried,
    RequestStarted,
    RoomMade,
    RunEnded,
    SessionStarted,
    SubAgentChanged,
    TeamEvent,
)
from roocode.protocol.models import ModelClient
from roocode.protocol.tools import Touches, Workspace
from roocode.security.isolation.masking import Mask
from roocode.security.permissions.decide import decide
from roocode.security.permissions.hosts import refusal
from roocode.security.permissions.policy import Policy
from roocode.security.ports import Approver
from roocode.tools.hooks.calls import HookedCalls
from roocode.tools.hooks.claude import read_any
from roocode.tools.hooks.hook import Hook
from roocode.tools.hooks.payload import about_call
from roocode.tools.hooks.runner import Firing, Hooks
from roocode.tools.hooks.running import Ground
from roocode.tools.hooks.telling import Telling

_ENDING_S = 1.5
_TEAM_EVENTS: Mapping[str, str] = {
    "idle": "teammate_idle",
    "task_created": "task_created",
    "completed": "task_completed",
}


def hooks_in(lines: tuple[HookLine, ...]) -> tuple[Hook, ...]:
    """The hooks of a configuration that was checked when it was read."""
    return tuple(read_any(line.data, line.source, own=line.tier == "user") for line in lines)


class Hooking:
    """The hooks of one agent, with all that they are hung on. `life` is a step of the loop as well."""

    def __init__(
        self,
        hooks: Hooks,
        conversation: Conversation,
        judge: ModelJudge,
        voice: Voice,
        *,
        final: str = "stop",
        by_person: bool = True,
    ) -> None:
        self.hooks = hooks
        self._voice = voice
        self._is_first = final == "stop"
        self.calls = HookedCalls(hooks)
        self.life = HookedLife(hooks, conversation, self._opened, final=final, by_person=by_person)
        self.judge = judge
        self._opening: asyncio.Task[None] | None = None

    def open(self, source: str, model: str) -> None:
        """Fires session_start; the first prompt waits for it."""
        self._opening = asyncio.create_task(self.hooks.hear("session_start", source=source, model=model))

    async def close(self, reason: str = "exit") -> None:
        """Fires session_end where the session began here, with little time, and ends what hooks still do."""
        if self._opening is not None:
            self._opening.cancel()
            await asyncio.wait([self._opening])
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_ENDING_S):
                    await self.hooks.hear("session_end", reason=reason)
        await self.hooks.close()

    def of_agent(
        self,
        workspace: Workspace,
        agent_type: str,
        conversation: Conversation,
        policy: Callable[[], Policy],
    ) -> Hooking:
        """The same hooks for a sub-agent, by its own id and type: its final answer fires subagent_stop.

        Whoever starts it fires subagent_start (`hooks.hear`), and closes nothing: the hooks are the parent's.
        """
        parent, judge = self.hooks.firing, ModelJudge()
        judge.spawner = self.judge.spawner
        ground = replace(
            parent.ground,
            root=workspace.root,
            env=workspace.env,
            transcript=str(conversation.path),
            judge=judge,
        )
        firing = replace(
            parent,
            agent=workspace.agent,
            agent_type=agent_type,
            mode=lambda: policy().mode,
            ground=ground,
            telling=replace(parent.telling, folder=spilled(conversation.path)),
        )
        hooks = self.hooks.of_agent(firing)
        return Hooking(hooks, conversation, judge, self._voice, final="subagent_stop", by_person=False)

    def client(self, client: ModelClient) -> ModelClient:
        """The client with the hooks around it, where any waits for that."""
        waits = self.hooks.wait_for("before_model", "after_model")
        return HookedClient(client, self.hooks) if waits else client

    async def compacts(self, trigger: Trigger, messages: int) -> None:
        """A summary of so many messages is about to be made."""
        await self.hooks.hear("before_compaction", trigger=trigger, messages=messages)

    def approver(self, inner: Approver) -> Approver:
        """The approver with the hooks beside it, where any waits for a question."""
        waits = self.hooks.wait_for("permission_asked")
        return HookedApprover(inner, self.hooks) if waits else inner

    def emitter(self, emit: Callable[[Event], None]) -> Callable[[Event], None]:
        """Shows an event, then lets the hooks hear of it that only listen."""
        listened = self.hooks.wait_for(
            *("permission_denied", "after_compaction", "notification", "after_turn", *_TEAM_EVENTS.values())
        )
        if not listened:
            return emit

        def emitted(event: Event) -> None:
            emit(event)
            self.hears(event)

        return emitted

    def hears(self, event: Event) -> None:
        """Fires what an event means for hooks that listen: once, whoever else hears of it.

        Each agent hears of what it does itself; what is for the person is heard by the first one.
        """
        listen, root = self.hooks.listen, self.hooks.firing.ground.root
        is_own = event.agent == self.hooks.firing.agent
        match event:
            case CallDecided(call=call, decision=decision) if is_own and decision.verdict == "deny":
                about = about_call(call, root)
                listen("permission_denied", **about, reason=decision.reason, layer=decision.layer)
            case PermissionAsked(question=question) if self._is_first:
                words = f"{question.agent} asks for permission to use {question.tool}"
                listen("notification", message=words, level="info", kind="permission_prompt")
            case RoomMade() if is_own:
                trigger = "manual" if event.by_person else "auto"
                listen(
                    "after_compaction",
                    trigger=trigger,
                    kind=event.kind,
                    before=event.before,
                    after=event.after,
                )
            case RunEnded() if is_own:
                listen("after_turn", end=event.end, reason=event.reason, text=event.text, turns=event.turns)
            case Notice(text=text, level=level) if self._is_first and not self._voice.speaks:
                listen("notification", message=text, level=level, kind="notice")
            case TeamEvent() if self._is_first and event.kind in _TEAM_EVENTS:
                self._hears_of_team(event)
            case (
                SessionStarted()
                | PromptAdded()
                | RequestStarted()
                | AnswerDelta()
                | RequestRetried()
                | Answered()
                | CallBegan()
                | CallDecided()
                | CallFinished()
                | PermissionAsked()
                | PermissionAnswered()
                | RoomMade()
                | RunEnded()
                | SubAgentChanged()
                | Notice()
                | TeamEvent()
            ):
                pass
            case _:
                assert_never(event)

    def hears_of_worktree(self, event: str, path: Path, branch: str, *, team: str, teammate: str) -> None:
        """Fires worktree_created or worktree_removed."""
        self.hooks.listen(event, worktree=str(path), branch=branch, team=team, teammate=teammate)

    def _hears_of_team(self, event: TeamEvent) -> None:
        detail, name = event.detail, _TEAM_EVENTS[event.kind]
        fields = {"team": event.team, "teammate": event.member}
        if name == "teammate_idle":
            self.hooks.listen(name, **fields, reason=str(detail.get("reason", "")))
        else:
            task = {"task_id": str(detail.get("task", "")), "subject": str(detail.get("subject", ""))}
            self.hooks.listen(name, **fields, **task)

    async def _opened(self) -> None:
        if self._opening is not None:
            await asyncio.shield(self._opening)


def hooking_of(
    options: AgentOptions,
    workspace: Workspace,
    conversation: Conversation,
    emit: Callable[[Event], None],
    mask: Mask,
    policy: Callable[[], Policy],
    *,
    agent_type: str = "",
    parent: str | None = None,
) -> Hooking:
    """The hooks of the agent that works in `workspace`; `policy` gives the one that holds at the moment."""
    agent, judge = workspace.agent, ModelJudge()
    voice = Voice(emit, agent, parent)

    def refuses_url(url: str, own: bool) -> str:
        judged = decide("WebFetch", {"url": url}, Touches(urls=(url,)), policy(), workspace)
        local = judged.layer == "sandbox" and bool(refusal(url))
        return judged.reason if judged.verdict == "deny" and not (own and local) else ""

    ground = Ground(
        root=workspace.root,
        env=workspace.env,
        project=Path(options.rule_base or workspace.root),
        transcript=str(conversation.path),
        mask=mask,
        refuses_url=refuses_url,
        judge=judge,
    )
    firing = Firing(
        session=conversation.header.id,
        agent=agent,
        mode=lambda: policy().mode,
        tell=voice,
        ground=ground,
        telling=Telling(spilled(conversation.path), mask),
        agent_type=agent_type,
    )
    hooks = Hooks(hooks_in(options.hooks), firing)
    return Hooking(hooks, conversation, judge, voice, by_person=not agent_type)
