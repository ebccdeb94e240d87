"""Matches Bash wildcards, and what `${name#pattern}` and its like make of a text."""

from __future__ import annotations

from fnmatch import fnmatchcase

_LONGEST = 1024


def is_live(text: str) -> bool:
    """Whether an unquoted text holds a wildcard; a bracket alone is none."""
    return "*" in text or "?" in text or ("[" in text and "]" in text[text.index("[") :])


def matches(text: str, pattern: str) -> bool:
    """Whether the whole text fits the wildcard pattern."""
    return fnmatchcase(text, pattern.replace("[^", "[!"))


def escaped(text: str) -> str:
    """A pattern that only the text itself fits."""
    return "".join(f"[{each}]" if each in "*?[" else each for each in text)


def without_prefix(text: str, pattern: str, *, longest: bool) -> str | None:
    """The text without the shortest or longest start that fits, or None where it is too long to say."""
    if len(text) > _LONGEST:
        return None
    ends = range(len(text), -1, -1) if longest else range(len(text) + 1)
    return next((text[end:] for end in ends if matches(text[:end], pattern)), text)


def without_suffix(text: str, pattern: str, *, longest: bool) -> str | None:
    """The text without the shortest or longest end that fits, or None where it is too long to say."""
    if len(text) > _LONGEST:
        return None
    starts = range(len(text) + 1) if longest else range(len(text), -1, -1)
    return next((text[:start] for start in starts if matches(text[start:], pattern)), text)


def replaced(text: str, pattern: str, instead: str, *, everywhere: bool) -> str | None:
    """The text with the longest fits replaced, the first or all; None where it is too long to say."""
    if not pattern:
        return text
    if not any(wildcard in pattern for wildcard in "*?[\\"):
        return text.replace(pattern, instead) if everywhere else text.replace(pattern, instead, 1)
    if len(text) > _LONGEST // 4:
        return None
    out: list[str] = []
    at = 0
    while at < len(text):
        end = next((end for end in range(len(text), at, -1) if matches(text[at:end], pattern)), 0)
        if not end:
            out.append(text[at])
            at += 1
            continue
        out.append(instead)
        at = end
        if not everywhere:
            break
    return "".join(out) + text[at:]
