"""Masks a text that comes in pieces: a secret that is torn apart does not slip through. Pure."""

from __future__ import annotations

from typing import Protocol

from roocode.security.isolation import private_keys

_LONGEST_WORD = 16 * 1024
_CONTEXT = 256


class StreamMask(Protocol):
    """A mask that knows which of its secrets hold white space."""

    def __call__(self, text: str) -> str:
        """The text with masks in it."""
        ...

    @property
    def spaced(self) -> tuple[str, ...]:
        """The spellings of secrets in which there is white space."""
        ...


class Pieces:
    """One stream. Each piece is given on up to its last whole word; the rest waits for the next.

    A private key's block and a beginning of a known secret of several words wait whole. What was given on
    already is looked at as the context of what follows (`Authorization: Bearer `).
    """

    def __init__(self, mask: StreamMask) -> None:
        self._mask = mask
        self._waiting = ""
        self._context = ""

    def add(self, piece: str) -> str:
        """What may be shown now of this piece and those before it; often empty."""
        self._waiting += piece
        end = self._end_of_words()
        if end <= 0:
            return ""
        ready, self._waiting = self._waiting[:end], self._waiting[end:]
        return self._shown(ready)

    def end(self) -> str:
        """The rest; the next piece begins anew."""
        rest, self._waiting = self._waiting, ""
        shown = self._shown(rest)
        self._context = ""
        return shown

    def _shown(self, ready: str) -> str:
        before, whole = self._mask(self._context), self._mask(self._context + ready)
        line = (self._context + ready).rpartition("\n")[2]
        if len(line) > _CONTEXT:
            line = line[-_CONTEXT:].partition(" ")[2]
        self._context = line
        return whole[len(before) :] if whole.startswith(before) else self._mask(ready)

    def _end_of_words(self) -> int:
        text = self._waiting
        end = len(text)
        while end and not text[end - 1].isspace():
            end -= 1
        if not end and len(text) > _LONGEST_WORD:
            return len(text) - _LONGEST_WORD // 2
        begin = text.rfind(private_keys.BEGIN)
        if begin >= 0 and len(text) - begin < private_keys.LONGEST and end < _end_of_key(text, begin):
            end = min(end, begin)
        for secret in self._mask.spaced:
            end = _before(text, secret, end)
        return end


def _end_of_key(text: str, begin: int) -> int:
    """Where a key's block ends; past the text's end where its closing mark has not come yet."""
    mark = text.find(private_keys.END, begin)
    dashes = text.find(private_keys.DASHES, mark + len(private_keys.END)) if mark >= 0 else -1
    return dashes + len(private_keys.DASHES) if dashes >= 0 else len(text) + 1


def _before(text: str, secret: str, end: int) -> int:
    """`end`, or where a secret begins that it would cut, or that the text's end leaves unfinished."""
    whole = text.rfind(secret)
    if 0 <= whole < end < whole + len(secret):
        return whole
    for start in range(max(0, len(text) - len(secret)), end):
        if secret.startswith(text[start:]):
            return start
    return end
