"""What `/name arguments` calls beyond RooCode's own commands: skills, commands in files, servers' prompts."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Protocol

from roocode.protocol.frozen import frozen

MOST_LISTED = 40


@frozen
class Invocable:
    """Something to call: what it takes and what it does, each on one line; `also` are names in its place."""

    name: str
    takes: str = ""
    does: str = ""
    also: tuple[str, ...] = ()


@frozen
class Invoked:
    """What a call says to the model, beside the person's own words."""

    text: str


class Invocations(Protocol):
    """Where things to call come from."""

    def names(self) -> tuple[Invocable, ...]:
        """What there is now."""
        ...

    async def prompt(self, name: str, arguments: str) -> Invoked | None:
        """What a call says to the model; None where there is nothing of this name. Raises RooCodeError."""
        ...


class AllInvocations:
    """Several sources as one: the first that has a name wins."""

    def __init__(self, *sources: Invocations) -> None:
        self._sources = sources

    def add(self, source: Invocations) -> None:
        """Another source, behind those that there are."""
        self._sources = (*self._sources, source)

    def names(self) -> tuple[Invocable, ...]:
        """What there is now, by name."""
        found: dict[str, Invocable] = {}
        for source in self._sources:
            for each in source.names():
                found.setdefault(each.name, each)
        return tuple(found[name] for name in sorted(found))

    def knows(self, name: str) -> bool:
        """Whether a name, in any case, or an alias is one of something that can be called."""
        wanted = name.lower()
        return any(wanted in (each.name.lower(), *each.also) for each in self.names())

    async def prompt(self, name: str, arguments: str) -> Invoked | None:
        """Of the first source that has it."""
        for source in self._sources:
            if (invoked := await source.prompt(name, arguments)) is not None:
                return invoked
        return None


def near(name: str, among: Sequence[Invocable], others: Sequence[str]) -> tuple[str, ...]:
    """The names that are most like one that does not exist."""
    names = {each.lower(): each for each in (*others, *(each.name for each in among))}
    return tuple(names[each] for each in get_close_matches(name.lower(), names, n=3))
