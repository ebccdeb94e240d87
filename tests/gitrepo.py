"""Real repositories for tests, apart from the machine's own git configuration."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from roocode.engine.team.naming import integration_place, member_place
from roocode.engine.team.repository import Located, locate
from roocode.security.isolation.place import Place
from roocode.security.isolation.worktree import Worktrees
from roocode.security.sandbox.git import Git

REASON = "roocode team t, pid 1"


@dataclass(frozen=True)
class Repo:
    """A repository at `root` with one commit on main; `env` has a home of its own with an identity."""

    root: Path
    env: dict[str, str]

    @classmethod
    def create(cls, folder: Path, **files: str) -> Repo:
        repo = cls((folder / "my project").resolve(), environment(folder))
        repo.root.mkdir()
        repo.git("init", "-q", "-b", "main")
        repo.commit("start", **(files or {"a.txt": "one\ntwo\nthree\n", "b.txt": "b\n"}))
        return repo

    def git(self, *args: str, cwd: Path | None = None, ok: tuple[int, ...] = (0,)) -> str:
        """Git as the person runs it, unpinned."""
        done = subprocess.run(
            ["git", *args], cwd=cwd or self.root, env=self.env, capture_output=True, check=False
        )
        out, err = done.stdout.decode("utf-8", "surrogateescape"), done.stderr.decode(errors="replace")
        assert done.returncode in ok, f"git {args}: {err}{out}"
        return out.removesuffix("\n")

    def write(self, cwd: Path | None = None, **files: str) -> None:
        for name, content in files.items():
            path = (cwd or self.root) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)

    def commit(self, message: str, cwd: Path | None = None, **files: str) -> str:
        """Writes files, commits all that there is, and returns the commit."""
        self.write(cwd, **files)
        self.git("add", "--all", cwd=cwd)
        self.git("commit", "-q", "-m", message, cwd=cwd)
        return self.head(cwd)

    def head(self, cwd: Path | None = None) -> str:
        return self.git("rev-parse", "HEAD", cwd=cwd)

    def status(self, cwd: Path | None = None) -> str:
        return self.git("status", "--porcelain", cwd=cwd)

    async def open(self) -> Git:
        return (await Git.open(self.root, self.env)).at(self.root)

    async def locate(self, cwd: Path | None = None) -> Located:
        return await locate(cwd or self.root, self.env)

    async def worktrees(self) -> Worktrees:
        return Worktrees(await self.open(), self.root / ".git")

    def place(self, name: str) -> Place:
        return member_place(self.root, "t", name)

    def integration(self) -> Place:
        return integration_place(self.root, "t")

    async def member(self, name: str, base: str = "main") -> Path:
        """A worktree for a member, made by our own code."""
        worktrees = await self.worktrees()
        await worktrees.add(self.place(name), base=base, reason=REASON)
        return self.place(name).path


def environment(folder: Path) -> dict[str, str]:
    """An environment with an empty home but for a git identity."""
    home = folder / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\n\tname = Uma User\n\temail = uma@example.com\n")
    return {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CEILING_DIRECTORIES": str(folder.resolve()),
    }


def until_later_than(moment: float) -> None:
    """Waits for another second on the clock than that of `moment`, and the one after it."""
    while int(time.time()) <= int(moment) + 1:
        time.sleep(0.02)
