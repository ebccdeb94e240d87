"""Commands out of what was read alone, for lines that the grammar does not understand: one after another."""

from __future__ import annotations

from collections.abc import Sequence as Many

from roocode.security.permissions.shell.cursor import is_name
from roocode.security.permissions.shell.reading import Group, Reading, Redirection
from roocode.security.permissions.shell.syntax import (
    Assignment,
    Background,
    Node,
    Pipeline,
    Redirect,
    Sequence,
    Simple,
    Text,
    Word,
)

_PIPES = ("|", "|&")


def simple(group: Group) -> Simple:
    """The command that a group of words is."""
    assignments: list[Assignment] = []
    words = [part.word for part in group.parts]
    while words and (assignment := assigned(words[0])):
        assignments.append(assignment)
        del words[0]
    return Simple(tuple(assignments), tuple(words), redirects(group))


def redirects(group: Group) -> tuple[Redirect, ...]:
    """The redirections of a group, in their order."""
    return tuple(_redirect(found) for found in group.redirects)


def assigned(word: Word) -> Assignment | None:
    """The word as an assignment, or None where it is none."""
    first = word.pieces[0] if word.pieces else None
    if not isinstance(first, Text) or first.quoted:
        return None
    left, equals, value = first.value.partition("=")
    appends = left.endswith("+")
    name, bracket, index = left.removesuffix("+").partition("[")
    if not equals or not is_name(name) or (bracket and not index.endswith("]")):
        return None
    rest = (Text(value), *word.pieces[1:]) if value else word.pieces[1:]
    source = word.source[word.source.index("=") + 1 :]
    return Assignment(name, Word(source, rest), appends, index.removesuffix("]"))


def longest_pipeline(reading: Reading) -> int:
    """The most commands that follow each other through pipes."""
    longest = length = 1
    for group in reading.groups:
        length = length + 1 if group.before in _PIPES else 1
        longest = max(longest, length)
    return longest


def flat(reading: Reading) -> Node:
    """All commands of a reading in their order, pipelines and `&` kept; what is nested stands in line."""
    items: list[Node] = []
    stages: list[Node] = []
    for group in reading.groups:
        if group.before in _PIPES and not stages and items:
            stages = [_line(items)]
            items = []
        stages.append(simple(group))
        if group.after in _PIPES:
            continue
        node = stages[0] if len(stages) == 1 else Pipeline(tuple(stages))
        items.append(Background(node) if group.after == "&" else node)
        stages = []
    if stages:
        items.append(Pipeline(tuple(stages)))
    return _line(items)


def _line(items: Many[Node]) -> Node:
    return items[0] if len(items) == 1 else Sequence(tuple(items))


def _redirect(found: Redirection) -> Redirect:
    return Redirect(found.operator, found.descriptor, found.body or found.target.word)
