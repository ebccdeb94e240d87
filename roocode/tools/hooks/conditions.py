"""Whether a condition holds for an event: names checked when it is read, values compared when it happens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any as Anything
from typing import assert_never

from roocode.protocol.frozen import frozen
from roocode.security.permissions.names import ALIASES, FIELDS, canonical
from roocode.tools.hooks import expressions
from roocode.tools.hooks.events import FREE, PATHS, EventKind, fields_of
from roocode.tools.hooks.expressions import (
    All,
    Any,
    ConditionFault,
    Expression,
    Field,
    Literally,
    Not,
    Test,
    Value,
)
from roocode.tools.hooks.linear import PatternFault, compiled
from roocode.tools.search.wildcards import alternatives, part_expression
from roocode.tools.search.wildcards import matches as path_matches


@frozen
class Condition:
    """A condition that fits its event; `text` is as written."""

    text: str
    tree: Expression

    def holds(self, fields: Mapping[str, Anything]) -> bool:
        """Whether it holds for an event with these fields."""
        return _holds(self.tree, fields)


def read_condition(text: str, kind: EventKind) -> Condition:
    """Reads a condition for a kind of event. Raises ConditionFault, also for a field that it has not."""
    tree = expressions.parse(text)
    for test in _tests(tree):
        _check(test, kind)
    return Condition(text, tree)


def tool_names(name: str) -> tuple[str, ...]:
    """A tool's name here, and those that it has in files of other agents."""
    return (name, *(alias for alias, ours in ALIASES.items() if ours == name and alias != name))


def _tests(tree: Expression) -> Iterator[Test]:
    match tree:
        case Test():
            yield tree
        case Not(inner):
            yield from _tests(inner)
        case All(parts) | Any(parts):
            for part in parts:
                yield from _tests(part)
        case _:
            assert_never(tree)


def _check(test: Test, kind: EventKind) -> None:
    for value in (test.left, test.right):
        if isinstance(value, Field):
            _check_field(value, kind)
    if test.operator in ("matches", "=~"):
        if not (isinstance(test.right, Literally) and isinstance(test.right.value, str)):
            at = test.right.at if test.right else test.left.at
            raise ConditionFault(f"`{test.operator}` needs a pattern in quotes behind it", at)
        if test.operator == "=~":
            try:
                compiled(test.right.value)
            except PatternFault as fault:
                raise ConditionFault(f"the expression is refused: {fault.why}", test.right.at) from fault


def _check_field(field: Field, kind: EventKind) -> None:
    known = fields_of(kind)
    first = field.name[0]
    if first not in known:
        near = get_close_matches(first, known, n=1, cutoff=0.5)
        mend = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(known)}"
        raise ConditionFault(f"{kind.name} has no field {first!r}: {mend}", field.at)
    if len(field.name) > 1 and first not in FREE:
        raise ConditionFault(f"the field {first!r} has no parts", field.at)


def _holds(tree: Expression, fields: Mapping[str, Anything]) -> bool:
    match tree:
        case Test(left, None, _):
            return any(map(bool, _values(left, fields)))
        case Test(left, operator, right):
            assert right is not None
            lefts, rights = _values(left, fields), _values(right, fields)
            pairs = ((one, other) for one in lefts for other in rights)
            match operator:
                case "==":
                    return any(_equal(one, other) for one, other in pairs)
                case "!=":
                    return not any(_equal(one, other) for one, other in pairs)
                case "matches":
                    is_path = isinstance(left, Field) and _is_path(left)
                    return any(_globs(str(other), _text(one), is_path) for one, other in pairs)
                case "=~":
                    return any(compiled(str(other)).found_in(_text(one)) for one, other in pairs)
                case _:
                    raise AssertionError(operator)
        case Not(inner):
            return not _holds(inner, fields)
        case All(parts):
            return all(_holds(part, fields) for part in parts)
        case Any(parts):
            return any(_holds(part, fields) for part in parts)
        case _:
            assert_never(tree)


def _values(value: Value, fields: Mapping[str, Anything]) -> tuple[Anything, ...]:
    """What a value stands for: nothing for a field that is not there, each of its names for a tool."""
    if isinstance(value, Literally):
        return (value.value,)
    found: Anything = fields.get(value.name[0])
    for part in value.name[1:]:
        if isinstance(found, Mapping):
            found = found.get(part, found.get(FIELDS.get(part, part)))
        elif isinstance(found, list) and part.isascii() and part.isdecimal() and int(part) < len(found):
            found = found[int(part)]
        else:
            return ()
    if found is None:
        return ()
    return tool_names(canonical(found)) if value.name == ("tool",) and isinstance(found, str) else (found,)


def _is_path(field: Field) -> bool:
    return field.name in {("input", "path"), ("input", "file_path")} or (
        len(field.name) == 1 and field.name[0] in PATHS
    )


def _equal(one: Anything, other: Anything) -> bool:
    """As values of one kind, else by their texts, so that `input.timeout == "5"` holds for 5."""
    if isinstance(one, str) and isinstance(other, str):
        return one == other
    if isinstance(one, bool) or isinstance(other, bool):
        return _text(one) == _text(other)
    return one == other or _text(one) == _text(other)


def _text(value: Anything) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping | list):
        import json

        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def _globs(pattern: str, text: str, is_path: bool) -> bool:
    """A path is compared part by part, `**` being any parts; in other texts a star is any characters."""
    if is_path:
        return path_matches(pattern, text)
    return any(part_expression(each).match(text) for each in alternatives(pattern))
