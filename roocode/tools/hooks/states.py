"""Reads a regular expression into states, of which each looks at one character at most.

What a pattern may hold: characters, `.`, `[…]`, `\\d \\w \\s` and their opposites, groups, `|`, `* + ?`
`{m,n} ^ $ \\b \\B \\A \\Z`, and `(?i)` at its beginning. Look-around and references back are refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from roocode.protocol.frozen import frozen

MOST_STATES: Final = 3_000
MOST_REPEATS: Final = 500
_DEEPEST = 60

Anchor: TypeAlias = Literal["start", "end", "word", "not_word"]
Test: TypeAlias = Callable[[str], bool]

_COUNTS = re.compile(r"(\d{1,6})|(\d{0,6}),(\d{0,6})", re.ASCII)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "0": "\0", "a": "\a"}


class PatternFault(Exception):
    """Why a pattern is refused, and at which of its characters."""

    def __init__(self, why: str, at: int) -> None:
        super().__init__(why)
        self.why = why
        self.at = at


def is_word(character: str) -> bool:
    """What `\\w` takes."""
    return character.isalnum() or character == "_"


@frozen
class Take:
    """Takes one character that passes the test."""

    test: Test
    then: int


@frozen
class Split:
    """Goes on at each of several places."""

    to: tuple[int, ...]


@frozen
class Assert:
    """Goes on where the place in the text is right."""

    anchor: Anchor
    then: int


State: TypeAlias = Take | Split | Assert | None


@frozen
class _Node:
    """A piece of a pattern: `make` builds it before a state and returns where it begins."""

    make: Callable[[int], int]
    repeatable: bool = True


class Reading:
    """Reads a pattern by descent; states are built from the end of the pattern to its beginning."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.folds = False
        self.states: list[State] = [None]

    def whole(self) -> int:
        """Where the pattern begins; its end is state 0."""
        if self.text.startswith("(?i)"):
            self.at, self.folds = 4, True
        node = self._alternatives()
        if self.at < len(self.text):
            raise self._fault("a `)` that nothing opened")
        return node.make(0)

    def _alternatives(self) -> _Node:
        branches = [self._sequence()]
        while self._next() == "|":
            self.at += 1
            branches.append(self._sequence())
        if len(branches) == 1:
            return branches[0]
        return _Node(lambda then: self._add(Split(tuple(branch.make(then) for branch in branches))))

    def _sequence(self) -> _Node:
        items: list[_Node] = []
        while self._next() not in ("", "|", ")"):
            items.append(self._quantified(self._atom()))

        def make(then: int) -> int:
            for item in reversed(items):
                then = item.make(then)
            return then

        return _Node(make)

    def _quantified(self, node: _Node) -> _Node:
        start = self.at
        least, most = self._quantity()
        if self.at == start:
            return node
        if not node.repeatable:
            raise self._fault("nothing that could be repeated", start)
        if self._next() == "?":
            self.at += 1
        elif self._next() == "+":
            raise self._fault("possessive repeats are not read here")
        if self._next() in ("*", "+") or (self._next() == "{" and self._braces() is not None):
            raise self._fault("a repeat of a repeat")
        return _Node(lambda then: self._repeated(node, least, most, then))

    def _quantity(self) -> tuple[int, int | None]:
        character = self._next()
        simple: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        if character in simple:
            self.at += 1
            return simple[character]
        braces = self._braces() if character == "{" else None
        if braces is None:
            return 1, 1
        start, (least, most, self.at) = self.at, braces
        if max(least, most or 0) > MOST_REPEATS or (most is not None and most < least):
            raise self._fault(f"a count from 0 to {MOST_REPEATS} is needed", start)
        return least, most

    def _braces(self) -> tuple[int, int | None, int] | None:
        """Least, most and end of `{m}`, `{m,}` or `{m,n}`; None where the brace is a plain character."""
        end = self.text.find("}", self.at)
        counts = _COUNTS.fullmatch(self.text[self.at + 1 : max(end, 0)])
        if counts is None:
            return None
        if counts[1]:
            return int(counts[1]), int(counts[1]), end + 1
        return int(counts[2] or 0), int(counts[3]) if counts[3] else None, end + 1

    def _repeated(self, node: _Node, least: int, most: int | None, then: int) -> int:
        if most is None:
            loop = self._add(None)
            self.states[loop] = Split((node.make(loop), then))
            start = loop
        else:
            start = then
            for _ in range(most - least):
                start = self._add(Split((node.make(start), then)))
        for _ in range(least):
            start = node.make(start)
        return start

    def _atom(self) -> _Node:
        character = self.text[self.at]
        self.at += 1
        match character:
            case "(":
                return self._group()
            case "[":
                return self._taking(self._set())
            case ".":
                return self._taking(lambda each: each != "\n")
            case "^":
                return self._asserting("start")
            case "$":
                return self._asserting("end")
            case "\\":
                return self._escaped()
            case "*" | "+" | "?":
                raise self._fault("nothing that could be repeated", self.at - 1)
            case _:
                return self._taking(self._being(character))

    def _group(self) -> _Node:
        start = self.at - 1
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self._fault("nested too deeply", start)
        if self._next() == "?":
            if self.text.startswith("?:", self.at):
                self.at += 2
            elif self.text.startswith("?P<", self.at) and ">" in self.text[self.at :]:
                self.at = self.text.index(">", self.at) + 1
            else:
                raise self._fault("look-around and flags inside a pattern are not read here", start)
        node = self._alternatives()
        if self._next() != ")":
            raise self._fault("a `(` that nothing closes", start)
        self.at += 1
        self.depth -= 1
        return node

    def _escaped(self) -> _Node:
        character = self._next()
        if not character:
            raise self._fault("a backslash at the end", self.at - 1)
        self.at += 1
        anchors: dict[str, Anchor] = {"b": "word", "B": "not_word", "A": "start", "Z": "end"}
        if character in anchors:
            return self._asserting(anchors[character])
        if character.isdecimal() and character != "0":
            raise self._fault("references back are not read here", self.at - 2)
        return self._taking(_class_of(character) or self._being(self._literal(character)))

    def _literal(self, character: str) -> str:
        """The character that an escape stands for; `character` is what follows the backslash."""
        if character in "xu":
            digits = self.text[self.at : self.at + (2 if character == "x" else 4)]
            try:
                value = chr(int(digits, 16))
            except ValueError:
                raise self._fault(f"\\{character} without its hexadecimal digits", self.at - 2) from None
            self.at += len(digits)
            return value
        if character in _ESCAPES:
            return _ESCAPES[character]
        if character.isascii() and character.isalnum():
            raise self._fault(f"\\{character} is not read here", self.at - 2)
        return character

    def _set(self) -> Test:
        start = self.at - 1
        negated = self._next() == "^"
        self.at += negated
        tests: list[Test] = []
        while self._next() != "]" or not tests:
            low = self._member(start)
            if callable(low):
                tests.append(low)
            elif self._next() == "-" and self.text[self.at + 1 : self.at + 2] not in ("", "]"):
                self.at += 1
                high = self._member(start)
                if callable(high) or high < low:
                    raise self._fault("a range that ends before it begins", start)
                tests.append(self._between(low, high))
            else:
                tests.append(self._being(low))
        self.at += 1
        return lambda each: any(test(each) for test in tests) != negated

    def _member(self, start: int) -> str | Test:
        character = self._next()
        if not character:
            raise self._fault("a `[` that nothing closes", start)
        self.at += 1
        if character != "\\":
            return character
        escaped = self._next()
        if not escaped:
            raise self._fault("a backslash at the end", self.at - 1)
        self.at += 1
        return _class_of(escaped) or ("\b" if escaped == "b" else self._literal(escaped))

    def _being(self, character: str) -> Test:
        if not self.folds:
            return lambda each: each == character
        folded = character.casefold()
        return lambda each: each.casefold() == folded

    def _between(self, low: str, high: str) -> Test:
        if not self.folds:
            return lambda each: low <= each <= high
        return lambda each: low <= each <= high or low <= each.swapcase() <= high

    def _taking(self, test: Test) -> _Node:
        return _Node(lambda then: self._add(Take(test, then)))

    def _asserting(self, anchor: Anchor) -> _Node:
        return _Node(lambda then: self._add(Assert(anchor, then)), repeatable=False)

    def _add(self, state: State) -> int:
        if len(self.states) >= MOST_STATES:
            raise self._fault("the pattern is too large: its counts are multiplied out", 0)
        self.states.append(state)
        return len(self.states) - 1

    def _next(self) -> str:
        return self.text[self.at : self.at + 1]

    def _fault(self, why: str, at: int | None = None) -> PatternFault:
        return PatternFault(why, self.at if at is None else at)


def _class_of(character: str) -> Test | None:
    match character:
        case "d":
            return str.isdecimal
        case "D":
            return lambda each: not each.isdecimal()
        case "w":
            return is_word
        case "W":
            return lambda each: not is_word(each)
        case "s":
            return str.isspace
        case "S":
            return lambda each: not each.isspace()
        case _:
            return None
