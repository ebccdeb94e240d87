"""How a shell line is pinned that runs without a question: as what its analysis proves of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from roocode.protocol.errors import HostError
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


async def pins(analysis: Analysis, workspace: Workspace, cwd: Path, *, committing: bool = False) -> Pinned:
    """What goes over the agent's environment, and notes for the model.

    A line that is proven to read gets the system's programs, and git that only reads obeys no repository;
    with `committing` the same holds for `git add` and `git commit`. Raises HostError where git's
    configuration cannot be read, and where files would be stored past a filter.
    """
    from roocode.security.permissions.git_reads import read_by_git, stores

    env, pinned = workspace.env, [Pinned({})]
    directories = read_by_git(analysis, str(cwd), committing=committing)
    if analysis.level == "safe":
        pinned += [git_in_passing(env), own_versions_only(cwd)]
    if analysis.level == "safe" or directories:
        words = [word for part in analysis.parts for word in part.words]
        pinned.append(system_programs_only(env, workspace.root, words))
    if directories:
        storing = stores(analysis)
        git = await reading_git_only({**env, **pinned[-1].variables}, directories, storing=storing)
        if git.past_filters:
            names = ", ".join(git.past_filters[:5])
            raise HostError(
                f"nothing was run: git would store {names} past the repository's own filters, which do not"
                " run before the directory is trusted",
                "leave these files uncommitted; a person can `roocode trust` the directory",
            )
        pinned.append(git)
    variables = {name: value for each in pinned for name, value in each.variables.items()}
    return Pinned(variables, tuple(note for each in pinned for note in each.notes))
