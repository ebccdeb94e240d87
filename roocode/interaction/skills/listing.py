"""Tells the model which skills there are, in few words: a reminder in a message. Pure but for its text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from roocode.interaction.skills.definition import Skill
from roocode.interaction.ui.safe_text import on_one_line
from roocode.protocol.brevity import shortened

MOST = 6_000
"""Characters of the lines of all skills together: about 1,500 tokens, however many skills there are."""
LONGEST = 300
"""Characters of one description."""
SHORTEST = 24
"""What a description must keep to say anything; below that names stand alone."""
NONE_LEFT = "There are no skills any more."


@cache
def head() -> str:
    """How the list begins."""
    return (files(__package__) / "listing.md").read_text(encoding="utf-8").strip()


def listing(skills: Sequence[Skill]) -> str:
    """The list; empty where there is none."""
    if not skills:
        return ""
    texts = {skill.name: _described(skill) for skill in skills}
    room = MOST - sum(len(name) + 4 for name in texts)
    longest = _longest([len(text) for text in texts.values()], room)
    if longest < SHORTEST:
        return f"{head()}\n\n{_names(list(texts))}"
    lines = (f"- {name}: {shortened(text, longest)}" for name, text in texts.items())
    return f"{head()}\n\n" + "\n".join(lines)


def _described(skill: Skill) -> str:
    """Description, when to use it, and tags, on one line without anything unseen."""
    when = f" When: {skill.when_to_use}" if skill.when_to_use else ""
    tags = f" ({', '.join(skill.tags)})" if skill.tags else ""
    return on_one_line(f"{skill.description}{when}{tags}")


def _longest(lengths: list[int], room: int) -> int:
    """The greatest length, at most LONGEST, to which all can be cut so that they fit together."""
    low, high = 0, LONGEST
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(length, middle) for length in lengths) <= room:
            low = middle
        else:
            high = middle - 1
    return low


def _names(names: list[str]) -> str:
    kept: list[str] = []
    room = MOST
    for name in names:
        room -= len(name) + 2
        if room < 0:
            break
        kept.append(name)
    more = len(names) - len(kept)
    return ", ".join(kept) + (f" and {more} more" if more else "")
