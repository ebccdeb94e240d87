"""What a note is, and how it stands in its file. Pure."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Literal, TypeAlias, get_args

from roocode.protocol import front_matter
from roocode.protocol.brevity import in_brief
from roocode.protocol.frozen import frozen

Kind: TypeAlias = Literal["user", "feedback", "project", "reference"]

KINDS: tuple[Kind, ...] = get_args(Kind)
OF_THE_PERSON: frozenset[Kind] = frozenset({"user", "feedback"})
"""Kinds that follow the person from project to project; the others belong to the project."""
SIMILAR = 0.9
"""From this share of equal text on, two notes of one kind say the same."""
LONGEST_NAME = 60
LONGEST_LINE = 160


@frozen
class Note:
    """One note: a short name, its kind, and what it says."""

    name: str
    kind: Kind
    text: str

    @property
    def file(self) -> str:
        """The name of its file: kind and name in letters, digits and hyphens."""
        slug = re.sub(r"[^\w]+", "-", self.name.casefold()).strip("-_")[:LONGEST_NAME] or "note"
        return f"{self.kind}-{slug}.md"

    @property
    def line(self) -> str:
        """What it says, in one line for an index."""
        return in_brief(self.text, LONGEST_LINE)


def written(note: Note) -> str:
    """The file's text: name and kind as front matter, then the words."""
    name = note.name.replace('"', "'").replace("\n", " ")
    return f'---\nname: "{name}"\ntype: {note.kind}\n---\n\n{note.text.strip()}\n'


def read(text: str) -> Note | None:
    """The note in a file's text; None where it is none of ours."""
    head, body = front_matter.split(text)
    fields = dict(re.findall(r"^(\w+):[ \t]*(.*?)[ \t]*$", head, re.MULTILINE))
    kind = next((each for each in KINDS if each == fields.get("type", "").strip("\"'")), None)
    name = fields.get("name", "").strip("\"'")
    return Note(name, kind, body.strip()) if kind and name and body.strip() else None


def same(one: Note, other: Note) -> bool:
    """Whether two notes are about the same: the same name, or nearly the same words."""
    if one.kind != other.kind:
        return False
    if one.file == other.file:
        return True
    mine, theirs = (" ".join(note.text.casefold().split()) for note in (one, other))
    matcher = SequenceMatcher(None, mine, theirs, autojunk=False)
    return matcher.quick_ratio() >= SIMILAR and matcher.ratio() >= SIMILAR


def index(notes: tuple[Note, ...]) -> str:
    """The index of a directory of notes, a line each."""
    lines = [f"- [{note.name}]({note.file}) ({note.kind}): {note.line}" for note in notes]
    return "\n".join(["# Notes", "", *lines, ""])
