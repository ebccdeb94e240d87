"""The turns of a session as its log marks them: where each began, and what is known of its files.

A record `turn` comes before the prompt of a run, and before a rewind, which is a turn of its own so that it
can be taken back too. Records `snapshot` say what the files were `before` and `after` it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from roocode.memory.sessions.log import DAMAGED, records
from roocode.protocol.frozen import frozen

TurnKind: TypeAlias = Literal["prompt", "rewind"]
WORDS = 100
KINDS = ("turn", "snapshot", "rewind")
"""The types of record that say something of turns."""


@frozen
class Turn:
    """A turn; `words` are the first ones of its prompt. Numbers count from 1 and are never given twice.

    `before` is None where the turn changed nothing, `after` also where the program ended within it.
    """

    number: int
    words: str
    kind: TurnKind = "prompt"
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None


class Turns:
    """All turns of a session by their numbers, and which of them the conversation shows."""

    def __init__(self) -> None:
        self.all: dict[int, Turn] = {}
        self._before: dict[int, int] = {}
        self._back_to: dict[int, int] = {}
        self._newest = 0

    @classmethod
    def read(cls, path: Path) -> Turns:
        """Reads them from a log; damaged records are left out. Raises UserError without a log."""
        turns = cls()
        for record in records(path, only=KINDS):
            try:
                turns.take(record or {})
            except DAMAGED:
                continue
        return turns

    def take(self, record: Mapping[str, Any]) -> None:
        """The next record. Raises KeyError, TypeError or ValueError for a damaged one; others do nothing."""
        match record.get("type"):
            case "turn":
                number = turn_of(record)
                if number < self.next:
                    raise ValueError(f"turn {number} comes twice")
                self.all[number] = Turn(number, str(record["words"]), record["kind"])
                self._before[number], self._newest = self._newest, number
            case "snapshot":
                number = turn_of(record)
                self.all[number] = replace(self.all[number], **{record["when"]: record["files"]})
            case "rewind":
                self._back_to[self._newest] = self._before[int(record["turn"])]
            case _:
                pass

    @property
    def shown(self) -> tuple[Turn, ...]:
        """The turns that the conversation holds now, and the rewinds since; the oldest first."""
        found, number = [], self._newest
        while number in self.all:
            found.append(self.all[number])
            number = self._back_to.get(number, self._before[number])
        return tuple(reversed(found))

    @property
    def next(self) -> int:
        """The number of the next turn."""
        return next(reversed(self.all), 0) + 1


def turn_record(turn: Turn) -> dict[str, Any]:
    """The fields of a turn's record."""
    words = " ".join(turn.words.split())
    return {"number": turn.number, "words": words[:WORDS], "kind": turn.kind}


def begins(record: Mapping[str, Any], turn: int) -> bool:
    """Whether a record is where this turn begins."""
    return record.get("type") == "turn" and record.get("number") == turn


def turn_of(record: Mapping[str, Any]) -> int:
    """The turn that a record is about. Raises KeyError, TypeError or ValueError for a damaged one."""
    if record["type"] == "turn":
        if record["kind"] not in ("prompt", "rewind"):
            raise ValueError(f"no kind of turn: {record['kind']!r}")
        return int(record["number"])
    if record["when"] not in ("before", "after"):
        raise ValueError(f"no moment of a turn: {record['when']!r}")
    dict(record["files"])
    return int(record["turn"])
