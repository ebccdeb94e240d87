"""Templates in a step's texts and inputs: `{{ expression }}` over the request that is answered.

expression = value ("|" filter)*         filter = int | json
value      = 'text' | number | path | name "(" value ("," value)* ")"
path       = name ("." (name | number))*

A string that is one template alone takes the value as it is, so `{{ play | int }}` gives a number.
Backslashes in a quoted text stand for themselves. `{{ '{{' }}` writes two braces.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias

from roocode.protocol.frozen import frozen

Value: TypeAlias = str | int

_TEMPLATE = re.compile(r"\{\{((?:'[^']*'|\"[^\"]*\"|[^'\"}])*)\}\}")
_TOKEN = re.compile(
    r"\s*(?:(?P<text>'[^']*'|\"[^\"]*\")|(?P<number>\d+)|(?P<name>[A-Za-z_][\w-]*)|(?P<sign>[.,()|]))"
)


class TemplateError(ValueError):
    """A template that cannot be read, or that names what the request does not hold."""


class Scope(Protocol):
    """Where names get their values; both raise TemplateError for what they do not know."""

    def path(self, parts: tuple[str, ...]) -> Value:
        """The value of a dotted path."""
        ...

    def function(self, name: str, arguments: tuple[Value, ...]) -> Value:
        """The value of a function."""
        ...


@frozen
class _Literal:
    value: Value


@frozen
class _Path:
    parts: tuple[str, ...]


@frozen
class _Function:
    name: str
    arguments: tuple[_Expression, ...]


@frozen
class _Filtered:
    value: _Expression
    name: str


_Expression: TypeAlias = "_Literal | _Path | _Function | _Filtered"


def render(value: Any, scope: Scope) -> Any:
    """Fills the templates in a string, or in all strings of a JSON value. Raises TemplateError."""
    if isinstance(value, str):
        return _render_text(value, scope)
    if isinstance(value, Mapping):
        return {key: render(item, scope) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [render(item, scope) for item in value]
    return value


def check(value: Any) -> None:
    """Raises TemplateError where a template in this JSON value cannot be read."""
    if isinstance(value, str):
        for match in _TEMPLATE.finditer(value):
            _parse(match[1])
    elif isinstance(value, Mapping):
        for item in value.values():
            check(item)
    elif isinstance(value, list | tuple):
        for item in value:
            check(item)


def _render_text(text: str, scope: Scope) -> Value:
    if "{{" not in text:
        return text
    alone = _TEMPLATE.fullmatch(text)
    if alone:
        return _value(_parse(alone[1]), scope)
    return _TEMPLATE.sub(lambda match: str(_value(_parse(match[1]), scope)), text)


def _value(expression: _Expression, scope: Scope) -> Value:
    match expression:
        case _Literal(value):
            return value
        case _Path(parts):
            return scope.path(parts)
        case _Function(name, arguments):
            return scope.function(name, tuple(_value(argument, scope) for argument in arguments))
        case _Filtered(inner, "json"):
            return json.dumps(_value(inner, scope), ensure_ascii=False)
        case _Filtered(inner, _):
            value = _value(inner, scope)
            try:
                return int(value)
            except ValueError as error:
                raise TemplateError(f"{value!r} is not a whole number") from error


def _parse(source: str) -> _Expression:
    return _Parser(source).whole()


class _Parser:
    """Recursive descent over the tokens of one expression."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._tokens = _tokens(source)
        self._next = 0

    def whole(self) -> _Expression:
        value = self._one()
        while self._take("|"):
            name = self._name("a filter")
            if name not in ("int", "json"):
                raise self._error(f"no filter {name!r}: int and json are there")
            value = _Filtered(value, name)
        if self._next < len(self._tokens):
            raise self._error(f"{self._tokens[self._next][1]!r} is not expected")
        return value

    def _one(self) -> _Expression:
        if self._next == len(self._tokens):
            raise self._error("a value is missing")
        kind, text = self._tokens[self._next]
        self._next += 1
        if kind == "text":
            return _Literal(text[1:-1])
        if kind == "number":
            return _Literal(int(text))
        if kind != "name":
            raise self._error(f"{text!r} is not a value")
        return self._function(text) if self._take("(") else self._path(text)

    def _function(self, name: str) -> _Expression:
        arguments: list[_Expression] = []
        while not self._take(")"):
            if arguments and not self._take(","):
                raise self._error("a comma or a closing bracket is missing")
            arguments.append(self._one())
        return _Function(name, tuple(arguments))

    def _path(self, first: str) -> _Expression:
        parts = [first]
        while self._take("."):
            parts.append(self._name("a name or number"))
        return _Path(tuple(parts))

    def _name(self, what: str) -> str:
        if self._next < len(self._tokens) and self._tokens[self._next][0] in ("name", "number"):
            self._next += 1
            return self._tokens[self._next - 1][1]
        raise self._error(f"{what} is missing")

    def _take(self, sign: str) -> bool:
        found = self._next < len(self._tokens) and self._tokens[self._next] == ("sign", sign)
        self._next += found
        return found

    def _error(self, why: str) -> TemplateError:
        return TemplateError(f"template {{{{{self._source}}}}}: {why}")


def _tokens(source: str) -> list[tuple[str, str]]:
    tokens = []
    position = 0
    end = len(source.rstrip())
    while position < end:
        match = _TOKEN.match(source, position)
        if match is None or match.lastgroup is None:
            raise TemplateError(
                f"template {{{{{source}}}}}: cannot be read from {source[position:].strip()!r} on"
            )
        tokens.append((match.lastgroup, match[match.lastgroup]))
        position = match.end()
    return tokens
