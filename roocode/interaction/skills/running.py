"""What a loaded skill leaves behind: a narrowing for a while, its own tools, and a text to keep.

A narrowing holds until the next outside input: the person's next prompt, or mail to a teammate. It only takes
away. Texts are kept for summaries. Both are in the session's log, so that a session that goes on in the
middle of a turn is as narrow as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Protocol

from roocode.interaction.skills.definition import Skill
from roocode.interaction.skills.own_tools import OwnTool
from roocode.memory.compaction.size import BYTES_PER_TOKEN, tokens_in
from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool
from roocode.security.guard import GuardedToolset
from roocode.security.permissions.narrowing import narrowing
from roocode.security.permissions.path_rules import literal
from roocode.security.permissions.policy import Narrowing

LONGEST_KEPT = 5_000
MOST_KEPT = 25_000
"""Tokens of one skill's text, and of all together, that survive a summary; the oldest go first."""
KEPT_SHARE = 4
"""All together have at most this part of the model's window."""
COMPANIONS: Mapping[str, tuple[str, ...]] = {"Bash": ("BashOutput", "KillShell")}
"""What goes with a tool: whoever may start a command may look at it and end it."""


class Log(Protocol):
    """A session's log."""

    def note(self, kind: str, /, **fields: object) -> None:
        """Records something beside the conversation."""
        ...


@frozen
class Kept:
    """A skill that was loaded; `allowed` while its narrowing holds, None where there is none."""

    name: str
    text: str
    allowed: tuple[str, ...] | None = None


class Running:
    """The loaded skills of one agent. `toolset` is set once it is there; `window` is the model's, in tokens.

    `tool_of` makes a tool of what a skill says of one.
    """

    def __init__(self, log: Log, tool_of: Callable[[OwnTool, Skill], Tool | None]) -> None:
        self.toolset: GuardedToolset | None = None
        self.window = 200_000
        self.kept: tuple[Kept, ...] = ()
        self._log = log
        self._tool_of = tool_of
        self._own: tuple[Narrowing, ...] = ()
        self._offered: dict[str, OwnTool] = {}

    def begin(self, skill: Skill) -> tuple[str, ...]:
        """Narrows what may be called to what the skill says, and offers its tools; notes for the model."""
        notes = self._offer(skill)
        allowed = allowed_by(skill)
        if allowed is None:
            return notes
        self._narrow((*self._own, narrowing(_by(skill.name), allowed)))
        told = ", ".join(skill.allowed or ()) or "none"
        return (
            f"Until the next prompt only these tools may be called: {told}. Calls of others are denied.",
            *notes,
        )

    @contextmanager
    def within(self, skill: Skill) -> Iterator[None]:
        """As narrow as the skill says, until the block is left."""
        before, allowed = self._own, allowed_by(skill)
        if allowed is not None:
            self._narrow((*before, narrowing(_by(skill.name), allowed)))
        try:
            yield
        finally:
            self._narrow(before)

    def keep(self, skill: Skill, text: str) -> None:
        """Keeps the text of a skill for summaries; the newest of a name counts."""
        kept = Kept(skill.name, text, allowed_by(skill))
        self._log.note("skill", **as_record(kept))
        self.kept = (*(each for each in self.kept if each.name != skill.name or each.allowed), kept)

    def release(self) -> None:
        """Outside input came: narrowings end."""
        if self._own:
            self._narrow(())
        if any(each.allowed is not None for each in self.kept):
            self._log.note("skills_over")
            self.kept = tuple(replace(each, allowed=None) for each in self.kept)

    def restore(self, records: Iterable[Mapping[str, Any]], skills: Callable[[str], Skill | None]) -> None:
        """Takes up what a log holds, and what the skills that are still there offer."""
        self.kept = tuple(from_record(record) for record in records)
        self._narrow(
            tuple(narrowing(_by(each.name), each.allowed) for each in self.kept if each.allowed is not None)
        )
        for name in dict.fromkeys(each.name for each in self.kept):
            if (skill := skills(name)) is not None:
                self._offer(skill)

    def pinned(self) -> tuple[str, ...]:
        """The texts that a summary must not lose, the newest last."""
        room = min(MOST_KEPT, self.window // KEPT_SHARE)
        chosen: dict[str, str] = {}
        for each in reversed(self.kept):
            if each.name in chosen:
                continue
            text = _shortened(each.text, min(LONGEST_KEPT, room))
            room -= tokens_in(text)
            if room < 0 or not text:
                break
            chosen[each.name] = f"The skill {each.name}, which was loaded earlier:\n{text}"
        return tuple(reversed(chosen.values()))

    def _narrow(self, narrowings: tuple[Narrowing, ...]) -> None:
        if self.toolset is None:
            return
        policy = self.toolset.policy
        others = tuple(each for each in policy.narrowings if not any(each is own for own in self._own))
        self.toolset.policy = replace(policy, narrowings=(*others, *narrowings))
        self._own = narrowings

    def tools_of(self, skill: Skill) -> tuple[Tool, ...]:
        """The skill's own tools, for an agent of its own."""
        return tuple(tool for own in skill.tools if (tool := self._tool_of(own, skill)) is not None)

    def _offer(self, skill: Skill) -> tuple[str, ...]:
        """Puts the skill's tools behind the guard; a tool that is there keeps its name."""
        notes = []
        for own in skill.tools:
            tool = self._tool_of(own, skill)
            if tool is None or self.toolset is None:
                notes.append(f"Its tool {own.name} is not to be had here: there is no shell.")
            elif not self.toolset.knows(own.name):
                self.toolset.take_in((tool,))
                self.toolset.offer((own.name,))
                self._offered[own.name] = own
            elif self._offered.get(own.name) != own:
                notes.append(f"Its tool {own.name} is not offered: there is another one of this name.")
        return tuple(notes)


def allowed_by(skill: Skill) -> tuple[str, ...] | None:
    """The tools of a skill as rules: those it names, its own, and reading its own files; None for all."""
    if skill.allowed is None:
        return None
    beside = (name for tool in skill.allowed for name in COMPANIONS.get(tool, ()))
    files = (f"ReadFile(/{literal(str(skill.folder))}/**)",) if skill.folder is not None else ()
    return tuple(dict.fromkeys([*skill.allowed, *beside, *(tool.name for tool in skill.tools), *files]))


def as_record(kept: Kept) -> dict[str, Any]:
    """The fields of its record in a log."""
    return {
        "name": kept.name,
        "text": kept.text,
        "allowed": None if kept.allowed is None else list(kept.allowed),
    }


def from_record(record: Mapping[str, Any]) -> Kept:
    """The inverse of `as_record`."""
    allowed = record.get("allowed")
    return Kept(
        str(record["name"]), str(record["text"]), None if allowed is None else tuple(map(str, allowed))
    )


def _by(name: str) -> str:
    return f"the skill {name}"


def _shortened(text: str, tokens: int) -> str:
    if tokens_in(text) <= tokens:
        return text
    kept = text[: tokens * BYTES_PER_TOKEN]
    while kept and tokens_in(kept) > tokens:
        kept = kept[: len(kept) * 9 // 10]
    return f"{kept}\n[… the rest was left out: load it again for the whole]" if kept else ""
