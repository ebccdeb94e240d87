"""Looks at the disk and says what a sandboxed command of one agent may see and write."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from roocode.protocol.frozen import frozen
from roocode.security.permissions.places import within
from roocode.security.sandbox import git_ground
from roocode.security.sandbox.bubblewrap import Enclosure, Mount
from roocode.security.sandbox.known_places import (
    CACHES,
    CREDENTIALS,
    MADE_BY,
    RUNTIME,
    START_UP,
    STATE_SECRETS,
    SYSTEM_CREDENTIALS,
)

OWN = (".roocode", ".mcp.json")
TEMPORARY = "/tmp"  # noqa: S108 - the sandbox puts the agent's own directory there
_TEMPORARY = (TEMPORARY, "/var/tmp")  # noqa: S108
_HIDDEN_AREAS = (*_TEMPORARY, "/run")


@frozen
class Premises:
    """Where an agent works: real paths.

    `roots` may be written: its directory, then the extra ones. `temporary` is what its commands find as /tmp,
    `spool` takes their output and is read-only to them, `blank` is an empty file. `visible` are further paths
    that they must be able to read, wherever they lie. `state` is RooCode's own directory.
    """

    roots: tuple[Path, ...]
    home: Path
    temporary: Path
    spool: Path
    blank: Path
    state: Path
    visible: tuple[Path, ...] = ()


class Surveyor:
    """Draws the enclosure of each command of one agent.

    A directory inside what an agent may write is bound as writable only if it was there before the agent's
    first command: one that the agent made could be a link by the time that bubblewrap opens it.
    """

    def __init__(self, premises: Premises) -> None:
        self._premises = premises
        self._there_first: frozenset[str] | None = None
        self._awaited: tuple[str, ...] = ()
        self._forbidden: tuple[str, ...] = ()

    def draw(self, cwd: Path, told: Path | None, *, granted: bool, agent_socket: str = "") -> Enclosure:
        """What a command gets that starts in `cwd`; `told` is the one file beside its output that it writes.

        With `granted`, a person or a rule wants this command: it has the network, credentials and caches.
        `agent_socket` is the ssh agent's, shown to such a command.
        """
        premises = self._premises
        grounds = (git_ground.ground(premises.roots[0], premises.home), *self._nested_grounds())
        self._note_missing(grounds)
        mounts = [
            *self._areas(granted=granted),
            *self._seen(granted=granted, agent_socket=agent_socket),
            *self._home(granted=granted),
            *(Mount("writable", str(root)) for root in premises.roots),
            Mount("writable", str(premises.temporary)),
            Mount("read-only", str(premises.spool)),
            *(mount for ground in grounds for mount in ground.mounts),
            *self._protected(),
        ]
        real = (found for mount in mounts if (found := _real(mount)) is not None)
        last = () if told is None else (Mount("writable", str(told)),)
        return Enclosure((*self._safe(tuple(real)), *last), str(cwd), granted)

    def make_caches(self, line: str) -> None:
        """Makes the caches that programs of a line would make, of those that are missing."""
        for name in dict.fromkeys(re.findall(r"[\w.+-]+", line)):
            for folder in MADE_BY.get(name, ()):
                with contextlib.suppress(OSError):
                    (self._premises.home / folder).mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(OSError):
            (self._premises.home / ".cache").mkdir(mode=0o700, exist_ok=True)

    def appeared(self) -> tuple[str, ...]:
        """Protected names that were missing before the last command and are there now.

        Those that git would obey are removed: nothing but a spoof makes them.
        """
        found = tuple(path for path in (*self._forbidden, *self._awaited) if os.path.lexists(path))
        for path in self._forbidden:
            if os.path.lexists(path):
                _remove(path)
        return found

    def _areas(self, *, granted: bool) -> Iterator[Mount]:
        for area in _TEMPORARY:
            if os.path.realpath(area) == area and os.path.isdir(area):
                yield Mount("writable", area, str(self._premises.temporary))
        if not granted:
            yield Mount("hidden", "/run")
            if os.path.realpath("/var/run") == "/var/run":
                yield Mount("hidden", "/var/run")

    def _seen(self, *, granted: bool, agent_socket: str) -> Iterator[Mount]:
        """What must be read although it lies in an area that is hidden."""
        premises = self._premises
        checkouts = git_ground.checkouts(premises.roots[0], premises.home)
        wanted = [*map(str, premises.visible), *checkouts, str(premises.home), str(premises.state), *RUNTIME]
        wanted += [agent_socket] if granted and agent_socket else []
        for path in wanted:
            hidden = next((area for area in _HIDDEN_AREAS if within(path, area) and path != area), "")
            if hidden and not any(within(path, str(root)) for root in premises.roots):
                yield Mount("seen", path)

    def _home(self, *, granted: bool) -> Iterator[Mount]:
        premises = self._premises
        home = str(premises.home)
        if granted:
            yield from (Mount("writable", path) for path in _in(home, CACHES) if os.path.isdir(path))
        else:
            for path in (*_in(home, CREDENTIALS), *SYSTEM_CREDENTIALS):
                yield (
                    Mount("hidden", path)
                    if os.path.isdir(path)
                    else Mount("blank", path, str(premises.blank))
                )
        if any(within(home, str(root)) for root in premises.roots):
            yield from (Mount("read-only", path) for path in _in(home, START_UP))
        yield Mount("read-only", str(premises.state))
        yield from (Mount("hidden", str(premises.state / name)) for name in STATE_SECRETS)

    def _protected(self) -> Iterator[Mount]:
        for folder in self._holders():
            yield from (Mount("read-only", str(folder / name)) for name in OWN)

    def _holders(self) -> Iterator[Path]:
        """The roots and the directories in them: where protected names are looked for."""
        for root in self._premises.roots:
            yield root
            yield from _directories(root)

    def _nested_grounds(self) -> Iterator[git_ground.GitGround]:
        first, *others = self._premises.roots
        yield from (git_ground.nested(folder) for folder in _directories(first))
        for root in others:
            yield git_ground.nested(root)
            yield from (git_ground.nested(folder) for folder in _directories(root))

    def _note_missing(self, grounds: Iterable[git_ground.GitGround]) -> None:
        names = (str(root / name) for root in self._premises.roots for name in OWN)
        self._awaited = tuple(name for name in names if not os.path.lexists(name))
        self._forbidden = tuple(name for ground in grounds for name in ground.forbidden)

    def _safe(self, mounts: tuple[Mount, ...]) -> Iterator[Mount]:
        """Leaves out what would be writable, lies in a writable place and came after the first command.

        What stays has all directories on the way to it as mounts, so that none of them is renamed away.
        """
        inner = {
            mount.path: place
            for mount in mounts
            if mount.kind == "writable" and (place := _writable_around(mount, mounts))
        }
        if self._there_first is None:
            self._there_first = frozenset(inner)
        barred = inner.keys() - self._there_first
        yield from (mount for mount in mounts if mount.kind != "writable" or mount.path not in barred)
        for path in inner.keys() - barred:
            yield from (Mount("writable", way) for way in _between(path, inner[path]))


def program_places(env: Mapping[str, str]) -> tuple[Path, ...]:
    """Where programs on PATH lie: the directory, or for a `bin` what holds it, with its libraries."""
    folders = (Path(folder) for folder in env.get("PATH", os.defpath).split(os.pathsep))
    places = (folder.parent if folder.name == "bin" else folder for folder in folders if folder.is_absolute())
    return tuple(dict.fromkeys(place.resolve() for place in places))


def _writable_around(mount: Mount, mounts: tuple[Mount, ...]) -> str:
    """The place that a command may write and that a mount lies in, with none between that forbids it."""
    around = [each for each in mounts if each.path != mount.path and within(mount.path, each.path)]
    nearest = max(around, key=lambda each: len(each.path), default=None)
    if nearest is None or nearest.kind != "writable" or nearest.source or mount.source:
        return ""
    return nearest.path


def _between(path: str, place: str) -> Iterator[str]:
    """The directories above a path and below a place."""
    above = os.path.dirname(path)
    while above != place and within(above, place):
        yield above
        above = os.path.dirname(above)


def _real(mount: Mount) -> Mount | None:
    """The mount at the real path; None for one that is not there, or that a link would make writable."""
    real = os.path.realpath(mount.path)
    if not os.path.exists(real):
        return None
    if real == mount.path:
        return mount
    return None if mount.kind in ("writable", "seen") else Mount(mount.kind, real, mount.source)


def _directories(root: Path) -> list[Path]:
    """The directories in a root, and deeper ones of submodules; links and git's own are left out."""
    try:
        with os.scandir(root) as entries:
            names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    found = (root / name for name in sorted(names) if name not in (".git", ".roocode"))
    return list(dict.fromkeys((*found, *git_ground.submodules(root))))


def _in(home: str, names: Iterable[str]) -> list[str]:
    return [os.path.join(home, name) for name in names]


def _remove(path: str) -> None:
    """Takes a file, link or empty directory away; anything else is moved aside under a plain name."""
    try:
        os.unlink(path)
    except OSError:
        os.rename(path, f"{path}.refused")
