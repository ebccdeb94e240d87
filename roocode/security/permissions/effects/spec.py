"""How a program's options and operands are to be read, and the proof that a call of it only reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from roocode.protocol.frozen import frozen
from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.patterns import is_live
from roocode.security.permissions.shell.values import Field, Fields

Kind: TypeAlias = Literal["text", "read", "write", "url"]
Proof: TypeAlias = "Callable[[Call, Parts], str]"


@frozen
class Effect:
    """What a call does. `unproven` says why it may do more than read, "" where it provably only reads."""

    unproven: str
    reads: Fields = ()
    writes: Fields = ()


@frozen
class Spec:
    """One program.

    `flags` and `values` are the options that are known to be harmless, the latter with the kind of their
    value; whatever else stands in a call makes it unproven. `leading` are the kinds of the first operands,
    `operands` that of the others and `last` that of the last one, where it differs. `most`: more operands
    are unproven. `here`: with no path it reads the directory. `numbers`: `-20` is an option. `loose`: no
    option does harm, so an operand that is not known may turn out as one. `single`: long options have one
    dash. `writes` names what it does but read, "" for a program that can only read. `further` checks what
    options do not say.
    """

    flags: frozenset[str] = frozenset()
    values: Mapping[str, Kind] = field(default_factory=dict)
    leading: tuple[Kind, ...] = ()
    operands: Kind = "read"
    last: Kind | None = None
    most: int | None = None
    here: bool = False
    numbers: bool = False
    loose: bool = False
    single: bool = False
    writes: str = ""
    further: Proof | None = None
    lifts_leading: frozenset[str] = frozenset()


@dataclass(slots=True)
class Parts:
    """A call's arguments as its spec reads them; `strange` are options that are not on the list."""

    options: list[tuple[str, Field | None]] = field(default_factory=list)
    operands: list[Field] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)
    doubtful: bool = False
    ended: bool = False

    def has(self, *names: str) -> bool:
        """Whether one of these options is given."""
        return any(name in names for name, _ in self.options)


def judge(call: Call, spec: Spec) -> Effect:
    """Reads a call by a spec."""
    parts = take_apart(call.arguments, spec)
    kinds = _operand_kinds(parts, spec)
    paths = list(zip(parts.operands, kinds, strict=True))
    paths += [(value, spec.values[name]) for name, value in parts.options if value and name in spec.values]
    reads = [path for path, kind in paths if kind == "read" and path.text != "-"]
    writes = [path for path, kind in paths if kind == "write" and path.text != "-"]
    if spec.here and not any(kind == "read" for kind in kinds):
        reads.append(Field(".", "."))
    return Effect(_unproven(call, spec, parts), tuple(reads), tuple(writes))


def _unproven(call: Call, spec: Spec, parts: Parts) -> str:
    if spec.writes:
        return spec.writes
    if spec.further and (trouble := spec.further(call, parts)):
        return trouble
    if parts.strange:
        return f"{call.name}: the option {parts.strange[0]} is not known to be harmless"
    if spec.most is not None and (
        len(parts.operands) > spec.most
        or any(operand.live or not operand.known for operand in parts.operands)
    ):
        return f"{call.name}: more operands than it reads"
    if parts.doubtful and not spec.loose:
        return f"{call.name}: an argument may turn out as an option"
    return ""


def _operand_kinds(parts: Parts, spec: Spec) -> list[Kind]:
    leading = () if spec.lifts_leading & {name for name, _ in parts.options} else spec.leading
    kinds: list[Kind] = list(leading[: len(parts.operands)])
    kinds += [spec.operands] * (len(parts.operands) - len(kinds))
    if spec.last and len(kinds) > len(leading):
        kinds[-1] = spec.last
    return kinds


def take_apart(arguments: Sequence[Field], spec: Spec) -> Parts:
    """Options and operands as the program itself tells them apart."""
    parts = Parts()
    at = 0
    while at < len(arguments):
        argument = arguments[at]
        following = arguments[at + 1] if at + 1 < len(arguments) else None
        at += 1
        text = argument.text
        if parts.ended or text in ("-", "") or not text.startswith("-"):
            parts.doubtful = parts.doubtful or (not parts.ended and _may_be_option(argument))
            parts.operands.append(argument)
        elif text == "--":
            parts.ended = True
        elif not argument.known or (argument.live and not _is_live_in_value(text)):
            parts.strange.append(argument.spelling or text)
        elif spec.numbers and text[1:].isascii() and text[1:].isdigit():
            parts.options.append((text, None))
        elif text.startswith("--") or spec.single:
            at += _long(parts, argument, following, spec)
        else:
            at += _short(parts, argument, following, spec)
    return parts


def _is_live_in_value(text: str) -> bool:
    """`--include=*.py`: whatever the wildcard turns into, the option stays."""
    name, equals, _ = text.partition("=")
    return bool(equals) and name.startswith("--") and not is_live(name)


def _may_be_option(argument: Field) -> bool:
    return argument.text[:1] in ("\0", "*", "?", "[") and (argument.live or not argument.known)


def _long(parts: Parts, argument: Field, following: Field | None, spec: Spec) -> int:
    name, equals, value = argument.text.partition("=")
    if equals and f"{name}=" in spec.flags:
        parts.options.append((name, None))
    elif equals and name in spec.values:
        parts.options.append((name, argument.with_text(value)))
    elif not equals and name in spec.flags:
        parts.options.append((name, None))
    elif not equals and name in spec.values:
        return _taken(parts, name, following)
    else:
        parts.strange.append(name)
    return 0


def _taken(parts: Parts, name: str, following: Field | None) -> int:
    """Takes the next argument as an option's value; what a wildcard there matches goes on behind it."""
    parts.options.append((name, following))
    if following and following.live:
        parts.operands.append(following)
        parts.doubtful = parts.doubtful or _may_be_option(following)
    return 1


def _short(parts: Parts, argument: Field, following: Field | None, spec: Spec) -> int:
    text = argument.text
    for position in range(1, len(text)):
        name = "-" + text[position]
        rest = text[position + 1 :]
        if f"{name}=" in spec.flags:
            parts.options.append((name, argument.with_text(rest)))
            return 0
        if name in spec.flags:
            parts.options.append((name, None))
        elif name in spec.values:
            if not rest:
                return _taken(parts, name, following)
            parts.options.append((name, argument.with_text(rest)))
            return 0
        else:
            parts.strange.append(name)
    return 0


def reader(flags: str = "", text: str = "", read: str = "", **more: Any) -> Spec:
    """A spec of a program that only reads; `text` and `read` are its options with such a value."""
    values: dict[str, Kind] = dict.fromkeys(text.split(), "text")
    values.update(dict.fromkeys(read.split(), "read"))
    return Spec(frozenset(flags.split()), values, **more)


def changer(does: str, text: str = "", read: str = "", write: str = "", **more: Any) -> Spec:
    """A spec of a program that changes something; it says which operands are paths."""
    values: dict[str, Kind] = dict.fromkeys(text.split(), "text")
    values.update(dict.fromkeys(read.split(), "read"))
    values.update(dict.fromkeys(write.split(), "write"))
    return Spec(values=values, writes=does, **more)
