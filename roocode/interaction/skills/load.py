"""Loads a skill: for the model by LoadSkill, for the person by `/name arguments`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from roocode.interaction.commands.invoking import Invocable, Invoked
from roocode.interaction.skills.catalogue import Catalogue, place_of
from roocode.interaction.skills.definition import Skill
from roocode.interaction.skills.render import rendered
from roocode.interaction.skills.running import Running, allowed_by
from roocode.interaction.ui.safe_text import on_one_line
from roocode.protocol.brevity import shortened
from roocode.protocol.errors import ModelError, RooCodeError, UserError
from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool

LONGEST = 48_000
"""Characters of a loaded text, in a window that has room for them."""
CHARACTERS_PER_TOKEN = 4
SHARE = 8
LONGEST_HINT = 100
NO_FORK = "{name} runs in a conversation of its own, and this agent cannot start one"


@frozen
class Errand:
    """What a skill with `mode: fork` is to do, in a blank conversation.

    `allowed` are the only tools that it may use, as rules, None for all that a sub-agent has; `tools` are the
    skill's own. Empty `model` and `effort` are those of the agent that runs it.
    """

    skill: str
    prompt: str
    allowed: tuple[str, ...] | None = None
    tools: tuple[Tool, ...] = ()
    model: str = ""
    effort: str = ""


class ForkRunner(Protocol):
    """Runs an agent with a blank conversation, in the foreground."""

    async def run(self, errand: Errand) -> str:
        """Returns its result. Raises RooCodeError where it came to none."""
        ...


class Loader:
    """The skills and commands of one agent. Implements the tools' SkillCatalog and the chat's Invocations.

    `places` are what `${ROOCODE_PROJECT_DIR}` and its like stand for. `fork` is set where agents can be
    started.
    """

    def __init__(self, catalogue: Catalogue, running: Running, places: Mapping[str, str]) -> None:
        self.fork: ForkRunner | None = None
        self._catalogue = catalogue
        self._running = running
        self._places = places

    async def load(self, name: str, arguments: str) -> str:
        """The instructions of a skill, for the model. Raises ModelError."""
        self._catalogue.refresh()
        skill = self._catalogue.skill(name.strip().removeprefix("/"))
        if skill is None:
            near = ", ".join(self._catalogue.near(name))
            raise ModelError(
                f"there is no skill {name!r}", f"did you mean {near}?" if near else "use one that is listed"
            )
        if not skill.for_model:
            raise ModelError(
                f"the skill {skill.name} is for the person alone", f"they call it by /{skill.name}"
            )
        if skill.mode == "fork":
            return await self._forked(skill, arguments)
        return await self._inline(skill, arguments)

    def names(self) -> tuple[Invocable, ...]:
        """What a person can call, by name."""
        self._catalogue.refresh()
        return tuple(
            Invocable(
                each.name, on_one_line(each.hint)[:LONGEST_HINT], _in_short(each), (place_of(each).lower(),)
            )
            for each in self._catalogue.callables()
        )

    async def prompt(self, name: str, arguments: str) -> Invoked | None:
        """What the person's call says to the model; None where there is nothing of this name."""
        self._catalogue.refresh()
        skill = self._catalogue.callable(name)
        if skill is None:
            return None
        if skill.mode == "fork":
            result = await self._forked(skill, arguments)
            return Invoked(
                f"The person called {skill.name}, which ran in a conversation of its own. "
                f"Its result follows: give it to the person whole, and do nothing else.\n\n{result}"
            )
        return Invoked(f"The person called {skill.name}. {await self._inline(skill, arguments)}")

    async def _inline(self, skill: Skill, arguments: str) -> str:
        notes = self._running.begin(skill)
        text = await self._text(skill, arguments)
        self._running.keep(skill, text)
        where = f"Its files are in {skill.folder}." if skill.folder is not None else ""
        told = " ".join(filter(None, ["Follow its instructions.", where, *notes]))
        return f"{told}\n\n{text}"

    async def _forked(self, skill: Skill, arguments: str) -> str:
        if self.fork is None:
            raise UserError(NO_FORK.format(name=skill.name), "say in the conversation what it is to do")
        with self._running.within(skill):
            text = await self._text(skill, arguments)
        own = self._running.tools_of(skill)
        try:
            return await self.fork.run(
                Errand(skill.name, text, allowed_by(skill), own, skill.model, skill.effort)
            )
        except RooCodeError as error:
            raise UserError(f"{skill.name} came to no result: {error.what}", error.mend) from error

    async def _text(self, skill: Skill, arguments: str) -> str:
        if self._running.toolset is None:
            raise UserError(f"{skill.name} cannot be loaded before there are tools")
        longest = min(LONGEST, self._running.window * CHARACTERS_PER_TOKEN // SHARE)
        return await rendered(skill, arguments, self._running.toolset, self._places, longest)


def _in_short(skill: Skill) -> str:
    return shortened(on_one_line(skill.description), LONGEST_HINT)
