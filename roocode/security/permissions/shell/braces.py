"""Brace expansion: `a{b,c}d` and `{1..3}`, before anything else in a word is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from roocode.security.permissions.shell.cursor import in_name
from roocode.security.permissions.shell.syntax import Parameter, Piece, Text
from roocode.security.permissions.shell.values import MOST_OPTIONS

_LONGEST_RANGE = 200
_DEEPEST = 16

Atom: TypeAlias = str | Piece
"""One live character, or a piece that braces cannot cut."""


class TooMany(ValueError):
    """More words than are followed."""


def expand_braces(pieces: Sequence[Piece]) -> list[tuple[Piece, ...]]:
    """The words that one word becomes. Raises TooMany."""
    if not any(isinstance(piece, Text) and not piece.quoted and "{" in piece.value for piece in pieces):
        return [tuple(pieces)]
    atoms: list[Atom] = []
    for piece in pieces:
        if isinstance(piece, Text) and not piece.quoted:
            atoms.extend(piece.value)
        else:
            atoms.append(piece)
    return [_rejoined(word) for word in _expanded(atoms, 0)]


def _expanded(atoms: Sequence[Atom], depth: int) -> list[list[Atom]]:
    words: list[list[Atom]] = [[]]
    closings = _closings(atoms)
    at = 0
    while at < len(atoms):
        end = closings.get(at, 0) if depth < _DEEPEST else 0
        choices = _choices(atoms[at + 1 : end], depth) if end else []
        if choices:
            at = end + 1
        else:
            choices = [[atoms[at]]]
            at += 1
        if len(words) * len(choices) > MOST_OPTIONS:
            raise TooMany
        if len(choices) == 1:
            for word in words:
                word.extend(choices[0])
        else:
            words = [[*word, *choice] for word in words for choice in choices]
    return words


def _closings(atoms: Sequence[Atom]) -> dict[int, int]:
    """The place of the closing brace for each opening one that has one."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for at, atom in enumerate(atoms):
        if atom == "{":
            opened.append(at)
        elif atom == "}" and opened:
            found[opened.pop()] = at
    return found


def _choices(inner: Sequence[Atom], depth: int) -> list[list[Atom]]:
    parts: list[list[Atom]] = [[]]
    level = 0
    for atom in inner:
        level += (atom == "{") - (atom == "}")
        if atom == "," and not level:
            parts.append([])
        else:
            parts[-1].append(atom)
    if len(parts) > 1:
        return [word for part in parts for word in _expanded(part, depth + 1)]
    return _range("".join(atom if isinstance(atom, str) else "\0" for atom in inner))


def _range(text: str) -> list[list[Atom]]:
    ends = text.split("..")
    if len(ends) not in (2, 3):
        return []
    step = _integer(ends[2]) if len(ends) == 3 else 1
    first, last = _integer(ends[0]), _integer(ends[1])
    letters = first is None and last is None and all(len(end) == 1 and end.isalpha() for end in ends[:2])
    if letters:
        first, last = ord(ends[0]), ord(ends[1])
    if first is None or last is None or step is None:
        return []
    step = abs(step) or 1
    if abs(last - first) // step > _LONGEST_RANGE:
        raise TooMany
    numbers = range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
    width = 0 if letters else max(map(_padding, ends[:2]))
    return [list(chr(number) if letters else f"{number:0{width}d}") for number in numbers]


def _padding(text: str) -> int:
    """How many characters each number takes: as many as an end that is written with a zero in front."""
    digits = text.removeprefix("-")
    return len(text) if len(digits) > 1 and digits.startswith("0") else 0


def _integer(text: str) -> int | None:
    digits = text.removeprefix("-").removeprefix("+")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None


def _rejoined(atoms: Sequence[Atom]) -> tuple[Piece, ...]:
    """The pieces again. In `$a{b,c}` the name of the variable goes on behind the brace: `$ab` and `$ac`."""
    pieces: list[Piece] = []
    letters: list[str] = []
    for atom in atoms:
        last = pieces[-1] if pieces and not letters else None
        if isinstance(atom, str) and isinstance(last, Parameter) and last.bare and in_name(atom):
            pieces[-1] = replace(last, expression=last.expression + atom)
        elif isinstance(atom, str):
            letters.append(atom)
        else:
            pieces.extend([Text("".join(letters))] if letters else [])
            letters = []
            pieces.append(atom)
    return (*pieces, Text("".join(letters))) if letters else tuple(pieces)
