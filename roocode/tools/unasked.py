"""How a shell line is pinned that runs without a question: as what its analysis proves of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from roocode.protocol.tools import Workspace
from roocode.security.sandbox.unasked import Pinned, git_in_passing, reading_git_only, system_programs_only

if TYPE_CHECKING:
    from roocode.security.permissions.analysis import Analysis


async def pins(analysis: Analysis, workspace: Workspace, cwd: Path) -> Pinned:
    """What goes over the agent's environment, and notes for the model.

    A line that is proven to read gets the system's programs, and git that only reads obeys no repository.
    Raises HostError where git's configuration cannot be read.
    """
    from roocode.security.permissions.git_reads import read_by_git

    env, programs, git = workspace.env, Pinned({}), Pinned({})
    if analysis.level == "safe":
        words = [word for part in analysis.parts for word in part.words]
        programs = system_programs_only(env, workspace.root, words)
        git = git_in_passing(env)
    if directories := read_by_git(analysis, str(cwd)):
        git = await reading_git_only({**env, **programs.variables}, directories)
    return Pinned({**git.variables, **programs.variables}, (*programs.notes, *git.notes))
