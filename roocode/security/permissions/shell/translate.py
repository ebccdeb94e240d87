"""What `tr` makes of a text."""

from __future__ import annotations

from collections.abc import Sequence

from roocode.security.permissions.shell.quoting import escapes

_CLASSES = {
    "[:upper:]": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "[:lower:]": "abcdefghijklmnopqrstuvwxyz",
    "[:digit:]": "0123456789",
    "[:alpha:]": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    "[:alnum:]": "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    "[:space:]": " \t\n\r\f\v",
    "[:blank:]": " \t",
}


def transliterate(text: str, sets: Sequence[str], *, delete: bool, complement: bool) -> str | None:
    """The text with characters of the first set replaced or deleted; None where the sets are not followed."""
    if not sets or (complement and not delete):
        return None
    first = _members(sets[0])
    if delete:
        return "".join(character for character in text if (character in first) == complement)
    if len(sets) < 2:
        return text
    second = _members(sets[1])
    if not second:
        return None
    second += second[-1] * (len(first) - len(second))
    table: dict[int, str] = {}
    for old, new in zip(first, second, strict=False):
        table[ord(old)] = new
    return text.translate(table)


def _members(text: str) -> str:
    for name, letters in _CLASSES.items():
        text = text.replace(name, letters)
    text = escapes(text)
    members: list[str] = []
    at = 0
    while at < len(text):
        if (
            text[at + 1 : at + 2] == "-"
            and at + 2 < len(text)
            and 0 <= ord(text[at + 2]) - ord(text[at]) < 256
        ):
            members.extend(chr(code) for code in range(ord(text[at]), ord(text[at + 2]) + 1))
            at += 3
        else:
            members.append(text[at])
            at += 1
    return "".join(members)
