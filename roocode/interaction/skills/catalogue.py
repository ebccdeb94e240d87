"""The skills and commands that count now: a file that is new or changed counts from the next look on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from difflib import get_close_matches

from roocode.interaction.config.places import Places
from roocode.interaction.config.sources import UNTRUSTED
from roocode.interaction.config.trust import Standing, standing
from roocode.interaction.extensions.found import Found
from roocode.interaction.skills.definition import Skill
from roocode.interaction.skills.discover import Look, PluginFolders, find_commands, find_skills, look


class Catalogue:
    """What there is for one project. It is read at once, and again by `refresh` where a file changed.

    `plugged` gives the folders of plugins that count now. `trusted` says what of the project's files counts;
    without it, their directory's own record does.
    """

    def __init__(
        self,
        places: Places,
        plugged: Callable[[], PluginFolders] = PluginFolders,
        *,
        trusted: Callable[[], Standing] | None = None,
    ) -> None:
        self.places = places
        self._trusted = trusted or (lambda: standing(places))
        self._plugged = plugged
        self.plugins = plugged()
        self._look: Look = look(self.places, self.plugins)
        self._read()

    def refresh(self) -> bool:
        """Looks whether anything changed, and reads it anew where it did."""
        now = look(self.places, self.plugins)
        if now == self._look:
            return False
        self.plugins = self._plugged()
        self._look = look(self.places, self.plugins)
        self._read()
        return True

    def skill(self, name: str) -> Skill | None:
        """The skill of a name, in any case, or of the directory that it lies in."""
        return _named(name, self.skills)

    def callable(self, name: str) -> Skill | None:
        """What `/name` calls: a skill before a command of that name; None for what a person cannot call."""
        found = _named(name, self.skills) or _named(name, self.commands)
        return found if found is not None and found.for_person else None

    def callables(self) -> tuple[Skill, ...]:
        """All that a person can call, by name."""
        found = {each.name: each for each in (*_used(self.commands), *_used(self.skills))}
        return tuple(found[name] for name in sorted(found) if found[name].for_person)

    def for_model(self) -> tuple[Skill, ...]:
        """The skills that the model may load, by name."""
        return tuple(sorted((s for s in _used(self.skills) if s.for_model), key=lambda skill: skill.name))

    def near(self, name: str) -> tuple[str, ...]:
        """Names of skills like this one."""
        return tuple(get_close_matches(name, [skill.name for skill in self.for_model()], n=3))

    def why_not(self, name: str) -> str:
        """Why what `/name` would call is not used; "" where there is nothing of this name."""
        named = (each for each in (*self.skills, *self.commands) if each.name.lower() == name.lower())
        return next((each.error for each in named if each.error), "")

    def withheld(self) -> str:
        """In words for the person, what of this directory has no effect because nobody trusts it."""
        counts = {
            kind: sum(each.error == UNTRUSTED for each in found)
            for kind, found in (("skill", self.skills), ("command", self.commands))
        }
        words = " and ".join(f"{n} {kind}{'s' if n > 1 else ''}" for kind, n in counts.items() if n)
        return f"{words} of this directory not used: it is not trusted (roocode trust)" if words else ""

    def _read(self) -> None:
        now = self._trusted()
        self.skills: tuple[Found[Skill], ...] = find_skills(self.places, now, self.plugins.skills)
        self.commands: tuple[Found[Skill], ...] = find_commands(self.places, now, self.plugins.commands)


def _used(found: tuple[Found[Skill], ...]) -> Iterator[Skill]:
    for each in found:
        if each.is_used and each.value is not None:
            yield called(each)


def called(found: Found[Skill]) -> Skill:
    """The skill under the name that it is found by: that of its plugin before its own."""
    assert found.value is not None
    return replace(found.value, name=found.name) if found.value.name != found.name else found.value


def _named(name: str, found: tuple[Found[Skill], ...]) -> Skill | None:
    used = list(_used(found))
    return (
        next((each for each in used if each.name == name), None)
        or next((each for each in used if each.name.lower() == name.lower()), None)
        or next((each for each in used if place_of(each).lower() == name.lower()), None)
    )


def place_of(skill: Skill) -> str:
    """Where it lies, as people also name it: the directory of a skill, `folder:file` of a command."""
    if skill.folder is not None:
        return skill.folder.name
    return f"{skill.path.parent.name}:{skill.path.stem}" if skill.kind == "command" else skill.path.stem
