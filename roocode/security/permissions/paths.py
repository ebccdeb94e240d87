"""The path sandbox: what a place may be used for, judged on real paths.

Inside are the workspace's root and its extra directories; protected names are matched below each of these, so
that a teammate's worktree below `.roocode/worktrees` is open to the teammate.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeAlias

from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Workspace
from roocode.security.permissions import protected, repository
from roocode.security.permissions.places import Place, locate, within
from roocode.security.permissions.secret_files import holds_secrets, is_full_of_secrets

KEYS = ("team-keys", "mcp-logins")
PROTECTED_ENTRIES = (".git", ".roocode", ".mcp.json")

Standing: TypeAlias = Literal["inside", "own", "asked", "outside", "unusable", "denied"]


@frozen
class Judgement:
    """How a place stands, and why where it is not simply inside.

    "own" is the agent's own plan, spills, skills and temporary directory; "asked" needs a person in every
    mode; "outside" lies in no allowed directory; "unusable" names no plain file;
    "denied" is never touched.
    """

    standing: Standing
    reason: str = ""


@frozen
class Grounds:
    """Real paths that judgements are made against, all pinned when the session started."""

    roots: tuple[str, ...]
    readable: tuple[str, ...]
    writable: tuple[str, ...]
    home: str
    protected: tuple[str, ...] = ()

    @property
    def root(self) -> str:
        """The workspace's root."""
        return self.roots[0]

    def around(self, real: str) -> str:
        """The deepest root that a real path lies in, or ""."""
        return max((root for root in self.roots if within(real, root)), key=len, default="")


def pinned(workspace: Workspace) -> Workspace:
    """The workspace with its directories as real paths.

    Called once at the start, so that a link that is pointed elsewhere later moves nothing.
    """
    return replace(
        workspace,
        root=workspace.root.resolve(),
        extra=tuple(path.resolve() for path in workspace.extra),
        scratch=workspace.scratch.resolve() if workspace.scratch else None,
        open_paths=tuple(path.resolve() for path in workspace.open_paths),
    )


def grounds(
    workspace: Workspace, home: Path, plan_file: Path | None = None, protected: tuple[Path, ...] = ()
) -> Grounds:
    """What a pinned workspace opens to its agent; `protected` are further directories that no tool writes."""
    own = tuple(str(path) for path in (plan_file, workspace.scratch) if path is not None)
    return Grounds(
        roots=(str(workspace.root), *map(str, workspace.extra)),
        readable=(*own, *map(str, workspace.open_paths)),
        writable=own,
        home=str(home),
        protected=tuple(os.path.realpath(path) for path in protected),
    )


def place(path: str, cwd: str | None, ground: Grounds) -> Place:
    """Resolves a path of a tool's input against the call's directory, or the workspace's root."""
    base = ground.root if cwd is None else os.path.join(ground.root, cwd)
    return locate(path, base, ground.home)


def judge_read(where: Place, ground: Grounds) -> Judgement:
    """Whether a place may be read; a directory may be, since searches name directories."""
    hard = _unusable(where)
    if hard:
        return Judgement("unusable", hard)
    if any(within(where.real, path) for path in ground.readable):
        return Judgement("own")
    if holds_keys(where.real, ground.protected):
        return Judgement("denied", f"{where.spelled} holds keys of RooCode and is read by no tool")
    if ground.around(where.real):
        return Judgement("inside")
    return Judgement("outside", f"{where.spelled} is outside the allowed directories{_leads_to(where)}")


def holds_keys(real: str, protected: tuple[str, ...]) -> bool:
    """Whether a real path lies where RooCode keeps keys: to sign answers with, and of logins to servers."""
    return any(within(real, f"{directory}/{keys}") for directory in protected for keys in KEYS)


def judge_write(where: Place, ground: Grounds) -> Judgement:
    """Whether a place may be written, created, moved or removed."""
    name = protected.never_written(_parts(where.spelled, ground)) if where.refused else ""
    if name:
        return Judgement("denied", f"{name} is protected in every mode")
    hard = _unusable(where)
    if hard:
        return Judgement("unusable", hard)
    if any(within(where.real, path) for path in ground.writable):
        return Judgement("own")
    reason = _protected(where, ground)
    if reason:
        return Judgement("denied", reason)
    names = (protected.written_after_a_question(_parts(path, ground)) for path in (where.real, *where.links))
    name = next(filter(None, names), "") or _leads_from_asked(where.real, ground)
    if name:
        return Judgement("asked", f"{name} is run or obeyed later: editor, CI, shell or agent configuration")
    if ground.around(where.real):
        return Judgement("inside")
    return Judgement("outside", f"{where.spelled} is outside the allowed directories{_leads_to(where)}")


