"""Paths whose loss takes the system with it, in all their spellings."""

from __future__ import annotations

import pytest

from roocode.security.permissions.dangerous.targets import Harm, is_disk, lost_file, lost_tree
from roocode.security.permissions.shell.values import Field

_CWDS = ("/home/dev/proj",)


def _tree(path: str, **marks: bool) -> str:
    return lost_tree(Field(path, live=any(mark in path for mark in "*?["), **marks), _CWDS, "/home/dev")


@pytest.mark.parametrize(
    "path",
    [
        "/", "//", "/.", "/usr/..", "/*", "/.*", "/etc", "/etc/", "/et?", "/e[t]c", "/usr/bin/*", "/home",
        "/home/*", "/home/dev", "/home/dev/*", "/home/dev/.[!.]*", "..", "../*", "../..", "../../..",
        "/root", "/Users", "/tmp", "/proc/self/root", "/proc/1/root/etc", "/home/other", "/home/dev/.ssh",
        "/home/d*", "/VAR", "/u*/bin",
    ],
)  # fmt: skip
def test_vital(path: str) -> None:
    assert _tree(path) != ""


@pytest.mark.parametrize(
    "path",
    [
        ".", "*", "build", "./tmp", "/home/dev/proj", "../other", "/tmp/x", "/tmp/x/*",
        "/var/lib/apt/lists/*", "/opt/thing", "/usr/local/lib/x", "/home/dev/.cache", "/system",
        "/workspace", "src/../build", "/etc2",
    ],
)  # fmt: skip
def test_not_vital(path: str) -> None:
    assert _tree(path) == ""


def test_a_variable_taken_as_empty_counts_only_at_the_root_and_at_home() -> None:
    assert _tree("/", guessed=True) != ""
    assert _tree("/home/dev", guessed=True) != ""
    assert _tree("/lib", guessed=True) == ""


def test_what_cannot_be_followed_is_taken_for_the_worst() -> None:
    assert lost_tree(Field("\0", endless=True), _CWDS, "/home/dev") != ""
    assert lost_tree(Field("\0", hidden=True), _CWDS, "/home/dev") != ""
    assert lost_tree(Field("\0"), _CWDS, "/home/dev") == ""


@pytest.mark.parametrize(
    "path", ["/dev/sda", "/dev/nvme0n1p2", "/dev/sd*", "/dev/disk/by-id/x", "/dev/mapper/x", "/dev/rdisk2"]
)
def test_disks(path: str) -> None:
    assert is_disk(Field(path, live="*" in path), _CWDS)


@pytest.mark.parametrize(
    "path", ["/dev/null", "/dev/stdout", "/dev/ttyUSB0", "/dev/shm/x", "disk.img", "/dev/video0"]
)
def test_no_disks(path: str) -> None:
    assert not is_disk(Field(path), _CWDS)


@pytest.mark.parametrize(
    ("path", "harms"),
    [
        ("/etc/passwd", "deletes empties writes adds"),
        ("/etc/fstab", "deletes empties writes"),
        ("/etc/hosts", "deletes empties"),
        ("/bin/sh", "deletes empties writes"),
        ("/usr/bin/mytool", ""),
        ("/usr/lib/libc.so", "deletes empties writes"),
        ("/proc/sysrq-trigger", "deletes empties writes adds"),
        ("/etc/nginx/nginx.conf", ""),
        ("a.txt", ""),
    ],
)
def test_files_of_the_system(path: str, harms: str) -> None:
    kinds: tuple[Harm, ...] = ("deletes", "empties", "writes", "adds")

    assert [harm for harm in kinds if lost_file(Field(path), _CWDS, harm)] == harms.split()
