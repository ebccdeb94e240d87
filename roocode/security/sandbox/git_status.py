"""What a checkout holds that is not committed, and what is under way in it."""

from __future__ import annotations

from pathlib import Path

from roocode.protocol.errors import HostError
from roocode.protocol.frozen import frozen
from roocode.security.sandbox.git import Git

_OPERATIONS = {
    "MERGE_HEAD": "merge",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
}


@frozen
class Change:
    """A tracked file that differs; `staged` and `unstaged` are git's letters, "." for none."""

    path: str
    staged: str
    unstaged: str
    submodule: bool


@frozen
class Status:
    """`head` is None before the first commit, `branch` None when detached.

    A path in `untracked` that ends in a slash is a repository of its own.
    """

    head: str | None
    branch: str | None
    changes: tuple[Change, ...]
    untracked: tuple[str, ...]
    unmerged: tuple[str, ...]

    @property
    def tracked(self) -> tuple[str, ...]:
        """All tracked paths that differ or conflict."""
        return tuple(change.path for change in self.changes) + self.unmerged

    @property
    def clean(self) -> bool:
        """Whether nothing would be lost with the checkout."""
        return not (self.changes or self.untracked or self.unmerged)


async def read_status(git: Git) -> Status:
    """The status of a checkout; submodules count as their commit only."""
    result = await git(
        "status",
        "--porcelain=v2",
        "--branch",
        "-z",
        "--no-renames",
        "--untracked-files=all",
        "--ignore-submodules=dirty",
    )
    return parse_status(result.out)


def parse_status(text: str) -> Status:
    """Reads `git status --porcelain=v2 --branch -z --no-renames`; see git-status(1)."""
    head: str | None = None
    branch: str | None = None
    changes: list[Change] = []
    untracked: list[str] = []
    unmerged: list[str] = []
    for entry in text.split("\0")[:-1]:
        kind, _, rest = entry.partition(" ")
        match kind:
            case "#":
                name, _, value = rest.partition(" ")
                head = value if name == "branch.oid" and value != "(initial)" else head
                branch = value if name == "branch.head" and value != "(detached)" else branch
            case "1":
                letters, submodule, *_, path = rest.split(" ", 7)
                changes.append(Change(path, letters[0], letters[1], submodule.startswith("S")))
            case "u":
                unmerged.append(rest.split(" ", 9)[-1])
            case "?":
                untracked.append(rest)
            case _:
                raise HostError(f"git status said something unknown: {entry!r}")
    return Status(head, branch, tuple(changes), tuple(untracked), tuple(unmerged))


async def operation(git: Git) -> str | None:
    """The operation that waits in this checkout to be finished or aborted, or None."""
    git_dir = Path((await git("rev-parse", "--absolute-git-dir")).line)
    return next((name for file, name in _OPERATIONS.items() if (git_dir / file).exists()), None)
