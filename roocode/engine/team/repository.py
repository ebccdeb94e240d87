"""The repository that a team is to work on: found, judged fit, and described."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from pathlib import Path

from roocode.engine.team import naming
from roocode.engine.team.durable import write_synced
from roocode.protocol.errors import HostError, UserError
from roocode.protocol.frozen import frozen
from roocode.protocol.team import valid_name
from roocode.security.sandbox.git import Git
from roocode.security.sandbox.git_status import operation, read_status

OLDEST_GIT = (2, 38)
_START = 'git add --all && git commit -m "Start"'


@frozen
class Located:
    """Where a repository is.

    `checkout` is the worktree that one stands in, main or linked; `git` is rooted at `main_root`.
    """

    git: Git
    main_root: Path
    checkout: Path
    common_dir: Path


@frozen
class Repository(Located):
    """A repository that a team can work on.

    `base_branch` is the branch that the result will move, None when HEAD is detached or the base is no
    branch; `base_time` is the base's commit time in Unix seconds. `dirty` counts the files with changes
    that the team does not see.
    """

    base_branch: str | None
    base_commit: str
    base_time: int
    dirty: int
    submodules: tuple[str, ...]
    filtered: bool

    def describe(self, now: float) -> tuple[str, ...]:
        """What a person should know before a team starts, one sentence a line; `now` in Unix seconds."""
        name = self.base_branch or "a detached HEAD"
        lines = [f"Base: {name} at {self.base_commit[:12]}, {_age(now - self.base_time)} old."]
        if self.dirty:
            files = "file" if self.dirty == 1 else "files"
            lines.append(f"The team does not see {self.dirty} uncommitted {files} in {self.checkout}.")
        if self.submodules:
            lines.append(f"Submodules are not initialised in worktrees: {', '.join(self.submodules)}.")
        if self.filtered:
            lines.append("Files behind a content filter (as git-lfs) stay in worktrees as they are stored.")
        return tuple(lines)


async def locate(cwd: Path, environ: Mapping[str, str] | None = None) -> Located:
    """Finds the repository around a directory, and its main worktree even from a linked one.

    Raises UserError where there is none, or one that git refuses to open.
    """
    git = await Git.open(cwd, environ)
    found = await git(
        "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir", ok=(0, 128)
    )
    if found.code:
        raise _unusable(cwd, found.err.strip())
    checkout, common_dir = (Path(line) for line in found.line.split("\n"))
    linked = Path((await git("rev-parse", "--absolute-git-dir")).line) != common_dir
    main_root = common_dir.parent if linked else checkout
    if not await _owns(git.at(main_root), common_dir):
        raise UserError(
            f"{common_dir} is bare, or its checkout is set to be elsewhere",
            "Work in a clone of it, or unset core.worktree.",
        )
    return Located(git.at(main_root), main_root, checkout, common_dir)


async def inspect(
    cwd: Path, *, base: str | None = None, environ: Mapping[str, str] | None = None
) -> Repository:
    """Judges whether a team can start here, from `base` (a branch or commit) or else HEAD.

    Raises UserError with the mend: no repository, a bare one, no commit yet, an operation under way, no
    identity, an unknown base, git too old. Changes nothing.
    """
    place = await locate(cwd, environ)
    git = place.git.at(place.checkout)
    _require_version((await git("version")).out)
    branch, commit = await _base(git, base)
    under_way = await operation(git)
    if under_way:
        raise UserError(
            f"a {under_way} is in progress in {place.checkout}",
            f"Finish it, or: git {under_way} --abort",
        )
    if git.user.identity is None:
        raise UserError(
            "git does not know who commits",
            'git config --global user.name "Your Name" and git config --global user.email you@example.com',
        )
    status = await read_status(git)
    return Repository(
        git=place.git,
        main_root=place.main_root,
        checkout=place.checkout,
        common_dir=place.common_dir,
        base_branch=branch,
        base_commit=commit,
        base_time=int((await git("show", "--no-patch", "--format=%ct", commit)).line),
        dirty=len({*status.tracked, *status.untracked}),
        submodules=await _submodules(git, commit),
        filtered=(await git("grep", "-q", "filter=", commit, "--", ".gitattributes", ok=(0, 1))).code == 0,
    )


async def free_name(place: Located, goal: str) -> str:
    """A team name from the goal that no team, worktree or branch here has."""
    return naming.free_name(goal, await _taken(place))


async def require_free(place: Located, name: str) -> None:
    """Raises UserError when this cannot name a new team here."""
    if not valid_name(name):
        raise UserError(f"{name!r} cannot name a team", "Use a-z, 0-9 and -, at most 32 of them.")
    if name.casefold() in {other.casefold() for other in await _taken(place)}:
        raise UserError(
            f"the team name {name} is taken: there is a team, a worktree or a branch of that name",
            f"Choose another --name, or: roocode team cleanup {name}",
        )


def exclude(common_dir: Path) -> None:
    """Keeps our files out of `git status` through the repository's own info/exclude. Can be repeated.

    Raises UserError where that file is a link and lacks our lines: it could lead anywhere.
    """
    path = common_dir / "info" / "exclude"
    content = path.read_text("utf-8", "surrogateescape") if path.exists() else ""
    missing = [line for line in naming.EXCLUDED if line not in content.splitlines()]
    if not missing:
        return
    if path.is_symlink() or path.parent.is_symlink():
        raise UserError(f"{path} is a symbolic link", f"Add these lines to it yourself: {' '.join(missing)}")
    if content and not content.endswith("\n"):
        content += "\n"
    new = path.with_name(f"exclude.roocode-{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(exist_ok=True)
        whole = "".join([content, *(f"{line}\n" for line in missing)])
        write_synced(new, whole.encode("utf-8", "surrogateescape"))
        new.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        new.replace(path)
    except OSError as error:
        raise HostError(f"cannot write {path}: {error.strerror}") from error


async def _taken(place: Located) -> set[str]:
    names = await place.git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/")
    teams = {team for branch in names.out.splitlines() if (team := naming.team_of(branch))}
    for folder in (naming.TEAMS, naming.WORKTREES):
        root = place.main_root / folder
        teams |= {path.name for path in root.iterdir()} if root.is_dir() else set()
    return teams


async def _base(git: Git, base: str | None) -> tuple[str | None, str]:
    """The branch to move, if it is one, and the commit."""
    named = base or "HEAD"
    commit = f"{named}^{{commit}}"
    found = await git("rev-parse", "--verify", "--quiet", "--end-of-options", commit, ok=(0, 1, 128))
    if found.code and base:
        raise UserError(f"there is no commit {base}", "Name a branch, tag or commit that `git log` knows.")
    if found.code:
        raise UserError("there is no commit here yet", _START)
    ref = await git("rev-parse", "--symbolic-full-name", "--end-of-options", named, ok=(0, 128))
    full = ref.out.splitlines()[-1] if ref.out else ""
    return (full.removeprefix("refs/heads/") if full.startswith("refs/heads/") else None), found.line


async def _submodules(git: Git, commit: str) -> tuple[str, ...]:
    source = ("config", "-z", "--blob", f"{commit}:.gitmodules")
    listing = await git(*source, "--get-regexp", r"^submodule\..*\.path$", ok=(0, 1, 128))
    return tuple(entry.partition("\n")[2] for entry in listing.fields) if listing.code == 0 else ()


async def _owns(git: Git, common_dir: Path) -> bool:
    """Whether this is the main checkout of that repository."""
    if not (git.cwd / ".git").exists():
        return False
    found = await git("rev-parse", "--absolute-git-dir", ok=(0, 128))
    return found.code == 0 and Path(found.line) == common_dir


def _require_version(text: str) -> None:
    found = re.search(r"(\d+)\.(\d+)", text)
    if not found or (int(found[1]), int(found[2])) < OLDEST_GIT:
        raise UserError(f"{text.strip()} is too old", "Install git 2.38 or newer.")


def _unusable(cwd: Path, said: str) -> UserError:
    if "safe.bareRepository" in said or "must be run in a work tree" in said:
        return UserError(f"{cwd} is in a bare repository or a .git directory", "Work in a clone of it.")
    if "dubious ownership" in said:
        path = re.search(r"repository at '(.*)'", said)
        return UserError(
            f"git refuses to open {path[1] if path else cwd}: it belongs to somebody else",
            f"If you trust it: git config --global --add safe.directory {path[1] if path else cwd}",
        )
    if "not a git repository" in said:
        return UserError(
            f"{cwd} is not in a git repository", _START.replace("git add", "git init && git add")
        )
    return UserError(f"git cannot open the repository at {cwd}: {said}", "Mend it with git first.")


def _age(seconds: float) -> str:
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        count = int(seconds // size)
        if count >= 1:
            return f"{count} {unit}{'s' if count > 1 else ''}"
    return "less than a minute"
