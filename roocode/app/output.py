"""The output of a headless run, in the format that was asked for; its last word is always written."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from roocode.app.masked_screen import MaskedEvents
from roocode.app.masking import secrets_of
from roocode.interaction.cli.requests import OutputFormat
from roocode.interaction.ui.json_lines import JsonLines
from roocode.interaction.ui.json_object import JsonObject
from roocode.interaction.ui.plain import Plain
from roocode.interaction.ui.result import Result
from roocode.protocol.errors import RooCodeError, UsageError
from roocode.protocol.events import Event, Notice
from roocode.security.isolation.masking import masked
from roocode.security.isolation.pieces import StreamMask

MACHINE_READABLE: tuple[OutputFormat, ...] = ("json", "stream-json")


class Headless(Protocol):
    """A screen without a person."""

    result: Result

    def show(self, event: Event) -> None:
        """Takes in an event."""
        ...

    def note(self, notice: Notice) -> None:
        """Something that standard error must say, whatever standard output is."""
        ...

    def answered(self, exit_code: int) -> None:
        """One of several prompts has its answer."""
        ...

    def finish(self, error: str, exit_code: int, team: dict[str, Any] | None) -> None:
        """Writes the last word."""
        ...


class Output:
    """One of text, json and stream-json."""

    def __init__(
        self,
        form: OutputFormat,
        *,
        agent: str,
        verbose: bool,
        mask: StreamMask,
        partial: bool = False,
    ) -> None:
        self.form = form
        self._finished = False
        self._mask = mask
        self._screen = _screen(form, agent, verbose, partial)
        self._events = MaskedEvents(mask, self._screen.show)

    def show(self, event: Event) -> None:
        """Takes in an event."""
        self._events(event)

    def gather(self, event: Event) -> None:
        """Takes an event into the result without showing it."""
        self._screen.result.take(masked(event, self._mask))

    def note(self, text: str, level: str = "info") -> None:
        """Something a person should know: always on standard error, and on stream-json's stream too."""
        self._screen.note(Notice(text=self._mask(text), level="warning" if level == "warning" else "info"))

    def answered(self, exit_code: int) -> None:
        """One of several prompts has its answer: clients of stream-json wait for its result."""
        self._screen.answered(exit_code)

    def conclude(
        self, work: Callable[[], int], refused: Callable[[str], dict[str, Any]] | None = None
    ) -> int:
        """Runs the whole of a command, which writes its own last word where it ends as it should.

        Where it does not, the error is the last word: also for a fault of ours, which is raised again.
        `refused` makes a team's object of an error, for those who read objects.
        """
        try:
            return work()
        except RooCodeError as error:
            team = refused(str(error)) if refused and self.form != "text" else None
            self.finish(str(error), error.exit_code, team)
            return error.exit_code
        except Exception as fault:
            self.finish(f"a fault of RooCode itself: {type(fault).__name__}: {fault}", 1)
            raise

    def finish(self, error: str = "", exit_code: int = 0, team: dict[str, Any] | None = None) -> None:
        """Writes the answer or the result, once; a team's stands alone in json, inside it in stream-json."""
        if not self._finished:
            self._finished = True
            self._screen.finish(self._mask(error), exit_code, masked(team, self._mask))


def refuse(arguments: Sequence[str], error: UsageError) -> int:
    """The last word on a command line that cannot be understood, in the format that it asks for."""
    secrets = secrets_of(os.environ)
    form: OutputFormat = next((form for form in MACHINE_READABLE if _asks_for(arguments, form)), "text")
    Output(form, agent="main", verbose=False, mask=secrets).finish(str(error), error.exit_code)
    return error.exit_code


def _asks_for(arguments: Sequence[str], form: OutputFormat) -> bool:
    pairs = zip(arguments, [*arguments[1:], ""], strict=True)
    return f"--output-format={form}" in arguments or ("--output-format", form) in pairs


def _screen(form: OutputFormat, agent: str, verbose: bool, partial: bool) -> Headless:
    match form:
        case "text":
            return Plain(agent=agent, verbose=verbose)
        case "json":
            return JsonObject(agent=agent, verbose=verbose)
        case "stream-json":
            return JsonLines(agent=agent, partial=partial)
