"""Plain text: the answer on standard output, everything else on standard error."""

from __future__ import annotations

import sys
from typing import TextIO, assert_never

from roocode.interaction.ui.call_line import call_line
from roocode.interaction.ui.result import Result
from roocode.interaction.ui.safe_text import visible
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


class Plain:
    """Notices, denials and retries go to `err`; with `verbose` also each call. The answer is `finish`'s."""

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
        self.result = Result(agent)

    def show(self, event: Event) -> None:
        """Tells a person who looks at standard error what matters."""
        self.result.take(event)
        match event:
            case RequestRetried():
                self._tell(
                    f"retrying in {event.delay_s:.0f} s ({event.attempt} of {event.of}): {event.reason}"
                )
            case CallDecided():
                if event.decision.verdict == "deny":
                    self._tell(f"denied: {call_line(event.call)}: {event.decision.reason}")
            case CallBegan():
                if self._verbose:
                    self._tell(f"→ {call_line(event.call)}")
            case CallFinished():
                if self._verbose and event.outcome.is_error:
                    self._tell(f"✗ {event.call.name}: {event.outcome.content[:200]}")
            case Notice():
                self._tell(event.text if event.level == "info" else f"{event.level}: {event.text}")
            case PermissionAsked():
                if self._verbose:
                    self._tell(f"{event.question.agent} asks: {event.question.preview}")
            case (
                SessionStarted()
                | PromptAdded()
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

    def finish(self, error: str = "", exit_code: int = 0, answer: str | None = None) -> None:
        """Writes the answer to standard output and, where there is one, the error to standard error."""
        end = self.result.ended
        text = answer if answer is not None else (end.text if end else "")
        if text:
            self._out.write(text.rstrip("\n") + "\n")
        reason = error or (end.reason if end else "")
        if reason:
            self._tell(f"error: {reason}" if exit_code else reason)
        self.close()

    def close(self) -> None:
        """Flushes both streams."""
        self._out.flush()
        self._err.flush()

    def _tell(self, text: str) -> None:
        self._err.write(f"{visible(text)}\n")
        self._err.flush()
