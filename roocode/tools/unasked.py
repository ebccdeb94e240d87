"""How a shell line is pinned that runs without a question: as what its analysis proves of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from roocode.protocol.tools import Workspace
from roocode.security.sandbox.unasked import (
    Pinned,
    git_in_passing,
    own_versions_only,
    reading_git_only,
    system_programs_only,
)

if TYPE_CHECKING:
    from roocode.security.permissions.analysis import Analysis


async def pins(analysis: Analysis, workspace: Workspace, cwd: Path) -> Pinned:
    """What goes over the agent's environment, and notes for the model.

    A line that is proven to read gets the system's programs, and git that only reads obeys no repository.
    Raises HostError where git's configuration cannot be read.
    """
    from roocode.security.permissions.git_reads import read_by_git

    env, pinned = workspace.env, [Pinned({})]
    if analysis.level == "safe":
        words = [word for part in analysis.parts for word in part.words]
        pinned = [
            git_in_passing(env),
            own_versions_only(cwd),
            system_programs_only(env, workspace.root, words),
        ]
    if directories := read_by_git(analysis, str(cwd)):
        pinned.append(await reading_git_only({**env, **pinned[-1].variables}, directories))
    variables = {name: value for each in pinned for name, value in each.variables.items()}
    return Pinned(variables, tuple(note for each in pinned for note in each.notes))
