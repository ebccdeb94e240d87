"""MergeTeammate: a branch into the integration worktree."""

from __future__ import annotations

from roocode.engine.team.tools.ports import Merger
from roocode.engine.team.tools.schema import SchedulingTool, text
from roocode.protocol.messages import Arguments


class MergeTeammate(SchedulingTool):
    """Merges what a teammate committed, or says what a merge would do."""

    def __init__(self, merger: Merger) -> None:
        preview = {"type": "boolean", "description": "Only say what would be merged and what would conflict"}
        fields = {"name": text("The teammate's name", least=1), "preview": preview}
        super().__init__("MergeTeammate", __file__, fields, ("name",))
        self._merger = merger

    async def act(self, arguments: Arguments) -> str:
        """The merge commit, or the conflict and who resolves it."""
        return await self._merger.merge(arguments["name"], arguments.get("preview", False))
