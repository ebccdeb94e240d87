"""What an agent has seen of the files it may change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Literal, TypeAlias

from roocode.protocol.frozen import frozen

State: TypeAlias = Literal["unseen", "part", "whole", "changed"]


@frozen
class _Sight:
    digest: bytes
    lines: frozenset[range]
    whole: bool


@dataclass(slots=True)
class Seen:
    """Which files were seen in this session, which lines of them, and with which bytes."""

    _sights: dict[Path, _Sight] = field(default_factory=dict)

    def copy(self) -> Seen:
        """What is known now, for an agent that goes on from here by itself."""
        return Seen(dict(self._sights))

    def note(self, path: Path, data: bytes) -> None:
        """All of the file is known: it was read or written whole."""
        self._sights[path] = _Sight(_digest(data), frozenset(), whole=True)

    def note_lines(self, path: Path, data: bytes, lines: range, total: int) -> None:
        """Some lines of the file were shown, counted from 1; parts that make up all `total` are the whole."""
        digest = _digest(data)
        known = self._sights.get(path)
        same = known is not None and known.digest == digest
        shown = frozenset({lines}) | (known.lines if known and same else frozenset())
        whole = bool(known and same and known.whole) or _cover(shown, total)
        self._sights[path] = _Sight(digest, shown, whole)

    def state(self, path: Path, data: bytes) -> State:
        """How the file's present bytes compare with what was seen."""
        sight = self._sights.get(path)
        if sight is None:
            return "unseen"
        if sight.digest != _digest(data):
            return "changed"
        return "whole" if sight.whole else "part"


def _cover(parts: Iterable[range], total: int) -> bool:
    reached = 1
    for part in sorted(parts, key=lambda part: part.start):
        if part.start > reached:
            return False
        reached = max(reached, part.stop)
    return reached > total


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()
