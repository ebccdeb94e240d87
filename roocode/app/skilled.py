"""The skills of one agent: from their files to its tools, its conversation and its log."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from roocode.engine.loop.agent import Step
from roocode.engine.loop.limits import Tally
from roocode.interaction.commands.invoking import AllInvocations
from roocode.interaction.config.places import Places
from roocode.interaction.config.trust import Standing
from roocode.interaction.skills.catalogue import Catalogue
from roocode.interaction.skills.definition import Skill
from roocode.interaction.skills.discover import PluginFolders, own_folders
from roocode.interaction.skills.load import Loader
from roocode.interaction.skills.own_tools import OwnTool
from roocode.interaction.skills.running import Running
from roocode.interaction.skills.telling import Telling
from roocode.memory.sessions.conversation import Conversation
from roocode.protocol.tools import Tool, ToolSpec
from roocode.security.guard import GuardedToolset
from roocode.tools.command_tool import CommandTool
from roocode.tools.services import Shell


class Skilled:
    """What there is for an agent that works in `root`; `trusted` says what of the project counts."""

    def __init__(
        self,
        places: Places,
        root: Path,
        conversation: Conversation,
        trusted: Callable[[], Standing] | None = None,
        plugins: PluginFolders | None = None,
    ) -> None:
        self.catalogue = Catalogue(places, plugins, trusted=trusted)
        self.running = Running(conversation, self._tool)
        self.loader = Loader(self.catalogue, self.running, _places(root, conversation.header.id))
        self.invocations = AllInvocations(self.loader)
        self._root = root
        self._conversation = conversation
        self._shell: Shell | None = None

    @property
    def open_paths(self) -> tuple[Path, ...]:
        """Directories of skills that the agent may read, beyond its workspace."""
        return own_folders(self.catalogue.skills, self.catalogue.places, self.catalogue.plugins)

    def settle(self, toolset: GuardedToolset, shell: Shell) -> None:
        """The agent's tools are there: skills that its log holds are taken up again."""
        self.running.toolset, self._shell = toolset, shell
        self.restore()

    def restore(self) -> None:
        """Takes up what the log holds now."""
        self.running.restore(self._conversation.skills, self.catalogue.skill)

    def briefed(self, briefing: Step, tell: Callable[[str], None]) -> Step:
        """The briefing of an agent, and the list of skills after it."""
        telling = Telling(self._conversation, self.catalogue, self._can_load, tell)

        async def both(tally: Tally) -> bool:
            await briefing(tally)
            return await telling(tally)

        return both

    def released_by(self, step: Step) -> Step:
        """A step that brings outside input, which also ends what a skill had narrowed."""

        async def releasing(tally: Tally) -> bool:
            if brought := await step(tally):
                self.running.release()
            return brought

        return releasing

    def _can_load(self) -> bool:
        toolset = self.running.toolset
        return toolset is not None and any(spec.name == "LoadSkill" for spec in toolset.specs)

    def _tool(self, own: OwnTool, skill: Skill) -> Tool | None:
        if self._shell is None or skill.folder is None:
            return None
        places = {"ROOCODE_SKILL_DIR": str(skill.folder), "ROOCODE_PROJECT_DIR": str(self._root)}
        spec = ToolSpec(own.name, own.description, own.parameters)
        return CommandTool(spec, own.command, self._root, self._shell, places)


def _places(root: Path, session: str) -> dict[str, str]:
    names = {"PROJECT_DIR": str(root), "SESSION_ID": session}
    return {f"{family}_{name}": value for family in ("ROOCODE", "CLAUDE") for name, value in names.items()}
