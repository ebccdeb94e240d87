"""The argument lists of bubblewrap, from a plain description of what a command may see and write.

Facts about the program are those of bwrap(1), version 0.8: mounts are made in the order of the arguments,
and a later one covers an earlier one.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Literal, TypeAlias, assert_never

from roocode.protocol.frozen import frozen

Kind: TypeAlias = Literal["seen", "hidden", "writable", "read-only", "blank"]

_RANKS: dict[Kind, int] = {"seen": 0, "hidden": 1, "writable": 2, "read-only": 3, "blank": 4}
_KERNEL = ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "driver", "mtrr")
"""What root may write in /proc without any capability, because the files are root's."""

_HOLD = """
exec 3<&0
echo ready
while :; do
  (read -r line <&3) &
  wait $!
  [ $? -ne 1 ] || exit 0
done
"""
"""Waits for the end of its input, reaps meanwhile, and needs no program that it would have to look for."""


@frozen
class Mount:
    """One thing that differs from "the whole file system, read-only"; paths are absolute and real.

    "seen" shows a path read-only again below a hidden one, "hidden" is an empty directory, "writable" may be
    changed, "read-only" may not, whatever lies around it, "blank" is a file whose content is hidden by an
    empty one, its `source`. For others, `source` is what is shown there, the path itself where empty.
    """

    kind: Kind
    path: str
    source: str = ""


@frozen
class Enclosure:
    """What one command gets: its mounts, its first directory and whether it has the host's network."""

    mounts: tuple[Mount, ...]
    cwd: str
    network: bool = False


@frozen
class Programs:
    """Absolute paths of bubblewrap and of util-linux's nsenter."""

    bwrap: str
    nsenter: str


def ordered(mounts: Iterable[Mount]) -> tuple[Mount, ...]:
    """One mount a path, the outer before the inner, so that what lies deeper always has its way.

    For the same path the stricter kind wins.
    """
    chosen: dict[str, Mount] = {}
    for mount in sorted(mounts, key=lambda each: _RANKS[each.kind]):
        chosen[mount.path] = mount
    return tuple(sorted(chosen.values(), key=lambda each: (len(PurePosixPath(each.path).parts), each.path)))


def holder_argv(programs: Programs) -> list[str]:
    """A process that keeps the namespaces of one agent: users, processes, and a network with loopback alone.

    Its first child, a shell that reaps orphans, is process 1 of the namespace: nothing in it can end that one
    (pid_namespaces(7)), and when it ends, the kernel ends all in it. It ends with its standard input.
    """
    return [
        *(
            programs.bwrap,
            "--unshare-user",
            "--unshare-pid",
            "--unshare-net",
            "--die-with-parent",
            "--as-pid-1",
        ),
        *("--dev-bind", "/", "/", "--proc", "/proc", "--"),
        *("/bin/sh", "-c", _HOLD),
    ]


def command_argv(programs: Programs, holder: int, enclosure: Enclosure, argv: Iterable[str]) -> list[str]:
    """Runs a command in the namespaces that process `holder` is in, with mounts of its own.

    A namespace of users of its own keeps it from the holder's file system, which is the host's
    (ptrace(2) on access to /proc/PID/root).
    """
    network = () if enclosure.network else ("--net",)
    mounts = ordered(enclosure.mounts)
    whole = (
        "--bind" if any(mount.path == "/" and mount.kind == "writable" for mount in mounts) else "--ro-bind"
    )
    return [
        *(programs.nsenter, f"--target={holder}", "--user", "--mount", "--pid", *network),
        *("--preserve-credentials", "--"),
        *(programs.bwrap, "--unshare-user", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL"),
        *(whole, "/", "/", "--dev", "/dev", "--bind", "/proc", "/proc"),
        *(word for name in _KERNEL for word in ("--ro-bind-try", f"/proc/{name}", f"/proc/{name}")),
        *(word for mount in mounts if mount.path != "/" for word in _words(mount)),
        *("--chdir", enclosure.cwd, "--", *argv),
    ]


def _words(mount: Mount) -> tuple[str, ...]:
    source = mount.source or mount.path
    match mount.kind:
        case "seen" | "read-only" | "blank":
            return ("--ro-bind-try", source, mount.path)
        case "writable":
            return ("--bind", source, mount.path)
        case "hidden":
            return ("--perms", "0700", "--tmpfs", mount.path)
        case _:
            assert_never(mount.kind)
