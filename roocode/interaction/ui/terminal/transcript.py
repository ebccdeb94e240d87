"""Turns events into what the chat prints: whole blocks for the scrollback and a live tail. No I/O."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import assert_never

from roocode.interaction.ui.call_line import call_line
from roocode.interaction.ui.room_line import room_line
from roocode.interaction.ui.safe_text import prose
from roocode.interaction.ui.sub_agents import SubAgent, SubAgents
from roocode.interaction.ui.terminal import blocks
from roocode.interaction.ui.terminal.markdown import render, split_finished
from roocode.interaction.ui.terminal.status import WAITING, Status
from roocode.interaction.ui.terminal.team_lines import team_line
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

DOING_WIDTH = 40


@dataclass(slots=True)
class Transcript:
    """Takes in events of the agent `agent` and, of others, calls, notices and what happens in the team.

    Of its sub-agents only their ends are printed: while they work they have a line each in `sub_agents`.

    `tail` is the part of the answer that may still change; `seen` are calls whose diff a person approved.
    """

    width: Callable[[], int]
    agent: str = "main"
    tail: str = ""
    status: Status = field(default_factory=Status)
    streamed: bool = False
    after_call: bool = False
    seen: set[str] = field(default_factory=set)
    sub_agents: SubAgents = field(default_factory=SubAgents)

    def take(self, event: Event) -> str:
        """One event in, finished ANSI text out (empty: nothing to print)."""
        text = self._text(event)
        if text:
            is_call = isinstance(event, CallFinished)
            text, self.after_call = ("\n" + text if is_call and not self.after_call else text), is_call
        return text

    def _text(self, event: Event) -> str:
        if event.parent is not None and event.parent == self.agent:
            return self._of_sub_agent(event)
        match event:
            case CallFinished():
                return self._finished_call(event)
            case Notice():
                return blocks.notice(event.text, event.level, self.width())
            case TeamEvent():
                return team_line(event)
            case _:
                return self._own(event) if event.agent == self.agent else ""

    def _of_sub_agent(self, event: Event) -> str:
        if isinstance(event, Answered):
            self._count_cost(event)
        ended = self.sub_agents.take(event)
        if ended is not None:
            return blocks.notice(_ended_line(ended), "info", self.width())
        if isinstance(event, Notice):
            return blocks.notice(f"{event.agent}: {event.text}", event.level, self.width())
        return ""

    def _own(self, event: Event) -> str:
        match event:
            case SessionStarted():
                return self._started(event)
            case PromptAdded():
                return blocks.prompt(event.message)
            case RequestStarted():
                self._do("thinking")
            case AnswerDelta():
                return self._stream(event)
            case RequestRetried():
                return self._retry(event)
            case Answered():
                return self._answered(event)
            case CallBegan():
                self._do(f"running {call_line(event.call, DOING_WIDTH)}")
            case PermissionAsked():
                self._do(WAITING)
            case CallDecided():
                return self._decided(event)
            case PermissionAnswered():
                self._do("running")
            case RoomMade():
                return blocks.notice(room_line(event), "info")
            case RunEnded():
                return self._ended(event)
            case CallFinished() | Notice() | SubAgentChanged() | TeamEvent():
                pass
            case _:
                assert_never(event)
        return ""

    def _started(self, event: SessionStarted) -> str:
        self.status = replace(
            self.status,
            model=event.model,
            mode=event.mode,
            cost_usd=event.cost_usd or None,
            cost_unknown=event.cost_usd is None,
        )
        again = "resumed " if event.resumed else ""
        text = f"RooCode · {event.model} · {event.cwd} · {again}session {event.session_id[:8]}"
        return blocks.notice(text, "info")

    def _do(self, what: str) -> None:
        if what != self.status.doing:
            self.status = replace(self.status, doing=what, since=time.monotonic())

    def _finished_call(self, event: CallFinished) -> str:
        own = event.agent == self.agent
        if own:
            self._do("thinking")
        outcome = event.outcome
        if event.call.id in self.seen and not outcome.is_error:
            outcome = replace(outcome, shown="")
        return blocks.call(event.call, outcome, self.width(), "" if own else event.agent)

    def _decided(self, event: CallDecided) -> str:
        if event.decision.layer != "person" or event.decision.verdict != "allow":
            return ""
        self.seen.add(event.call.id)
        return blocks.notice(f"  {event.decision.reason}", "info")

    def _stream(self, event: AnswerDelta) -> str:
        if event.kind != "text":
            return ""
        self._do("answering")
        self.streamed = True
        self.tail += event.text
        if "\n" not in self.tail:
            return ""
        done, self.tail = split_finished(self.tail)
        return self._drawn(done)

    def _retry(self, event: RequestRetried) -> str:
        void = " What was shown of this answer does not count." if self.streamed else ""
        self.tail, self.streamed = "", False
        wait = f"Trying again in {event.delay_s:.0f} s ({event.attempt} of {event.of}): {event.reason}."
        return blocks.notice(wait + void, "warning")

    def _answered(self, event: Answered) -> str:
        rest = self.tail if self.streamed else event.reply.message.text
        self.tail, self.streamed = "", False
        self.status = replace(self.status, tokens=event.reply.usage.total or self.status.tokens)
        self._count_cost(event)
        return self._drawn(rest)

    def _count_cost(self, event: Answered) -> None:
        cost, used = self.status.cost_usd or 0.0, event.reply.usage.total
        self.status = replace(
            self.status,
            cost_usd=cost + event.cost_usd if event.cost_usd is not None else self.status.cost_usd,
            cost_unknown=self.status.cost_unknown or (event.cost_usd is None and used > 0),
        )

    def _ended(self, event: RunEnded) -> str:
        rest, self.tail, self.streamed = self.tail, "", False
        self._do("")
        text = self._drawn(rest) + ("\n" if rest.strip() else "")
        if event.end == "cancelled":
            return text + blocks.notice("⎿ interrupted", "warning")
        if event.reason:
            return text + blocks.notice(event.reason, "error")
        return text.rstrip("\n")

    def _drawn(self, markdown: str) -> str:
        return "\n" + render(markdown, self.width()) if markdown.strip() else ""

    def last_lines(self, count: int) -> str:
        """The last lines of the tail, safe to show; empty where there is none."""
        lines = prose(self.tail).strip("\n").split("\n")[-count:]
        return "\n" + "\n".join(lines) if any(lines) else ""


def _ended_line(ended: SubAgent) -> str:
    seconds = time.monotonic() - ended.since
    return (
        f"⏺ {ended.name} ({ended.kind}: {ended.description}) {ended.state}: {ended.figures} · {seconds:.0f} s"
    )
