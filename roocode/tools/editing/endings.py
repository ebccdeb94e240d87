"""Gives a file's new content the line endings that the old one had. Pure."""

from __future__ import annotations

from difflib import SequenceMatcher

_COMPARED = 5000


def kind_of(text: str) -> str:
    """Which endings a text has: "CRLF", "CR", "mixed", or "" for LF alone or none."""
    crlf, lf, cr = text.count("\r\n"), text.count("\n"), text.count("\r")
    if crlf and crlf == lf == cr:
        return "CRLF"
    if cr and not lf:
        return "CR"
    return "mixed" if crlf else ""


def like(old: str, new: str) -> str:
    """`new`, which has LF alone, with the endings of `old`.

    Where those are mixed, lines that stay keep theirs, and new ones get the one that prevails.
    """
    if "\r" in new:
        return new
    match kind_of(old):
        case "CRLF":
            return new.replace("\n", "\r\n")
        case "CR":
            return new.replace("\n", "\r")
        case "mixed":
            return _merged(old, new)
        case _:
            return new


def _merged(old: str, new: str) -> str:
    there = [line.removesuffix("\r") for line in old.split("\n")]
    is_crlf = [line.endswith("\r") for line in old.split("\n")]
    lines = new.split("\n")
    prevailing = 2 * sum(is_crlf) > old.count("\n")
    endings = [prevailing] * len(lines)
    if max(len(there), len(lines)) <= _COMPARED:
        for block in SequenceMatcher(None, there, lines, autojunk=False).get_matching_blocks():
            for i in range(block.size):
                if block.a + i < len(there) - 1:
                    endings[block.b + i] = is_crlf[block.a + i]
    parts = (line + ("\r\n" if crlf else "\n") for line, crlf in zip(lines[:-1], endings[:-1], strict=True))
    return "".join(parts) + lines[-1]
