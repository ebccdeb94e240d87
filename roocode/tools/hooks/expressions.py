"""The language of conditions: reads `tool == "Bash" && !(path matches "docs/**")` into a tree, by hand.

expression := and ("||" and)*          and := not ("&&" not)*
not        := "!" not | "(" expression ")" | test
test       := value [("==" | "!=" | "matches" | "=~") value]
value      := field | "text" | 'text' | number | true | false
"""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias, cast

from roocode.protocol.frozen import frozen

LONGEST: Final = 10_000
DEEPEST: Final = 50

Operator: TypeAlias = Literal["==", "!=", "matches", "=~"]
OPERATORS: Final = ("==", "!=", "matches", "=~")


class ConditionFault(Exception):
    """What is wrong with a condition, and at which character of it, from 0."""

    def __init__(self, what: str, at: int) -> None:
        super().__init__(what)
        self.what = what
        self.at = at


@frozen
class Field:
    """A field of the event: `input.command` is ("input", "command")."""

    name: tuple[str, ...]
    at: int


@frozen
class Literally:
    """A text, a number or a truth value as written."""

    value: str | int | float | bool
    at: int


Value: TypeAlias = Field | Literally


@frozen
class Test:
    """A comparison; alone, a value counts where it is there and is neither empty, zero nor false."""

    left: Value
    operator: Operator | None = None
    right: Value | None = None


@frozen
class Not:
    """The opposite."""

    inner: Expression


@frozen
class All:
    """All of them."""

    parts: tuple[Expression, ...]


@frozen
class Any:
    """At least one of them."""

    parts: tuple[Expression, ...]


Expression: TypeAlias = Test | Not | All | Any

_TokenKind: TypeAlias = Literal["sign", "word", "text", "number", "end"]
_TOKEN = re.compile(
    r"""(?P<space>[\ \t\r\n]+)
    |(?P<sign>==|!=|=~|&&|\|\||!|\(|\))
    |(?P<word>[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*)
    |(?P<number>-?[0-9]+(?:\.[0-9]+)?)""",
    re.VERBOSE,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


@frozen
class _Token:
    kind: _TokenKind
    text: str
    at: int


def parse(text: str) -> Expression:
    """The tree of a condition. Raises ConditionFault."""
    if len(text) > LONGEST:
        raise ConditionFault(f"a condition of more than {LONGEST:,} characters", LONGEST)
    return _Parser(_tokens(text)).whole()


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    at = 0
    while at < len(text):
        if text[at] in "\"'":
            value, end = _quoted(text, at)
            found.append(_Token("text", value, at))
            at = end
            continue
        match = _TOKEN.match(text, at)
        if match is None:
            raise ConditionFault(f"{text[at]!r} has no meaning here{_meant(text[at])}", at)
        if match.lastgroup != "space":
            found.append(_Token(cast(_TokenKind, match.lastgroup), match.group(), at))
        at = match.end()
    found.append(_Token("end", "", len(text)))
    return found


def _meant(character: str) -> str:
    pairs = {"=": "==", "&": "&&", "|": "||", "~": "=~"}
    return f": write {pairs[character]}" if character in pairs else ""


def _quoted(text: str, start: int) -> tuple[str, int]:
    """The text between quotes and where it ends; a backslash before anything else than quotes stays."""
    quote, at, value = text[start], start + 1, ""
    while at < len(text):
        character = text[at]
        if character == quote:
            return value, at + 1
        if character == "\\" and at + 1 < len(text):
            following = text[at + 1]
            kept = following if following in "\"'\\" else _ESCAPES.get(following, "\\" + following)
            value, at = value + kept, at + 2
        else:
            value, at = value + character, at + 1
    raise ConditionFault("a quote that nothing closes", start)


class _Parser:
    """Goes down by precedence; `_at` is the next token."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def whole(self) -> Expression:
        """All of it."""
        found = self._either()
        token = self._next
        if token.kind != "end":
            what = (
                "a `)` that nothing opened" if token.text == ")" else f"{_shown(token)} is not expected here"
            )
            raise ConditionFault(f"{what}: join tests by && or ||", token.at)
        return found

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _takes(self, sign: str) -> bool:
        if self._next.kind == "sign" and self._next.text == sign:
            self._at += 1
            return True
        return False

    def _either(self) -> Expression:
        parts = [self._both()]
        while self._takes("||"):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else Any(tuple(parts))

    def _both(self) -> Expression:
        parts = [self._opposite()]
        while self._takes("&&"):
            parts.append(self._opposite())
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _opposite(self) -> Expression:
        token = self._next
        if self._depth >= DEEPEST:
            raise ConditionFault("nested too deeply", token.at)
        self._depth += 1
        try:
            if self._takes("!"):
                return Not(self._opposite())
            if self._takes("("):
                return self._inside(token)
        finally:
            self._depth -= 1
        return self._test()

    def _inside(self, opening: _Token) -> Expression:
        inner = self._either()
        if not self._takes(")"):
            if self._next.kind == "end":
                raise ConditionFault("a `(` that nothing closes", opening.at)
            raise ConditionFault(f"{_shown(self._next)} is not expected here: `)` or && or ||", self._next.at)
        return inner

    def _test(self) -> Test:
        left = self._value()
        token = self._next
        if token.text not in OPERATORS or token.kind not in ("sign", "word"):
            return Test(left)
        self._at += 1
        return Test(left, cast(Operator, token.text), self._value())

    def _value(self) -> Value:
        token = self._next
        self._at += token.kind != "end"
        match token.kind:
            case "text":
                return Literally(token.text, token.at)
            case "number":
                number = float(token.text) if "." in token.text else int(token.text[:300])
                return Literally(number, token.at)
            case "word" if token.text in ("true", "false"):
                return Literally(token.text == "true", token.at)
            case "word" if token.text not in OPERATORS:
                return Field(tuple(token.text.split(".")), token.at)
            case _:
                raise ConditionFault(f"a field or a value is missing before {_shown(token)}", token.at)


def _shown(token: _Token) -> str:
    return "the end" if token.kind == "end" else repr(token.text)
