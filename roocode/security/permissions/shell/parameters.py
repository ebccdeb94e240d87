"""What `${…}` becomes, for values that are known (Bash manual 3.5.3); for others, anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, TypeAlias

from roocode.protocol.frozen import frozen
from roocode.security.permissions.shell.cursor import Cursor, Unfinished
from roocode.security.permissions.shell.numbers import natural
from roocode.security.permissions.shell.patterns import matches, replaced, without_prefix, without_suffix
from roocode.security.permissions.shell.pieces import read_word
from roocode.security.permissions.shell.reader import script_end
from roocode.security.permissions.shell.state import State
from roocode.security.permissions.shell.values import ANYTHING, EMPTY, UNKNOWN, Field, Fields, Value, either

_OPERATORS = (
    ":-", ":=", ":+", ":?", "##", "%%", "//", "/#", "/%", "^^", ",,",
    "-", "=", "+", "?", "#", "%", "/", "^", ",", "@", ":",
)  # fmt: skip

Role: TypeAlias = Literal["default", "pattern", "text"]
"""What an operand is: quotes mean something else in the default of a quoted `"${a:-b}"`."""

Operand = Callable[[str, Role], Value]


@frozen
class Expression:
    """`${name[index]operator operand}`; `prefix` is `#` for a length and `!` for one more step of look-up."""

    name: str
    index: str = ""
    operator: str = ""
    operand: str = ""
    prefix: str = ""


def parse_expression(text: str) -> Expression | None:
    """The parts of what stands between the braces, or None where it is no parameter."""
    prefix = ""
    if len(text) > 1 and text[0] in "#!" and (text[1].isalnum() or text[1] in "_@*"):
        prefix, text = text[0], text[1:]
    end = _name_end(text)
    if not end:
        return None
    name, rest, index = text[:end], text[end:], ""
    if rest.startswith("["):
        index, bracket, rest = rest[1:].partition("]")
        if not bracket:
            return None
    operator = next((operator for operator in _OPERATORS if rest.startswith(operator)), "")
    if rest and not operator:
        return None
    return Expression(name, index, operator, rest[len(operator) :], prefix)


def _name_end(text: str) -> int:
    if not text:
        return 0
    if text[0] in "@*#?-$!":
        return 1
    end = 0
    numeric = text[0].isdigit()
    while (
        end < len(text) and text[end].isascii() and (text[end].isdigit() if numeric else _in_name(text[end]))
    ):
        end += 1
    return end


def _in_name(character: str) -> bool:
    return character.isalnum() or character == "_"


def evaluate(expression: Expression, state: State, operand: Operand) -> Value | Fields:
    """What the expression may become. `operand(text, role)` expands the word behind the operator.

    Sets the variable for `=`, which is why an operand must be expanded only where Bash does.
    """
    value = _base(expression, state)
    if expression.prefix == "#":
        return tuple(field.with_text(str(len(field.text)) if field.known else UNKNOWN) for field in value)
    match expression.operator:
        case "":
            return value
        case ":-" | "-":
            return _default(value, expression, operand(expression.operand, "default"))
        case ":=" | "=":
            result = _default(value, expression, operand(expression.operand, "default"))
            state.variables[expression.name] = result
            return result
        case ":+" | "+":
            return _alternative(value, expression, operand(expression.operand, "default"))
        case ":?" | "?":
            operand(expression.operand, "default")
            return value
        case "#" | "##" | "%" | "%%":
            return _trimmed(value, expression.operator, operand(expression.operand, "pattern"))
        case "/" | "//" | "/#" | "/%":
            return _substituted(value, expression, operand)
        case ":":
            return _sliced(value, operand(expression.operand, "text"))
        case "^" | "^^" | "," | ",,":
            return _cased(value, expression.operator, operand(expression.operand, "pattern"))
        case _:
            return value if expression.operand in ("Q", "E", "P") else ANYTHING


def _base(expression: Expression, state: State) -> Value:
    value = state.value(expression.name)
    index = natural(expression.index)
    if index is not None and expression.name in state.arrays:
        value = state.arrays[expression.name][index:][:1] or EMPTY
    if expression.prefix == "!":
        names = [field.text for field in value if field.known]
        return either(ANYTHING, *(state.value(name) for name in names))
    return value


def _default(value: Value, expression: Expression, instead: Value) -> Value:
    kept = tuple(field for field in value if _is_given(field, expression))
    if len(kept) == len(value) and all(field.known for field in value):
        return value
    return either(kept, instead) if _texts(kept) else either(instead, kept)


def _alternative(value: Value, expression: Expression, instead: Value) -> Value:
    given = [_is_given(field, expression) for field in value]
    if not all(field.known for field in value):
        return either(EMPTY, instead)
    return either(instead if any(given) else (), EMPTY if not all(given) else ())


def _is_given(field: Field, expression: Expression) -> bool:
    """Whether the operator takes what the variable holds: without a colon, an empty text counts too.

    A positional parameter that is empty here is not set at all.
    """
    empty_counts = not expression.operator.startswith(":") and natural(expression.name) is None
    return bool(field.text) or (empty_counts and not field.guessed)


def _is_text(field: Field) -> bool:
    """Whether the text is all there, be it a guess."""
    return UNKNOWN not in field.text and not field.endless


def _texts(value: Value) -> list[str]:
    return [field.text for field in value if field.known]


def _trimmed(value: Value, operator: str, patterns: Value) -> Value:
    trim = without_prefix if operator[0] == "#" else without_suffix
    results: list[Field] = []
    for field in value:
        if not _is_text(field) or not all(pattern.known for pattern in patterns):
            results.append(field.with_text(UNKNOWN))
            continue
        for pattern in _texts(patterns):
            text = trim(field.text, pattern, longest=len(operator) == 2)
            results.append(field.with_text(UNKNOWN if text is None else text))
    return either(tuple(results))


def _substituted(value: Value, expression: Expression, operand: Operand) -> Value:
    pattern, instead = split_operand(expression)
    patterns, replacements = operand(pattern, "pattern"), operand(instead, "text")
    results: list[Field] = []
    for field in value:
        if not (_is_text(field) and all(option.known for option in (*patterns, *replacements))):
            results.append(field.with_text(UNKNOWN))
            continue
        for old in _texts(patterns):
            for new in _texts(replacements):
                text = _replaced(field.text, expression.operator, old, new)
                results.append(field.with_text(UNKNOWN if text is None else text))
    return either(tuple(results))


def split_operand(expression: Expression) -> tuple[str, str]:
    """The pattern and the replacement of `${name/pattern/replacement}`, parted at the first bare slash.

    A slash in front belongs to the pattern, but not behind `/#` and `/%`.
    """
    text = expression.operand
    slash = text.startswith("/") and expression.operator in ("/", "//")
    cursor = Cursor(text, int(slash), script_end)
    try:
        read_word(cursor, stops=frozenset("/"))
    except Unfinished:
        return text, ""
    return text[: cursor.at], text[cursor.at + 1 :]


def _replaced(text: str, operator: str, old: str, new: str) -> str | None:
    if not text and old:
        return new if matches("", old) else ""
    if not old and operator in ("/#", "/%"):
        return new + text if operator == "/#" else text + new
    if operator == "/#":
        rest = without_prefix(text, old, longest=True)
        return text if rest == text or rest is None else new + rest
    if operator == "/%":
        rest = without_suffix(text, old, longest=True)
        return text if rest == text or rest is None else rest + new
    return replaced(text, old, new, everywhere=operator == "//")


def _sliced(value: Value, bounds: Value) -> Value:
    results: list[Field] = []
    for field in value:
        for bound in bounds:
            if not _is_text(field) or not bound.known:
                results.append(field.with_text(UNKNOWN))
                continue
            numbers = [_number(part) for part in bound.text.split(":")]
            results.append(field.with_text(_slice(field.text, numbers)))
    return either(tuple(results))


def _slice(text: str, numbers: list[int | None]) -> str:
    start = numbers[0]
    length = numbers[1] if len(numbers) > 1 else len(text)
    if start is None or length is None or len(numbers) > 2:
        return UNKNOWN
    start = start if start >= 0 else max(len(text) + start, 0)
    end = start + length if length >= 0 else len(text) + length
    return text[start:end]


def _number(text: str) -> int | None:
    text = text.strip() or "0"
    try:
        return int(text) if len(text) < 12 else None
    except ValueError:
        return None


def _cased(value: Value, operator: str, patterns: Value) -> Value:
    """Upper or lower case for the first letter or all, but only where the letter fits the pattern."""
    change = str.upper if operator[0] == "^" else str.lower
    results: list[Field] = []
    for field in value:
        for pattern in patterns:
            if not pattern.known:
                results.append(field.with_text(UNKNOWN))
                continue
            count = len(field.text) if len(operator) == 2 else 1
            letters = (
                change(each) if matches(each, pattern.text or "?") else each for each in field.text[:count]
            )
            results.append(replace(field, text="".join(letters) + field.text[count:]))
    return either(tuple(results))
