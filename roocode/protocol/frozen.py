"""`@frozen`: what `@dataclass(frozen=True, slots=True)` makes of a class, at a quarter of its cost.

The standard decorator compiles six functions for each class. For the hundred and more classes that stand
between an agent's start and its first request this is 60 ms, a quarter of that time, and 1.4 MB in every
process of a team. Here one is compiled, `__init__`, when the first instance is made: a run makes instances of
a third of the classes that it imports. The others are shared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

T = TypeVar("T")


@overload
def frozen(kind: type[T], /) -> type[T]: ...
@overload
def frozen(*, kw_only: bool) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(kind: type[T] | None = None, /, *, kw_only: bool = False) -> Any:
    """Makes a class a frozen dataclass with slots.

    It is one to `fields`, `replace`, `asdict`, `match`, `copy`, pickle and pydantic, and from the first
    instance on to `inspect.signature`. Not supported are `InitVar`, `field(init=False)`, and bases that the
    standard decorator has frozen.
    """

    def made(plain: type[T]) -> type[T]:
        whole = dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(plain)
        for name, function in _SHARED.items():
            if name not in plain.__dict__:
                setattr(whole, name, function)
        _require_order(whole)
        whole.__init__ = _late_initialiser(whole)  # type: ignore[method-assign]
        compared = [each.name for each in fields(whole) if each.compare]  # type: ignore[arg-type]
        whole._compared = attrgetter(*(compared or ["__class__"]))  # type: ignore[attr-defined]
        return whole

    return made if kind is None else made(kind)


def _require_order(kind: Any) -> None:
    """Raises TypeError, as dataclasses do, where a field without a default follows one that has it."""
    optional = ""
    for each in fields(kind):
        if each.kw_only:
            continue
        if each.default is not MISSING or each.default_factory is not MISSING:
            optional = each.name
        elif optional:
            raise TypeError(f"non-default argument {each.name!r} follows default argument {optional!r}")


def _late_initialiser(kind: Any) -> Callable[..., None]:
    """An `__init__` that puts the compiled one in its own place when it is first called."""

    def __init__(self: Any, *values: Any, **named: Any) -> None:  # noqa: N807
        kind.__init__ = made = _initialiser(kind)
        made(self, *values, **named)

    return __init__


def _initialiser(kind: Any) -> Callable[..., None]:
    """`__init__` with a parameter for each field, in their order; made from text, as dataclasses do."""
    names: dict[str, Any] = {"__name__": kind.__module__, "_set": object.__setattr__, "_MISSING": MISSING}
    positional = [_parameter(each, names) for each in fields(kind) if not each.kw_only]
    by_name = [_parameter(each, names) for each in fields(kind) if each.kw_only]
    parameters = ", ".join(["self", *positional, *(["*"] if by_name else []), *by_name])
    body = [*map(_assignment, fields(kind)), *_after(kind)] or ["pass"]
    exec(f"def __init__({parameters}):\n " + "\n ".join(body), names)  # noqa: S102
    made: Callable[..., None] = names["__init__"]
    made.__qualname__ = f"{kind.__qualname__}.__init__"
    return made


def _parameter(each: Field[Any], names: dict[str, Any]) -> str:
    """A parameter's text; what its default needs is added to `names`."""
    if each.default_factory is not MISSING:
        names[f"_make_{each.name}"] = each.default_factory
        return f"{each.name}=_MISSING"
    if each.default is not MISSING:
        names[f"_default_{each.name}"] = each.default
        return f"{each.name}=_default_{each.name}"
    return each.name


def _assignment(each: Field[Any]) -> str:
    value = each.name
    if each.default_factory is not MISSING:
        value = f"_make_{each.name}() if {each.name} is _MISSING else {each.name}"
    return f"_set(self, {each.name!r}, {value})"


def _after(kind: Any) -> Iterator[str]:
    if hasattr(kind, "__post_init__"):
        yield "self.__post_init__()"


def _refuse(self: Any, name: str, _value: Any = None) -> NoReturn:
    raise FrozenInstanceError(f"cannot change {name!r} of a {type(self).__qualname__}")


def _equal(self: Any, other: Any) -> bool:
    if type(other) is not type(self):
        return NotImplemented  # type: ignore[no-any-return]
    return bool(self._compared(self) == other._compared(other))


def _hash(self: Any) -> int:
    return hash((type(self), self._compared(self)))


def _shown(self: Any) -> str:
    parts = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(parts)})"


def _state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for each, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)


_SHARED = {
    "__setattr__": _refuse,
    "__delattr__": _refuse,
    "__eq__": _equal,
    "__hash__": _hash,
    "__repr__": _shown,
    "__getstate__": _state,
    "__setstate__": _restore,
}
