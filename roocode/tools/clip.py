"""Makes output of any size and content fit for a model: pure, and linear in what it is given."""

from __future__ import annotations

import re

_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[ -/]*[0-~])"
)
"""CSI, OSC and other sequences, as ECMA-48 has them."""
_UNPRINTABLE = {*range(0x20), 0x7F, *range(0x80, 0xA0), *range(0xD800, 0xE000)} - {ord("\t"), ord("\n")}
_REPLACED = dict.fromkeys(_UNPRINTABLE, "�")


def printable(text: str) -> str:
    """Without terminal escapes and control characters; of a line that was overwritten, what stood last.

    Control characters and lone surrogates become U+FFFD.
    """
    plain = _ESCAPES.sub("", text) if "\x1b" in text else text
    plain = plain.replace("\r\n", "\n")
    if "\r" in plain:
        plain = "\n".join(_last_state(line) for line in plain.split("\n"))
    return plain.translate(_REPLACED)


def _last_state(line: str) -> str:
    states = [state for state in line.split("\r") if state]
    return states[-1] if states else ""


def clip(head: str, tail: str, omitted: int, limit: int, source: str) -> str:
    """Joins the start and the end of a long text, `limit` characters in all, saying what is left out.

    `head` and `tail` are the text's first and last parts, `omitted` the number of characters between them;
    where they are the whole text, `tail` is empty. `source` says where all of it is.
    """
    if not tail and len(head) <= limit:
        return head
    half = limit // 2
    first = _whole_lines(head[:half], from_start=True)
    rest = tail or head
    last = _whole_lines(rest[-half:], from_start=False)
    gone = len(head) + len(tail) + omitted - len(first) - len(last)
    return f"{first}\n[… {gone:,} characters left out; all of it: {source} …]\n{last}"


def _whole_lines(text: str, *, from_start: bool) -> str:
    """Cuts a torn line off, unless that would cost more than half."""
    if from_start:
        end = text.rfind("\n")
        return text[:end] if end > len(text) // 2 else text
    start = text.find("\n")
    return text[start + 1 :] if 0 <= start < len(text) // 2 else text


def cut_line(line: str, limit: int) -> str:
    """A line of at most `limit` characters, with the number of those that are missing."""
    return line if len(line) <= limit else f"{line[:limit]}… [+{len(line) - limit:,} characters]"
