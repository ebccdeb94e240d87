"""The output of a headless run, in the format that was asked for; its last word is always written."""

from __future__ import annotations

import sys
from typing import Any

from roocode.interaction.cli.requests import OutputFormat
from roocode.interaction.ui.json_lines import JsonLines
from roocode.interaction.ui.json_object import JsonObject
from roocode.interaction.ui.plain import Plain
from roocode.protocol.events import Event, Notice


class Output:
    """One of text, json and stream-json behind the same two methods."""

    def __init__(self, form: OutputFormat, *, agent: str, verbose: bool, partial: bool = False) -> None:
        self.form = form
        self._screen: Plain | JsonLines
        match form:
            case "text":
                self._screen = Plain(agent=agent, verbose=verbose)
            case "json":
                self._screen = JsonObject(agent=agent, verbose=verbose)
            case "stream-json":
                self._screen = JsonLines(agent=agent, partial=partial)

    def show(self, event: Event) -> None:
        """Takes in an event."""
        self._screen.show(event)

    def gather(self, event: Event) -> None:
        """Takes an event into the result without showing it."""
        self._screen.result.take(event)

    def note(self, text: str, level: str = "info") -> None:
        """Something a person should know: always on standard error, and on stream-json's stream too."""
        if isinstance(self._screen, JsonLines):
            sys.stderr.write(f"{text}\n")
        self._screen.show(Notice(text=text, level="warning" if level == "warning" else "info"))

    def finish(self, error: str = "", exit_code: int = 0, team: dict[str, Any] | None = None) -> None:
        """Writes the answer or the result; a team's stands alone in json, inside it in stream-json."""
        screen = self._screen
        if isinstance(screen, JsonLines):
            screen.finish(error, exit_code, **({"team": team} if team is not None else {}))
            if error:
                sys.stderr.write(f"error: {error}\n")
        elif isinstance(screen, JsonObject):
            if team is None:
                screen.finish(error, exit_code)
            else:
                screen.write(team)
            if error:
                sys.stderr.write(f"error: {error}\n")
        else:
            screen.finish(error, exit_code, answer=team["result"] if team is not None else None)
