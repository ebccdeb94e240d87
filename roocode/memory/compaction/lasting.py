"""What a person said that outlives the session, taken out of a summary: their own words only. Pure.

A model chooses the words; that they are the person's is checked against what the person said. So no text of a
file, a tool or another agent can become a note, whatever a model was led to write.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from roocode.memory.notes.note import KINDS, Kind
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message

HEADING = "## Lasting facts"
MOST = 5
SHORTEST = 8
LONGEST = 500
LONGEST_SAID = 2_000
"""Characters of a message that is still taken for what a person said: longer ones are mostly pasted."""
_SECTION = re.compile(rf"^{HEADING}[ \t]*$(.*?)(?=^#|\Z)", re.MULTILINE | re.DOTALL)
_LINE = re.compile(r"^[-*] *(\w+) *\| *([^|\n]+?) *\| *[\"“](.+)[\"”] *$", re.MULTILINE)
_NAME = re.compile(r"\w[\w '’-]{0,39}")
_MASKED = "[secret:"


@frozen
class Fact:
    """Words of the person, with the kind and the short name that a model gave them."""

    kind: Kind
    name: str
    words: str


def split(summary: str) -> tuple[str, tuple[Fact, ...]]:
    """A summary without its section of lasting facts, and those of them that can be read."""
    found = tuple(fact for section in _SECTION.findall(summary) for fact in _read(section))
    return _SECTION.sub("", summary).strip(), found


def said(facts: Iterable[Fact], messages: Iterable[Message]) -> tuple[Fact, ...]:
    """The first few facts whose words the person wrote, in one of these messages, as they wrote them."""
    spoken = [m.spoken for m in messages if m.role == "user" and len(m.spoken) <= LONGEST_SAID]
    kept: dict[str, Fact] = {}
    for fact in facts:
        if any(_plain(fact.words) in _plain(text) for text in spoken):
            kept.setdefault(_plain(fact.words), fact)
    return tuple(kept.values())[:MOST]


def _read(section: str) -> Iterator[Fact]:
    for given, name, words in _LINE.findall(section):
        kind = next((each for each in KINDS if each == given.casefold()), None)
        fits = SHORTEST <= len(words) <= LONGEST and _MASKED not in words
        if kind and fits and _NAME.fullmatch(name):
            yield Fact(kind, name, words.strip())


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
