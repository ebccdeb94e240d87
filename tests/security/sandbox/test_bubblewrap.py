"""Argument lists of bubblewrap: pure, and so tested everywhere."""

from __future__ import annotations

from roocode.security.sandbox.bubblewrap import (
    Enclosure,
    Mount,
    Programs,
    command_argv,
    holder_argv,
    ordered,
)

PROGRAMS = Programs("/usr/bin/bwrap", "/usr/bin/nsenter")


def triples(argv: list[str]) -> list[tuple[str, ...]]:
    """Every option with the two words behind it."""
    return [tuple(argv[at : at + 3]) for at in range(len(argv) - 2)]


def test_the_inner_mount_comes_after_the_outer_and_the_stricter_wins() -> None:
    mounts = (
        Mount("read-only", "/p/.roocode"),
        Mount("writable", "/p/.roocode/worktrees/ann"),
        Mount("writable", "/p"),
        Mount("read-only", "/p/.roocode/worktrees/ann/.git"),
        Mount("seen", "/tmp/x"),
        Mount("writable", "/tmp", "/own"),
        Mount("writable", "/p/.git"),
        Mount("read-only", "/p/.git"),
    )
    assert [(mount.kind, mount.path) for mount in ordered(mounts)] == [
        ("writable", "/p"),
        ("writable", "/tmp"),
        ("read-only", "/p/.git"),
        ("read-only", "/p/.roocode"),
        ("seen", "/tmp/x"),
        ("writable", "/p/.roocode/worktrees/ann"),
        ("read-only", "/p/.roocode/worktrees/ann/.git"),
    ]


def test_a_command_has_no_rights_and_a_read_only_system() -> None:
    argv = command_argv(PROGRAMS, 77, Enclosure((), "/p"), ["true", "--net"])
    before = argv[: argv.index("--ro-bind")]
    assert argv[0] == "/usr/bin/nsenter"
    assert "--target=77" in before
    assert "--unshare-user" in before
    assert before[-2:] == ["--cap-drop", "ALL"]
    assert ("--ro-bind", "/", "/") in triples(argv)
    assert ("--ro-bind-try", "/proc/sys", "/proc/sys") in triples(argv)
    assert argv[-5:] == ["--chdir", "/p", "--", "true", "--net"]


def test_only_a_granted_command_keeps_the_hosts_network() -> None:
    def enters_network(network: bool) -> bool:
        argv = command_argv(PROGRAMS, 77, Enclosure((), "/p", network), ["true"])
        return "--net" in argv[: argv.index("--preserve-credentials")]

    assert enters_network(False)
    assert not enters_network(True)
    assert "--unshare-net" in holder_argv(PROGRAMS)


def test_every_kind_of_mount_has_its_words() -> None:
    mounts = (
        Mount("seen", "/tmp/a"),
        Mount("hidden", "/run"),
        Mount("writable", "/p", "/source"),
        Mount("read-only", "/p/.roocode"),
        Mount("blank", "/home/u/.netrc", "/own/blank"),
    )
    found = triples(command_argv(PROGRAMS, 77, Enclosure(mounts, "/p"), ["true"]))
    assert ("--ro-bind-try", "/tmp/a", "/tmp/a") in found
    assert ("0700", "--tmpfs", "/run") in found
    assert ("--bind", "/source", "/p") in found
    assert ("--ro-bind-try", "/p/.roocode", "/p/.roocode") in found
    assert ("--ro-bind-try", "/own/blank", "/home/u/.netrc") in found


def test_the_whole_system_may_be_the_project_and_devices_stay_few() -> None:
    argv = command_argv(PROGRAMS, 77, Enclosure((Mount("writable", "/"),), "/"), ["true"])
    assert triples(argv).count(("--bind", "/", "/")) == 1
    assert argv.index("/dev") > argv.index("--bind")
    assert ("--ro-bind", "/", "/") not in triples(argv)
