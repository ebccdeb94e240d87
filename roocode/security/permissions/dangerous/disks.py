"""Formatting, wiping and repartitioning disks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roocode.security.permissions.dangerous.targets import is_disk
from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.options import parse_options
from roocode.security.permissions.shell.programs import names
from roocode.security.permissions.shell.values import Field

_FORMATTERS = names(
    "mke2fs mkswap mkdosfs mkntfs mkexfatfs mkudffs mkreiserfs newfs newfs_apfs newfs_hfs newfs_msdos"
)
_WIPERS = names("blkdiscard sg_format scrub nwipe dban badblocks pvcreate zerofree")
_COPIERS = names("ddrescue dd_rescue dcfldd dc3dd qemu-img partclone fsarchiver pv usb-creator etcher balena")
_VOLUMES = names("pvremove vgremove lvremove")
_PARTITIONERS = names("fdisk sfdisk gdisk sgdisk cfdisk cgdisk parted partprobe")
_ONLY_SHOW: Mapping[str, frozenset[str]] = {
    "fdisk": names("-l --list -x --list-details -s --getsz -V -h --help --version"),
    "sfdisk": names("-l --list -d --dump -J --json -F -V -h -s -g --help --version"),
    "gdisk": names("-l"),
    "sgdisk": names("-p --print -v --verify -i --info -V"),
    "parted": names("-l --list -m --machine -v --version -h --help"),
}

_ACTIONS: Mapping[str, frozenset[str]] = {
    "cryptsetup": names(
        "luksFormat erase luksErase reencrypt luksKillSlot luksRemoveKey luksHeaderRestore format plainOpen"
    ),
    "diskutil": names(
        "eraseDisk eraseVolume eraseOptical zeroDisk randomDisk secureErase partitionDisk reformat "
        "splitPartition mergePartitions resizeVolume deleteContainer deleteVolume eraseall"
    ),
    "zpool": names("destroy create labelclear"),
    "zfs": names("destroy rollback"),
    "nvme": names("format sanitize write-zeroes write-uncor delete-ns device-self-test dsm"),
    "btrfs": names("replace device"),
    "asr": names("restore"),
    "dmsetup": names("remove remove_all wipe_table create"),
}
_OPTIONS: Mapping[str, frozenset[str]] = {
    "hdparm": names(
        "--security-erase --security-erase-enhanced --trim-sector-ranges --write-sector --make-bad-sector "
        "--dco-restore --repair-sector --sanitize-block-erase --sanitize-overwrite --sanitize-crypto-scramble"
    ),
    "mdadm": names("--zero-superblock --create -C --remove --stop"),
    "debugfs": names("-w"),
    "flashrom": names("-w -E --write --erase"),
}


def disk_damage(call: Call) -> str:
    """Why a call is refused for what it would do to a disk, or ""."""
    name = call.name
    texts = call.texts
    if name in _ACTIONS:
        wanted = {action.lower() for action in _ACTIONS[name]}
        hit = wanted & {text.lower() for text in texts}
        return f"{name} {sorted(hit)[0]} destroys what is on a disk" if hit else ""
    if name in _OPTIONS:
        given = {option.partition("=")[0] for option, _ in parse_options(call.arguments).options}
        return f"{name} destroys what is on a disk" if given & _OPTIONS[name] else ""
    if _is_formatter(name):
        return _formatting(call)
    if name in _PARTITIONERS:
        return _partitioning(call)
    if name == "wipefs" and parse_options(call.arguments, names("-o -t")).has(
        "-a", "--all", "-o", "--offset"
    ):
        return "wipefs destroys what is on a disk"
    if name == "badblocks" and not parse_options(call.arguments).has("-w", "-n"):
        return ""
    if name in _VOLUMES and call.arguments:
        return "" if texts[0] in ("--help", "--version") else f"{name} destroys a volume"
    if name in _COPIERS or name.startswith("partclone."):
        return _copying(call)
    if name in _WIPERS and _names_disk(call.arguments, call.cwds):
        return f"{name} destroys what is on a disk"
    return ""


def _copying(call: Call) -> str:
    """The disk that is written comes last, or behind `of=` or `-o`."""
    outputs = [field.with_text(field.text[3:]) for field in call.arguments if field.text.startswith("of=")]
    outputs += parse_options(call.arguments, names("-o -O -s --output")).values("-o", "-O", "--output")
    outputs += parse_options(call.arguments, names("-f -O -s -o")).operands[-1:]
    return f"{call.name} writes over a disk" if any(is_disk(field, call.cwds) for field in outputs) else ""


def _is_formatter(name: str) -> bool:
    return name in _FORMATTERS or name == "mkfs" or name.startswith("mkfs.")


def _formatting(call: Call) -> str:
    """An image file may be formatted; what is not known, or is no path, is taken for a disk."""
    valued = names("-t -L -b -U -O -E -m -n -N -I -i -T -d -s -S -R")
    parsed = parse_options(call.arguments, valued | (names("-F") if "fat" in call.name else frozenset()))
    if not call.arguments or parsed.has("--version", "--help", "-V", "-h"):
        return ""
    operands = parsed.operands
    plain = operands and all(
        field.known and not is_disk(field, call.cwds) and not _in_dev(field) for field in operands
    )
    return "" if plain else f"{call.name} formats a disk"


def _in_dev(field: Field) -> bool:
    return field.text.startswith("/dev/")


def _partitioning(call: Call) -> str:
    given = {option for option, _ in parse_options(call.arguments).options}
    shows = bool(given) and given <= _ONLY_SHOW.get(call.name, frozenset())
    shows = shows or (
        call.name == "parted" and bool({"print", "p"} & set(call.texts)) and not _changes(call.texts)
    )
    return (
        ""
        if shows or not _names_disk(call.arguments, call.cwds)
        else f"{call.name} changes the partitions of a disk"
    )


def _changes(texts: Sequence[str]) -> bool:
    return not names("mklabel mktable mkpart rm resizepart move name set toggle rescue").isdisjoint(texts)


def _names_disk(fields: Sequence[Field], cwds: Sequence[str]) -> bool:
    return any(is_disk(field, cwds) or _in_dev(field) or field.endless for field in fields)
