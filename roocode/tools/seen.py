"""What an agent has seen of the files it may change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, TypeAlias

from roocode.protocol.frozen import frozen

State: TypeAlias = Literal["unseen", "part", "whole", "changed"]


@frozen
class Sight:
    """The digest of a file's bytes, and which lines of them were shown."""

    digest: bytes
    lines: frozenset[range]
    whole: bool


@dataclass(slots=True)
class Seen:
    """Which files were seen in this session, which lines of them, and with which bytes.

    `changed` hears of what is seen for the first time, from whatever thread it is.
    """

    sights: dict[Path, Sight] = field(default_factory=dict)
    changed: Callable[[Path, Sight], None] = lambda path, sight: None

    def copy(self) -> Seen:
        """What is known now, for an agent that goes on from here by itself."""
        return Seen(dict(self.sights))

    def note(self, path: Path, data: bytes) -> None:
        """All of the file is known: it was read or written whole."""
        self._set(path, Sight(_digest(data), frozenset(), whole=True))

    def note_lines(self, path: Path, data: bytes, lines: range, total: int) -> None:
        """Some lines of the file were shown, counted from 1; parts that make up all `total` are the whole."""
        digest = _digest(data)
        known = self.sights.get(path)
        same = known is not None and known.digest == digest
        shown = frozenset({lines}) | (known.lines if known and same else frozenset())
        whole = bool(known and same and known.whole) or _cover(shown, total)
        self._set(path, Sight(digest, frozenset() if whole else shown, whole))

    def state(self, path: Path, data: bytes) -> State:
        """How the file's present bytes compare with what was seen."""
        sight = self.sights.get(path)
        if sight is None:
            return "unseen"
        if sight.digest != _digest(data):
            return "changed"
        return "whole" if sight.whole else "part"

    def _set(self, path: Path, sight: Sight) -> None:
        if self.sights.get(path) != sight:
            self.sights[path] = sight
            self.changed(path, sight)


def to_json(sight: Sight) -> dict[str, Any]:
    """What was seen of a file as a JSON object."""
    lines = sorted([part.start, part.stop] for part in sight.lines)
    return {"digest": sight.digest.hex(), "whole": sight.whole} | ({"lines": lines} if lines else {})


def from_json(values: Mapping[str, Mapping[str, Any]]) -> dict[Path, Sight]:
    """The inverse of `to_json` for many files; what is none of ours is left out."""
    found = {}
    for path, value in values.items():
        try:
            lines = frozenset(range(int(start), int(stop)) for start, stop in value.get("lines", ()))
            found[Path(path)] = Sight(bytes.fromhex(value["digest"]), lines, value["whole"] is True)
        except (KeyError, TypeError, ValueError, OverflowError):
            continue
    return found


def _cover(parts: Iterable[range], total: int) -> bool:
    reached = 1
    for part in sorted(parts, key=lambda part: part.start):
        if part.start > reached:
            return False
        reached = max(reached, part.stop)
    return reached > total


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()
