"""Tells options from operands, as getopt does."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from roocode.security.permissions.shell.values import Field, Fields


@dataclass(slots=True)
class Parsed:
    """Options with their values, in order, and the operands; `ended` where `--` stood."""

    options: list[tuple[str, Field | None]] = field(default_factory=list)
    operands: list[Field] = field(default_factory=list)
    ended: bool = False

    def has(self, *names: str) -> bool:
        """Whether one of these options is given."""
        return any(name in names for name, _ in self.options)

    def values(self, *names: str) -> list[Field]:
        """The values of these options."""
        return [value for name, value in self.options if name in names and value is not None]


def parse_options(
    arguments: Sequence[Field], with_value: Collection[str] = (), *, leading: bool = False
) -> Parsed:
    """Splits arguments into options and operands.

    `with_value` names the options that take a value: `-o`, `--output`. Clusters (`-rf`), values in the same
    word (`-oX`, `--output=X`) and `--` are understood. With `leading`, everything behind the first operand
    is one.
    """
    parsed = Parsed()
    pending = list(arguments)
    at = 0
    while at < len(pending):
        argument = pending[at]
        text = argument.text
        at += 1
        if text == "--":
            parsed.ended = True
            parsed.operands.extend(pending[at:])
            break
        if text.startswith("--"):
            name, equals, value = text.partition("=")
            if equals:
                parsed.options.append((name, argument.with_text(value)))
            elif name in with_value and at < len(pending):
                parsed.options.append((name, pending[at]))
                at += 1
            else:
                parsed.options.append((name, None))
        elif text.startswith("-") and len(text) > 1:
            at += _short(parsed, argument, pending[at] if at < len(pending) else None, with_value)
        else:
            parsed.operands.append(argument)
            if leading:
                parsed.operands.extend(pending[at:])
                break
    return parsed


def _short(parsed: Parsed, argument: Field, following: Field | None, with_value: Collection[str]) -> int:
    text = argument.text
    for position in range(1, len(text)):
        name = "-" + text[position]
        if name not in with_value:
            parsed.options.append((name, None))
        elif position + 1 < len(text):
            parsed.options.append((name, argument.with_text(text[position + 1 :])))
            return 0
        else:
            parsed.options.append((name, following))
            return 1
    return 0


def behind_options(arguments: Fields, with_value: Collection[str] = ()) -> Fields:
    """What stands behind the leading options: a wrapper's own operands and the command it runs."""
    return tuple(parse_options(arguments, with_value, leading=True).operands)
