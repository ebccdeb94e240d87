"""Paths whose loss takes the system, the home directory or a disk with it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias

from roocode.protocol.frozen import frozen
from roocode.security.permissions.shell.programs import names
from roocode.security.permissions.shell.values import UNKNOWN, Field

_SYSTEM = names(
    "/bin /boot /cores /dev /etc /home /lib /lib32 /lib64 /libx32 /lost+found /media /mnt /nix /opt /proc "
    "/root /run /sbin /snap /srv /sys /usr /var /Applications /Library /Network /System /Users /Volumes "
    "/private /tmp /usr/bin /usr/include /usr/lib /usr/lib32 /usr/lib64 /usr/libexec /usr/local "
    "/usr/local/bin /usr/local/lib /usr/local/sbin /usr/sbin /usr/share /usr/src /var/backups /var/cache "
    "/var/db /var/lib /var/lib/dpkg /var/lib/rpm /var/lib/pacman /var/lib/systemd /var/lib/docker "
    "/var/lib/mysql /var/lib/postgresql /var/log /var/mail /var/opt /var/root /var/run /var/spool /var/tmp "
    "/var/www /private/etc /private/var /private/var/db /private/tmp /lib/modules /lib/systemd "
    "/lib/x86_64-linux-gnu /lib/aarch64-linux-gnu /usr/lib/x86_64-linux-gnu /usr/lib/aarch64-linux-gnu "
    "/usr/lib/systemd /usr/lib/modules /boot/efi /boot/grub /boot/loader /run/systemd "
    "/Library/LaunchDaemons /Library/Preferences /System/Library /System/Volumes /opt/homebrew /etc/apt "
    "/etc/cron.d /etc/default /etc/grub.d /etc/init.d /etc/ld.so.conf.d /etc/modprobe.d /etc/network "
    "/etc/nixos /etc/pam.d /etc/rc.d /etc/security /etc/selinux /etc/ssh /etc/ssl /etc/sudoers.d "
    "/etc/sysconfig /etc/systemd /etc/udev /etc/profile.d /etc/NetworkManager /etc/kernel /etc/alternatives"
)
"""Directories that the system does not live without (FHS 3.0, hier(7), macOS), or that hold others' data."""

_PERSONAL = names(
    ".ssh .gnupg .config .local .local/share .password-store .aws .kube .mozilla .thunderbird Desktop "
    "Documents Downloads Library Movies Music Pictures Videos Public Mail Maildir"
)
"""Directories of a home that hold what cannot be made again."""

_ACCOUNTS = names(
    "/etc/passwd /etc/shadow /etc/group /etc/gshadow /etc/sudoers /etc/ld.so.preload /etc/master.passwd"
)
"""Files that nothing may be put into."""

_BOOT_FILES = _ACCOUNTS | names(
    "/etc/fstab /etc/crypttab /etc/inittab /etc/ld.so.conf /etc/ld.so.cache /etc/mtab /etc/login.defs "
    "/etc/pam.conf /etc/default/grub /boot/grub/grub.cfg /dev/mem /dev/kmem /dev/port /dev/nvram /dev/random "
    "/dev/urandom"
)
"""Files that may not be written over."""

_SYSTEM_FILES = _BOOT_FILES | names(
    "/etc/hosts /etc/hostname /etc/resolv.conf /etc/nsswitch.conf /etc/profile /etc/environment "
    "/etc/bash.bashrc /etc/bashrc /etc/zshrc /etc/shells /etc/securetty /etc/ssh/sshd_config /etc/os-release "
    "/etc/machine-id /etc/crontab /etc/sysctl.conf /etc/modules /etc/exports /etc/rc.conf /etc/subuid "
    "/etc/subgid /etc/locale.conf"
)
"""Files that may not be deleted or emptied, though a person may well change them."""

_SWITCHES = (
    "/proc/sysrq-trigger", "/sys/power/*", "/sys/block/*/device/delete", "/sys/class/block/*/device/delete",
)  # fmt: skip
_CORE_PLACES = names(
    "/boot /etc/pam.d /etc/sudoers.d /etc/security /lib /lib64 /usr/lib /usr/lib64 /lib/modules "
    "/lib/x86_64-linux-gnu /lib/aarch64-linux-gnu /System/Library"
)
_PROGRAM_PLACES = names("/bin /sbin /usr/bin /usr/sbin /usr/libexec /sys")
_CORE_PROGRAMS = names(
    "sh bash dash ls cat cp mv rm ln mkdir chmod chown ps kill mount umount login su sudo init systemd "
    "systemctl passwd ssh sshd env test grep sed tar getty agetty udevd"
)
_DISKS = (
    "sd[a-z]*", "hd[a-z]*", "vd[a-z]*", "xvd[a-z]*", "nvme[0-9]*", "mmcblk[0-9]*", "disk[0-9]*",
    "rdisk[0-9]*", "dm-[0-9]*", "md[0-9]*", "nbd[0-9]*", "zd[0-9]*", "dasd[a-z]*", "sr[0-9]*", "ada[0-9]*",
    "da[0-9]*", "wd[0-9]*", "nvd[0-9]*", "fioa*", "pmem[0-9]*", "drbd[0-9]*", "bcache[0-9]*", "loop[0-9]*",
    "mtd[0-9]*", "mtdblock[0-9]*",
)  # fmt: skip
_DISK_DIRECTORIES = (
    "/dev/disk/",
    "/dev/mapper/",
    "/dev/block/",
    "/dev/md/",
    "/dev/zvol/",
    "/dev/vg",
    "/dev/ubuntu-vg/",
)


Harm: TypeAlias = Literal["deletes", "empties", "writes", "adds"]
"""What is done to a file, the worst first."""

