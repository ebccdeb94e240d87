"""What a word or a stream may be when the line runs: texts known in part, with where they came from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from roocode.protocol.frozen import frozen

UNKNOWN = "\0"
"""Stands in a text for a stretch that cannot be known; no argument of a program can hold this character."""

MOST_OPTIONS = 2000
LONGEST = 262_144


@frozen
class Field:
    """One argument, or the content of one variable or stream.

    `spelling` is how the line spells it. `live`: wildcards in it are not quoted. `network`: it came, or may
    have come, from another machine. `guessed`: a variable that the line does not set was taken as empty.
    `some`: it stands for some of the files that it matches, not for all. `hidden`: it came out of a decoder
    that was not followed. `endless`: there are more possibilities than are followed, so the worst is
    assumed.
    """

    text: str
    spelling: str = ""
    live: bool = False
    quoted: bool = False
    network: bool = False
    guessed: bool = False
    some: bool = False
    hidden: bool = False
    endless: bool = False

    @property
    def known(self) -> bool:
        """Whether the text is all there and stands for itself."""
        return UNKNOWN not in self.text and not self.guessed and not self.endless

    def joined(self, other: Field) -> Field:
        """This and another in one word."""
        return laid_together((self, other))

    def with_text(self, text: str) -> Field:
        """The same with another text."""
        if len(text) > LONGEST:
            return replace(self, text=UNKNOWN, endless=True)
        return replace(self, text=text)


def laid_together(fields: Sequence[Field], separator: str = "") -> Field:
    """The fields as one, with the separator between each two."""
    if len(fields) == 1:
        return fields[0]
    text = separator.join(field.text for field in fields)
    endless = len(text) > LONGEST or any(field.endless for field in fields)
    return Field(
        UNKNOWN if len(text) > LONGEST else text,
        fields[0].spelling if fields else "",
        live=any(field.live for field in fields),
        quoted=any(field.quoted for field in fields),
        network=any(field.network for field in fields),
        guessed=any(field.guessed for field in fields),
        some=any(field.some for field in fields),
        hidden=any(field.hidden for field in fields),
        endless=endless,
    )


Value: TypeAlias = tuple[Field, ...]
"""The contents that a variable or a stream may have, one of them."""

Fields: TypeAlias = tuple[Field, ...]
"""Arguments, one after another."""

ANYTHING: Value = (Field(UNKNOWN),)
EMPTY: Value = (Field(""),)
ENDLESS = Field(UNKNOWN, endless=True)


def unset() -> Value:
    """What a variable holds that the line does not set: it may be in the environment or empty."""
    return (Field(UNKNOWN), Field("", guessed=True))


def from_elsewhere(sources: Iterable[Field]) -> Value:
    """What a program may write that was given these and is not followed."""
    kept = [source for source in sources if source.network or source.hidden or source.endless]
    return (
        Field(
            UNKNOWN,
            network=any(source.network for source in kept),
            hidden=any(source.hidden for source in kept),
            endless=any(source.endless for source in kept),
        ),
    )


def either(*values: Value) -> Value:
    """What may be one of several values, without repetition."""
    seen = dict.fromkeys(field for value in values for field in value)
    return tuple(seen) if len(seen) <= MOST_OPTIONS else (*list(seen)[:MOST_OPTIONS], ENDLESS)


def products(choices: Sequence[Sequence[Fields]]) -> list[Fields]:
    """Every way to take one of each, in order, laid end to end; one endless field where they are too many.

    Guesses are not combined with each other: in one more way all variables are guessed at once.
    """
    sure = [[way for way in ways if not _guessed(way)] or list(ways[:1]) for ways in choices]
    total = 1
    for ways in sure:
        total *= len(ways)
        if total > MOST_OPTIONS:
            return [(ENDLESS,)]
    lists: list[list[Field]] = [[]]
    for ways in sure:
        if len(ways) == 1:
            for each in lists:
                each.extend(ways[0])
        else:
            lists = [[*before, *fields] for before in lists for fields in ways]
    found = [tuple(each) for each in lists]
    if any(_guessed(way) for ways in choices for way in ways):
        found.append(tuple(field for ways in choices for field in _guess(ways)))
    return found


def _guessed(way: Fields) -> bool:
    return any(field.guessed for field in way)


def _guess(ways: Sequence[Fields]) -> Fields:
    return next((way for way in ways if _guessed(way)), ways[0] if ways else ())


def concatenated(values: Sequence[Value]) -> Value:
    """What streams written one after another may hold together."""
    written = [value for value in values if value not in (EMPTY, ())]
    if not written:
        return EMPTY
    ways = products([[(field,) for field in value] for value in written])
    return either(tuple(laid_together(way) for way in ways))
