"""Turns events into what the chat prints: whole blocks for the scrollback and a live tail. No I/O."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import assert_never

from roocode.interaction.ui.call_line import call_line
from roocode.interaction.ui.terminal import blocks
from roocode.interaction.ui.terminal.markdown import render, split_finished
from roocode.interaction.ui.terminal.status import Status
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
    RunEnded,
    SessionStarted,
    TeamEvent,
)


@dataclass(slots=True)
class Transcript:
    """Takes in events of the agent `agent`; `take` returns the text that is finished, ready to be printed."""

    width: Callable[[], int]
    agent: str = "main"
    tail: str = ""
    status: Status = field(default_factory=Status)
    streamed: bool = False

    def take(self, event: Event) -> str:
        """One event in, finished ANSI text out (empty: nothing to print)."""
        match event:
            case SessionStarted():
                self.status = replace(self.status, model=event.model, mode=event.mode)
                again = "resumed " if event.resumed else ""
                return blocks.notice(
                    f"RooCode · {event.model} · {event.cwd} · {again}session {event.session_id}", "info"
                )
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
                self._do(f"running {call_line(event.call, 40)}")
            case CallFinished():
                self._do("thinking")
                return blocks.call(
                    event.call, event.outcome, "" if event.agent == self.agent else event.agent
                )
            case PermissionAsked():
                self._do("waiting for your answer")
            case Notice():
                return blocks.notice(event.text, event.level)
            case RunEnded():
                return self._ended(event)
            case TeamEvent():
                return team_line(event)
            case CallDecided() | PermissionAnswered():
                pass
            case _:
                assert_never(event)
        return ""

    def _do(self, what: str) -> None:
        self.status = replace(self.status, doing=what)

    def _stream(self, event: AnswerDelta) -> str:
        if event.kind != "text":
            return ""
        self._do("answering")
        self.streamed = True
        done, self.tail = split_finished(self.tail + event.text)
        return render(done, self.width()) + "\n" if done.strip() else ""

    def _retry(self, event: RequestRetried) -> str:
        void = " What was shown of this answer does not count." if self.streamed else ""
        self.tail, self.streamed = "", False
        wait = f"Trying again in {event.delay_s:.0f} s ({event.attempt} of {event.of}): {event.reason}."
        return blocks.notice(wait + void, "warning")

    def _answered(self, event: Answered) -> str:
        rest = self.tail if self.streamed else event.reply.message.text
        self.tail, self.streamed = "", False
        cost = self.status.cost_usd or 0.0
        self.status = replace(
            self.status,
            tokens=self.status.tokens + event.reply.usage.total,
            cost_usd=cost + event.cost_usd if event.cost_usd is not None else self.status.cost_usd,
        )
        return render(rest, self.width()) if rest.strip() else ""

    def _ended(self, event: RunEnded) -> str:
        rest, self.tail, self.streamed = self.tail, "", False
        self._do("")
        text = f"{render(rest, self.width())}\n" if rest.strip() else ""
        if event.end == "cancelled":
            return text + blocks.notice("⎿ interrupted", "warning")
        if event.reason:
            return text + blocks.notice(event.reason, "error")
        return text