def judge_file(where: Place, ground: Grounds) -> Judgement:
    """Whether a file tool may write a place: never outside the allowed directories, whatever is asked."""
    judgement = judge_write(where, ground)
    if judgement.standing == "asked" and not ground.around(where.real):
        return Judgement("outside", f"{where.spelled} is outside the allowed directories{_leads_to(where)}")
    return judgement


def file_target(where: Place) -> str:
    """Why a place cannot be the target of a tool that writes one file, or ""."""
    if where.kind == "directory" or where.names_directory:
        return f"{where.spelled} names a directory, not a file"
    return ""


def holds_protected(where: Place) -> str:
    """Why removing a directory would remove what is protected in it, or ""."""
    if where.kind != "directory":
        return ""
    names = (name for name in PROTECTED_ENTRIES if os.path.lexists(os.path.join(where.real, name)))
    return next((f"{where.spelled} holds {name}" for name in names), "")


def in_other_checkout(where: Place, ground: Grounds) -> str:
    """Why a place belongs to another working tree of the repository, a colleague's for example, or ""."""
    return _other_checkout(where, repository.around(Path(ground.root), Path(ground.home)), ground)


def is_secret(where: Place) -> bool:
    """Whether a place is known by its name to hold secrets."""
    known = is_full_of_secrets if where.kind == "directory" else holds_secrets
    return any(map(known, (where.spelled, where.real)))


def _unusable(where: Place) -> str:
    if where.refused:
        return where.refused
    return f"{where.spelled} is a device, socket or pipe" if where.kind == "special" else ""


def _protected(where: Place, ground: Grounds) -> str:
    for path in (where.real, *where.links):
        name = protected.never_written(_parts(path, ground))
        if name:
            return f"{name} is protected in every mode"
    bare = repository.bare_repository(where.real, ground.around(where.real) or where.real)
    if bare:
        return f"{bare} is a git repository without a working tree: protected in every mode"
    known = repository.around(Path(ground.root), Path(ground.home))
    for directory in (*ground.protected, *known.metadata, *_linked_protected(where.real, ground)):
        if _governs(directory, where.real, ground):
            return f"{directory} belongs to git or to RooCode and is protected in every mode"
    return _other_checkout(where, known, ground)


def _other_checkout(where: Place, known: repository.Repository, ground: Grounds) -> str:
    checkout = max((path for path in known.checkouts if within(where.real, path)), key=len, default="")
    if checkout not in ("", known.top) and _governs(checkout, where.real, ground):
        return f"{checkout} is another checkout of this repository"
    return ""


def _governs(directory: str, real: str, ground: Grounds) -> bool:
    """Whether a path lies in a directory, by any spelling, and in no root that itself lies deeper."""
    return within(_folded(real), _folded(directory)) and not any(
        within(real, root) and within(root, directory) for root in ground.roots
    )


def _folded(path: str) -> str:
    return "/".join(map(protected.folded, path.split("/")))


def _linked_protected(real: str, ground: Grounds) -> Iterator[str]:
    """Where links with protected names lead, for every directory from the root down to the path."""
    root = ground.around(real)
    if not root:
        return
    directory = root
    for part in ("", *real[len(root) :].strip("/").split("/")[:-1]):
        directory = os.path.join(directory, part) if part else directory
        for name in PROTECTED_ENTRIES:
            link = os.path.join(directory, name)
            if os.path.islink(link):
                yield locate(link, directory, ground.home).real or link


def _leads_from_asked(real: str, ground: Grounds) -> str:
    """The name of a link at the top of a root that leads to this place, and that is asked about; or ""."""
    root = ground.around(real)
    if not root:
        return ""
    with suppress(OSError), os.scandir(root) as entries:
        for entry in entries:
            if entry.is_symlink() and protected.written_after_a_question([entry.name]):
                target = os.path.realpath(entry.path)
                if within(real, target) and not within(root, target):
                    return entry.name
    return ""


def _parts(path: str, ground: Grounds) -> list[str]:
    root = ground.around(path)
    return [part for part in path[len(root) :].split("/") if part]


def _leads_to(where: Place) -> str:
    return f" (it leads to {where.real})" if where.links else ""
