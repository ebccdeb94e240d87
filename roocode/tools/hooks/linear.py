"""Regular expressions that are matched in time linear in the text, whatever the pattern: see `states`."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from roocode.tools.hooks.states import Anchor, Assert, PatternFault, Reading, Split, Take, is_word

__all__ = ["Pattern", "PatternFault", "compiled"]

LONGEST_TEXT: Final = 1_000_000
_MOST_CACHED = 2_000


class Pattern:
    """A compiled pattern. Raises PatternFault for one that cannot be read."""

    def __init__(self, text: str) -> None:
        reading = Reading(text)
        self._start = reading.whole()
        self._states = reading.states
        self._cache: dict[tuple[frozenset[int], str, str], frozenset[int] | None] = {}

    def found_in(self, text: str) -> bool:
        """Whether the pattern fits anywhere in the first million characters of a text."""
        text = text[:LONGEST_TEXT]
        body = len(text) - text.endswith("\n")
        held: frozenset[int] = frozenset((self._start,))
        before = "start"
        for at, character in enumerate(text):
            last = "end" if at == body else ""
            after = self._step(held, before, character, last)
            if after is None:
                return True
            held = after
            before = "word" if is_word(character) else "other"
        return self._closed(held, before, "end") is None

    def _step(self, held: frozenset[int], before: str, character: str, last: str) -> frozenset[int] | None:
        key = (held, before, last + character)
        if key not in self._cache:
            if len(self._cache) >= _MOST_CACHED:
                self._cache.clear()
            self._cache[key] = self._stepped(held, before, character, last)
        return self._cache[key]

    def _stepped(self, held: frozenset[int], before: str, character: str, last: str) -> frozenset[int] | None:
        kind = "word" if is_word(character) else "other"
        closed = self._closed(held, before, last or kind)
        if closed is None:
            return None
        taken = {take.then for take in closed if take.test(character)}
        return frozenset(taken | {self._start})

    def _closed(self, held: frozenset[int], before: str, after: str) -> list[Take] | None:
        """What can take the next character; None where the pattern is fulfilled already."""
        seen: set[int] = set()
        waiting = list(held)
        takes: list[Take] = []
        while waiting:
            number = waiting.pop()
            if number in seen:
                continue
            seen.add(number)
            state = self._states[number]
            match state:
                case None:
                    return None
                case Take():
                    takes.append(state)
                case Split(to):
                    waiting.extend(to)
                case Assert(anchor, then) if _holds(anchor, before, after):
                    waiting.append(then)
                case Assert():
                    pass
        return takes


@lru_cache(maxsize=256)
def compiled(text: str) -> Pattern:
    """The pattern of a text, made once."""
    return Pattern(text)


def _holds(anchor: Anchor, before: str, after: str) -> bool:
    match anchor:
        case "start":
            return before == "start"
        case "end":
            return after == "end"
        case "word":
            return (before == "word") != (after == "word")
        case "not_word":
            return (before == "word") == (after == "word")
