"""Finds a passage that differs from what was asked for in whitespace only, and fits the new text in. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher


def bare(line: str) -> str:
    """A line without its indentation, with single blanks inside."""
    return " ".join(line.split())


def find(lines: Sequence[str], wanted: Sequence[str]) -> tuple[int, ...]:
    """Where, counted from 0, all `wanted` lines follow one another when whitespace does not count."""
    there, asked = [bare(line) for line in lines], [bare(line) for line in wanted]
    if not any(asked):
        return ()
    last = len(there) - len(asked)
    return tuple(i for i in range(last + 1) if there[i] == asked[0] and there[i : i + len(asked)] == asked)


def fitted(found: Sequence[str], wanted: Sequence[str], new: Sequence[str]) -> list[str]:
    """The new lines in the file's own style.

    Lines that the new text keeps stay as they are in the file; the others get the file's indentation, as
    the pairs of `wanted` and `found` lines show it.
    """
    indents = {indent(asked): indent(line) for asked, line in zip(wanted, found, strict=True) if line.strip()}
    kept: dict[int, str] = {}
    matcher = SequenceMatcher(None, wanted, new, autojunk=False)
    for block in matcher.get_matching_blocks():
        for i in range(block.size):
            kept[block.b + i] = found[block.a + i]
    return [kept[i] if i in kept else _reindented(line, indents) for i, line in enumerate(new)]


def indent(line: str) -> str:
    """The whitespace that a line begins with."""
    return line[: len(line) - len(line.lstrip())]


def _reindented(line: str, indents: Mapping[str, str]) -> str:
    own = indent(line)
    nearest = max((known for known in indents if own.startswith(known)), key=len, default=None)
    if nearest is None or not line.strip():
        return line
    return indents[nearest] + _converted(own[len(nearest) :], indents) + line[len(own) :]


def _converted(deeper: str, indents: Mapping[str, str]) -> str:
    """Indentation below a known level, in tabs or blanks as the file has it."""
    for asked, there in sorted(indents.items(), key=lambda pair: -len(pair[0])):
        if set(asked) == {" "} and set(there) == {"\t"}:
            width = max(1, len(asked) // len(there))
            columns = len(deeper.replace("\t", " " * width))
            return "\t" * (columns // width) + " " * (columns % width)
        if set(asked) == {"\t"} and set(there) == {" "}:
            return deeper.replace("\t", " " * (len(there) // len(asked)))
    return deeper
