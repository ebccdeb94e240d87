"""Plain text: the answer on standard output, everything else on standard error."""

from __future__ import annotations

import sys
from typing import Any, TextIO, assert_never

from roocode.interaction.ui.call_line import call_line
from roocode.interaction.ui.result import Result
from roocode.interaction.ui.room_line import room_line
from roocode.interaction.ui.safe_text import prose, visible, well_formed
from roocode.interaction.ui.terminal.question_text import details
from roocode.interaction.ui.terminal.styles import unstyled
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

SHOWN_OF_AN_ERROR = 200
WIDTH = 100


class Plain:
    """Notices, denials and retries go to `err`, with `verbose` also calls; the answer comes at the end."""

    def __init__(
        self,
        out: TextIO | None = None,
        err: TextIO | None = None,
        *,
        agent: str = "main",
        verbose: bool = False,
    ) -> None:
        self._out = out or sys.stdout
        self._err = err or sys.stderr
        self._verbose = verbose
        self._is_answered = False
        self.result = Result(agent)

    def show(self, event: Event) -> None:
        """Tells a person who looks at standard error what matters."""
        self.result.take(event)
        match event:
            case PromptAdded():
                self._is_answered = False
            case RequestRetried():
                tries = f"({event.attempt} of {event.of})"
                self._tell(f"{self._who(event)}retrying in {event.delay_s:.0f} s {tries}: {event.reason}")
            case CallDecided():
                if event.decision.verdict == "deny":
                    self._tell(f"{self._who(event)}denied: {call_line(event.call)}: {event.decision.reason}")
            case CallBegan():
                if self._verbose:
                    self._tell(f"{self._who(event)}→ {call_line(event.call)}")
            case CallFinished():
                if self._verbose and event.outcome.is_error:
                    self._tell(
                        f"{self._who(event)}✗ {event.call.name}: {event.outcome.content[:SHOWN_OF_AN_ERROR]}"
                    )
            case Notice():
                self.note(event)
            case RoomMade():
                self._tell(f"{self._who(event)}{room_line(event)}")
            case SubAgentChanged():
                if self._verbose:
                    self._tell(f"{self._who(event)}{event.state} ({event.kind}: {event.description})")
            case PermissionAsked():
                if self._verbose:
                    self._tell(unstyled(details((event.question,), WIDTH)).strip("\n"))
            case (
                SessionStarted()
                | RequestStarted()
                | AnswerDelta()
                | Answered()
                | PermissionAnswered()
                | RunEnded()
                | TeamEvent()
            ):
                pass
            case _:
                assert_never(event)

    def _who(self, event: Event) -> str:
        """Whose event it is, where it is a sub-agent's."""
        return "" if event.agent == self.result.agent or event.parent is None else f"{event.agent}: "

    def note(self, notice: Notice) -> None:
        """Says it on standard error."""
        self._tell(notice.text if notice.level == "info" else f"{notice.level}: {notice.text}")

    def answered(self, exit_code: int) -> None:
        """Writes the answer to one of several prompts."""
        self.finish("", exit_code, None)
        self._is_answered = True

    def finish(self, error: str = "", exit_code: int = 0, team: dict[str, Any] | None = None) -> None:
        """Writes the answer to standard output and, where there is one, the error to standard error."""
        end = self.result.ended
        if not self._is_answered:
            self._write(team["result"] if team is not None else end.text if end else "")
            error = error or (end.reason if end else "")
        if error:
            self._tell(f"error: {error}" if exit_code else error)

    def _write(self, text: str) -> None:
        if text.strip():
            text = well_formed(text).rstrip("\n") + "\n"
            self._out.write(prose(text) if self._out.isatty() else text)
            self._out.flush()

    def _tell(self, text: str) -> None:
        self._err.write(f"{visible(text)}\n")
        self._err.flush()