_VITAL: Mapping[Harm, frozenset[str]] = {
    "adds": _ACCOUNTS,
    "writes": _BOOT_FILES,
    "empties": _SYSTEM_FILES,
    "deletes": _SYSTEM_FILES,
}


@frozen
class Surroundings:
    """Where a line runs: the person's home directory and the branches that nobody may rewrite."""

    home: str
    protected_branches: tuple[str, ...]


def places(field: Field, cwds: Sequence[str]) -> list[str]:
    """The absolute paths that an argument may mean, without dots but with wildcards."""
    text = field.text
    if not text or UNKNOWN in text:
        return []
    if text.startswith("/"):
        starts: Iterable[str] = ("/",)
    else:
        starts = [cwd for cwd in cwds if cwd]
    found = ["/" + posixpath.normpath(posixpath.join(start, text)).lstrip("/") for start in starts]
    return [_through_proc(path, cwds) for path in found]


def _through_proc(path: str, cwds: Sequence[str]) -> str:
    """/proc/self/root is the root, /proc/self/cwd the working directory."""
    parts = path.split("/")
    if len(parts) > 3 and parts[1] == "proc" and parts[3] in ("root", "cwd"):
        base = "/" if parts[3] == "root" else (cwds[0] if cwds else "")
        return posixpath.normpath(posixpath.join(base or "/", *parts[4:]))
    return path


def lost_tree(field: Field, cwds: Sequence[str], home: str) -> str:
    """What would be lost with the whole tree that an argument names, or "" where it is nothing vital.

    A wildcard that takes everything in a directory counts as the directory.
    """
    if field.endless:
        return "one of too many possible paths to follow"
    if field.hidden and UNKNOWN in field.text:
        return "a path that is put together out of sight"
    if field.some:
        return ""
    for path in places(field, cwds):
        for wide in _widened(path, live=field.live):
            if found := _vital(wide, field, home):
                return found
    return ""


def _vital(path: str, field: Field, home: str) -> str:
    if field.guessed:
        return f"{path}, should the variable in it be empty" if path in ("/", home) else ""
    if path == "/":
        return "the whole system"
    if _fits(home, path, live=field.live):
        return "the home directory"
    if any(_fits(parent, path, live=field.live) for parent in _parents(home)):
        return f"{path}, which the home directory is in"
    if any(_fits(known, path, live=field.live) for known in _SYSTEM):
        return f"the system directory {path}"
    if posixpath.dirname(path) in ("/home", "/Users") or _fits("/root", path, live=field.live):
        return f"the home directory {path}"
    if any(_fits(f"{home}/{name}", path, live=field.live) for name in _PERSONAL):
        return f"personal data in {path}"
    return ""


def _widened(path: str, *, live: bool) -> Iterator[str]:
    """The path, and the directory whose whole content it names."""
    yield path
    while live and path != "/" and _takes_all(posixpath.basename(path)):
        path = posixpath.dirname(path)
        yield path


def _takes_all(name: str) -> bool:
    """Whether a pattern fits (nearly) every name: `*`, `.*`, `?*`, `[!.]*`, `.??*`."""
    if not any(mark in name for mark in "*?"):
        return False
    rest = name
    while "[" in rest and "]" in rest[rest.index("[") :]:
        start = rest.index("[")
        rest = rest[:start] + rest[rest.index("]", start + 1) + 1 :] if "]" in rest[start + 1 :] else ""
    return not rest.strip("*?.")


def _fits(known: str, path: str, *, live: bool) -> bool:
    """Whether a path, perhaps with wildcards, names a known one; capitals do not hide a name without."""
    if known.islower():
        path = path.casefold()
    if not live:
        return known == path
    wanted, given = known.split("/"), path.split("/")
    return len(wanted) == len(given) and all(
        fnmatchcase(name, pattern.replace("[^", "[!")) for name, pattern in zip(wanted, given, strict=True)
    )


def _parents(path: str) -> Iterator[str]:
    while len(path) > 1:
        path = posixpath.dirname(path)
        if path != "/":
            yield path


def is_disk(field: Field, cwds: Sequence[str]) -> bool:
    """Whether an argument names a block device, or a path put together out of sight."""
    if field.hidden and UNKNOWN in field.text:
        return True
    for path in places(field, cwds):
        if path.startswith(_DISK_DIRECTORIES):
            return True
        directory, _, name = path.rpartition("/")
        if directory != "/dev":
            continue
        literal = name.split("*")[0].split("?")[0].split("[")[0] if field.live else name
        if any(fnmatchcase(name, pattern) for pattern in _DISKS):
            return True
        if field.live and any(
            pattern.startswith(literal) or literal.startswith(pattern[:2]) for pattern in _DISKS
        ):
            return True
    return False


def lost_file(field: Field, cwds: Sequence[str], harm: Harm = "writes") -> str:
    """What would be lost with the content of the file that an argument names, or ""."""
    if field.endless:
        return "one of too many possible files to follow"
    if is_disk(field, cwds):
        return f"the disk {field.text}"
    for path in places(field, cwds):
        if path not in ("/dev/null", "/dev/zero") and _is_vital_file(path, field.live, harm):
            return f"the system file {path}"
    return ""


def _is_vital_file(path: str, live: bool, harm: Harm) -> bool:
    if any(_fits(each, path, live=live) for each in _VITAL[harm]):
        return True
    if any(fnmatchcase(path, switch) for switch in _SWITCHES):
        return True
    directory, _, name = path.rpartition("/")
    if harm == "adds":
        return False
    if any(_fits(each, directory, live=live) for each in _CORE_PLACES):
        return True
    in_programs = any(_fits(each, directory, live=live) for each in _PROGRAM_PLACES)
    return in_programs and (live or name in _CORE_PROGRAMS)
