"""Where a sub-agent works: where its parent does, or in a git worktree and on a branch of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from roocode.protocol.errors import RooCodeError, UserError
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message

if TYPE_CHECKING:
    from roocode.security.isolation.place import Place
    from roocode.security.isolation.worktree import Worktrees
    from roocode.security.sandbox.git import Git

WORKTREES = ".roocode/worktrees/_agents"


class Ground(Protocol):
    """A place to work."""

    @property
    def root(self) -> Path:
        """The agent's directory."""
        ...

    @property
    def branch(self) -> str:
        """Its own branch, empty where it works on its parent's."""
        ...

    async def leave(self, about: str, messages: tuple[Message, ...]) -> str:
        """Commits what is left; says what becomes of the place. Raises RooCodeError."""
        ...


@frozen
class Common:
    """The parent's own directory."""

    root: Path
    branch: str = ""

    async def leave(self, about: str, messages: tuple[Message, ...]) -> str:
        """Nothing is to be done."""
        return ""


@frozen
class Isolated:
    """A worktree: kept with its branch where something was changed in it, and removed where nothing was."""

    root: Path
    place: Place
    base: str
    worktrees: Worktrees
    git: Git

    @property
    def branch(self) -> str:
        """Its branch."""
        return self.place.branch

    async def leave(self, about: str, messages: tuple[Message, ...]) -> str:
        """Commits, and says how the parent gets at it."""
        from roocode.engine.team.leftovers import commit_leftovers
        from roocode.engine.team.work import written_paths

        left = await commit_leftovers(
            self.git,
            branch=self.branch,
            message=f"{about}\n",
            written=_below(written_paths(messages), self.root),
        )
        state = await self.worktrees.state(self.place, self.base)
        if state.merged and state.kind == "clean" and not left.blocked:
            await self.worktrees.remove(self.place, merged_into=self.base)
            return "It changed nothing: its worktree and branch are removed."
        commits = "1 commit" if state.ahead == 1 else f"{state.ahead} commits"
        base = self.base[:12]
        lines = [
            f"Its work is on the branch {self.branch}, {commits} on top of {base}, in {self.place.path}. "
            f"Nothing is merged: look at it (git diff {base}...{self.branch}) and decide.",
            f"Not committed: {left.blocked}." if left.blocked else "",
            f"Left uncommitted there: {', '.join(left.named)}." if left.named else "",
        ]
        return "\n".join(line for line in lines if line)


def _below(paths: frozenset[Path], root: Path) -> frozenset[Path]:
    """Relative paths are from the agent's directory, which may lie below the worktree's root."""
    return frozenset(path if path.is_absolute() else root / path for path in paths)


async def isolated(root: Path, name: str, env: Mapping[str, str]) -> Isolated:
    """A worktree for the agent `name`: a new one, or the one that it had. Raises RooCodeError."""
    from roocode.engine.team.repository import exclude, locate
    from roocode.security.isolation.place import Place
    from roocode.security.isolation.worktree import Worktrees

    try:
        located = await locate(root, env)
    except RooCodeError as error:
        raise UserError(f"isolation: worktree is not possible here: {error.what}", error.mend) from error
    exclude(located.common_dir)
    place = Place(located.main_root / WORKTREES / name, f"worktree-agent-{name}", f"agents/{name}")
    checkout = located.git.at(located.checkout)
    worktrees = Worktrees(located.git, located.common_dir)
    tip = await worktrees.tip(place.branch)
    head = (await checkout("rev-parse", "HEAD")).line
    git = await worktrees.add(place, base=head, reason=f"roocode agent {name}", recorded_tip=tip)
    base = (await git("merge-base", head, "HEAD")).line
    inner = root.resolve().relative_to(located.checkout.resolve())
    return Isolated(place.path / inner, place, base, worktrees, git)
