"""Keeps what a forced removal would lose, as commits under `refs/roocode/rescue/`."""

from __future__ import annotations

import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from roocode.protocol.errors import UserError
from roocode.security.sandbox.git import Git
from roocode.security.sandbox.git_status import read_status

RESCUE = "refs/roocode/rescue"
_GITLINK = "160000"


async def snapshot(git: Git, message: str) -> str:
    """Commits a checkout's tracked and untracked files aside and returns the commit.

    Neither the checkout's index nor a branch moves; ignored files are left out. Parents are the
    checkout's commit and, when a merge is under way, the commit that is being merged. (`git add --all`
    would look into submodules, and run the filters of theirs.)
    Raises UserError when it holds a repository of its own whose work would be lost.
    """
    await refuse_inner_work(git)
    git_dir = Path((await git("rev-parse", "--absolute-git-dir")).line)
    with tempfile.TemporaryDirectory(prefix="roocode-") as folder:
        index = Path(folder) / "index"
        if (git_dir / "index").exists():
            # With its time: by that git knows which files may have changed in the second of the index.
            shutil.copy2(git_dir / "index", index)
        changed = await _changed(git)
        await git(
            "update-index", "--add", "--remove", "--replace", "-z", "--stdin", stdin=changed, index=index
        )
        tree = (await git("write-tree", index=index)).line
    parents: list[str] = []
    for name in ("HEAD", "MERGE_HEAD"):
        found = await git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", ok=(0, 1))
        parents += ["-p", found.line] if found.code == 0 else []
    return (await git("commit-tree", tree, *parents, "-F", "-", stdin=message)).line


async def keep(git: Git, label: str, commits: list[str]) -> tuple[str, ...]:
    """Makes a new ref for each commit that no earlier one of them contains, and returns their names.

    A ref is `refs/roocode/rescue/<label>-<time>`, the time in UTC; one that exists is never moved.
    """
    kept: list[str] = []
    for commit in commits:
        if not kept or (await git("rev-list", "--max-count=1", commit, "--not", *kept)).out:
            kept.append(await _new_ref(git, f"{RESCUE}/{label}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}", commit))
    return tuple(kept)


async def _new_ref(git: Git, name: str, commit: str) -> str:
    number = 1
    while True:
        ref = name if number == 1 else f"{name}-{number}"
        if (await git("rev-parse", "--verify", "--quiet", ref, ok=(0, 1))).code:
            await git("update-ref", ref, commit, "0" * len(commit))
            return ref
        number += 1


async def refuse_inner_work(git: Git) -> None:
    """Raises UserError when a repository inside the checkout has work that exists nowhere else.

    That is a submodule that was initialised there, or an untracked clone: uncommitted files, or commits
    that none of its remotes has.
    """
    for path in await _inner_repositories(git):
        inner = git.at(git.cwd / path)
        await refuse_inner_work(inner)
        dirty = not (await read_status(inner)).clean
        if dirty or (await inner("rev-list", "--max-count=1", "--all", "HEAD", "--not", "--remotes")).out:
            raise UserError(
                f"{git.cwd / path} is a repository of its own with work that exists nowhere else",
                "Push its commits, or move it away.",
            )


async def _changed(git: Git) -> str:
    """The paths whose content the index lacks, as `update-index -z` reads them."""
    status = await read_status(git)
    edited = (change.path for change in status.changes if change.unstaged != "." and not change.submodule)
    new = (path for path in status.untracked if not path.endswith("/"))
    return "".join(f"{path}\0" for path in (*edited, *new, *status.unmerged))


async def _inner_repositories(git: Git) -> list[str]:
    staged = (entry.partition("\t") for entry in (await git("ls-files", "--stage", "-z")).fields)
    links = [path for meta, _, path in staged if meta.startswith(_GITLINK)]
    untracked = [path for path in (await read_status(git)).untracked if path.endswith("/")]
    return [path for path in (*links, *untracked) if (git.cwd / path / ".git").exists()]
