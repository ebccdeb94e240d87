"""Signs that a new text drops what was meant to stay: a placeholder, or most of the file gone. Pure."""

from __future__ import annotations

import re

from roocode.protocol.frozen import frozen

MUCH = 0.6
"""Part of a file that a write may remove before it is pointed out."""
_SMALL = 500
_THING = (
    r"(?:file|code|content|contents|class|function|functions|method|methods|implementation|imports|module|"
    r"document|text|lines?|tests?|section|config|configuration|script|body|logic|styles|markup)"
)
_KEPT = (
    r"(?:rest of|remaining|remainder of|existing|previous|original|unchanged|same as|other (?:existing|code))"
)
_COMMENT = r"[ \t]*(?:#+|//+|/\*+|\*|<!--|--|;+|%|\{/\*|\"\"\")?[ \t(\[<]*"
_PART = r"(?:rest of|remainder of)"
_STAYS = r"(?:unchanged|remains?|stays?|as (?:is|before)|omitted|the same|goes here)"
_OF = r"[ \t]+(?:the[ \t]+|this[ \t]+)?(?:\w+[ \t]+)?"
_PLACEHOLDER = re.compile(
    rf"^{_COMMENT}(?:\.{{3}}|…)[^\n]{{0,40}}?\b{_KEPT}\b[^\n]*"
    rf"|^{_COMMENT}(?:the[ \t]+)?(?:{_PART}|existing|remaining|previous|original|other){_OF}{_THING}\b"
    rf"[^\n]{{0,20}}?\b{_STAYS}\b[^\n]*"
    rf"|^{_COMMENT}(?:the[ \t]+)?{_PART}{_OF}{_THING}\s*(?:\.{{3}}|…)[^\n]*",
    re.M | re.I,
)


@frozen
class Placeholder:
    """A line, counted from 1, that stands for text which was left out."""

    line: int
    text: str


def placeholder(before: str, after: str) -> Placeholder | None:
    """The first line of `after` that seems to stand for omitted text, and is not in `before` already."""
    for found in _PLACEHOLDER.finditer(after):
        text = found[0].strip()
        if text not in before:
            return Placeholder(after.count("\n", 0, found.start()) + 1, text)
    return None


def shrinkage(before: str, after: str) -> str:
    """What is lost, in words, where more than MUCH of a text that is not small goes; else ""."""
    if len(before) < _SMALL or len(after) >= (1 - MUCH) * len(before):
        return ""
    old, new = (len(text.splitlines()) for text in (before, after))
    lost = round(100 * (1 - len(after) / len(before)))
    return f"{lost} % of the file goes: {old} lines before, {new} after"
