"""Files are replaced whole or not at all, whatever dies, fills up or interferes."""

from __future__ import annotations

import os
import resource
import signal
import stat
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

import pytest

from roocode.protocol.errors import HostError
from roocode.protocol.tools import Workspace
from roocode.security.permissions.places import Place
from roocode.security.sandbox import replacing
from roocode.security.sandbox.files import SafeFiles
from roocode.security.sandbox.replacing import FileChanged, replace_file, replace_link

OLD, NEW = b"old\n" * 1000, b"new and longer\n" * 1000
NOBODY = 65534


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[tuple[Path, int]]:
    """A directory, and a descriptor of it."""
    directory = tmp_path / "project"
    directory.mkdir()
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    yield directory, descriptor
    os.close(descriptor)


def nothing() -> None:
    """No check."""


def in_child(action: Callable[[], None]) -> int:
    """Runs something in a forked child; its wait status: 0 where it returned."""
    child = os.fork()
    if child == 0:
        code = 1
        with suppress(BaseException):
            action()
            code = 0
        os._exit(code)
    return os.waitpid(child, 0)[1]


def killed_at(step: int, action: Callable[[], None]) -> Callable[[], None]:
    """An action whose process kills itself before the `step`-th line of the module that replaces files."""

    def run() -> None:
        left = step

        def trace(frame: FrameType, event: str, _: object) -> object:
            nonlocal left
            if frame.f_code.co_filename != replacing.__file__:
                return None
            if event == "line":
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
            return trace

        sys.settrace(trace)  # type: ignore[arg-type]
        action()

    return run


@pytest.mark.parametrize("there", [OLD, None])
def test_a_kill_at_any_line_leaves_the_old_file_or_the_new_one(
    folder: tuple[Path, int], there: bytes | None
) -> None:
    directory, parent = folder
    file = directory / "f"

    def write() -> None:
        replace_file(parent, "f", NEW, check=nothing, replacing=there)

    seen, step, ended = set(), 0, -1
    while ended != 0:
        step += 1
        file.unlink(missing_ok=True)
        if there is not None:
            file.write_bytes(there)
        ended = in_child(killed_at(step, write))
        assert ended in (0, signal.SIGKILL)
        seen.add(file.read_bytes() if file.exists() else None)
        replace_file(parent, "other", b"x", check=nothing)
        assert set(os.listdir(directory)) - {"f"} == {"other"}, step
    assert step > 40
    assert seen == {there, NEW}


@pytest.mark.parametrize("make_link", [True, False])
def test_a_kill_at_any_line_leaves_what_there_was_or_what_comes(
    folder: tuple[Path, int], make_link: bool
) -> None:
    directory, parent = folder
    file = directory / "f"

    def put() -> None:
        if make_link:
            replace_link(parent, "f", b"new", check=nothing)
        else:
            replace_file(parent, "f", NEW, check=nothing)

    seen, step, ended = set(), 0, -1
    while ended != 0:
        step += 1
        file.unlink(missing_ok=True)
        file.symlink_to("old")
        ended = in_child(killed_at(step, put))
        assert ended in (0, signal.SIGKILL)
        seen.add(os.readlink(file).encode() if file.is_symlink() else file.read_bytes())
        replace_file(parent, "other", b"x", check=nothing)
        assert set(os.listdir(directory)) - {"f"} == {"other"}, step
    assert step > 20
    assert seen == {b"old", b"new" if make_link else NEW}


def test_a_failed_link_leaves_the_file_and_says_why(folder: tuple[Path, int]) -> None:
    directory, parent = folder
    (directory / "f").write_bytes(OLD)

    def check() -> None:
        for link in directory.glob(".roocode-*.link.tmp"):
            link.unlink()
        raise HostError("it was moved")

    with pytest.raises(HostError, match="it was moved"):
        replace_link(parent, "f", b"new", check=check)
    assert (directory / "f").read_bytes() == OLD
    assert os.listdir(directory) == ["f"]


def test_a_temporary_link_of_a_living_writer_is_left_alone(folder: tuple[Path, int]) -> None:
    directory, parent = folder
    replace_link(parent, "f", b"new", check=lambda: replace_file(parent, "other", b"x", check=nothing))
    assert os.readlink(directory / "f") == "new"
    assert sorted(os.listdir(directory)) == ["f", "other"]


def test_nothing_of_what_a_link_leads_to_is_taken_over(folder: tuple[Path, int]) -> None:
    directory, parent = folder
    (directory / "target").write_bytes(OLD)
    (directory / "target").chmod(0o751)
    (directory / "f").symlink_to("target")
    replace_file(parent, "f", NEW, check=nothing)
    assert stat.S_IMODE((directory / "f").lstat().st_mode) & ~0o644 == 0
    assert (directory / "target").read_bytes() == OLD


def test_a_temporary_file_of_a_living_writer_is_left_alone(folder: tuple[Path, int]) -> None:
    directory, parent = folder
    during = []

    def check() -> None:
        replace_file(parent, "other", b"x", check=nothing)
        during.extend(os.listdir(directory))

    replace_file(parent, "f", NEW, check=check)

    assert len(during) == 2
    assert sorted(os.listdir(directory)) == ["f", "other"]


@pytest.mark.parametrize("interfere", ["content", "replaced", "removed"])
def test_what_something_else_wrote_meanwhile_is_kept(folder: tuple[Path, int], interfere: str) -> None:
    directory, parent = folder
    file = directory / "f"
    file.write_bytes(OLD)

    def check() -> None:
        match interfere:
            case "content":
                file.write_bytes(b"theirs")
            case "replaced":
                (directory / "g").write_bytes(b"theirs")
                (directory / "g").rename(file)
            case _:
                file.unlink()

    with pytest.raises(FileChanged, match="that was kept, and nothing was written"):
        replace_file(parent, "f", NEW, check=check, replacing=OLD)

    assert os.listdir(directory) == ([] if interfere == "removed" else ["f"])
    assert interfere == "removed" or file.read_bytes() == b"theirs"


def test_a_file_that_appeared_meanwhile_is_kept(folder: tuple[Path, int]) -> None:
    directory, parent = folder
    with pytest.raises(FileChanged):
        replace_file(
            parent, "f", NEW, check=lambda: (directory / "f").write_text("theirs") and None, replacing=None
        )
    assert (directory / "f").read_text() == "theirs"
    assert os.listdir(directory) == ["f"]


@contextmanager
def at_function(name: str, action: Callable[[], None]) -> Iterator[None]:
    """Something else acts whenever the module that replaces files begins this function."""

    def trace(frame: FrameType, event: str, _: object) -> None:
        if frame.f_code.co_filename == replacing.__file__ and frame.f_code.co_name == name:
            action()

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


def test_bytes_that_the_disk_changed_are_told_before_they_count(folder: tuple[Path, int]) -> None:
    directory, parent = folder
    (directory / "f").write_bytes(OLD)

    def damage() -> None:
        for file in directory.glob(".roocode-*.tmp"):
            file.write_bytes(NEW[:-1] + b"?")

    with at_function("_keep", damage), pytest.raises(HostError, match="other bytes than it was given"):
        replace_file(parent, "f", NEW, check=nothing)
    assert (directory / "f").read_bytes() == OLD
    assert os.listdir(directory) == ["f"]


def test_a_file_that_does_not_hold_what_was_written_is_told(folder: tuple[Path, int]) -> None:
    directory, parent = folder
    asked = 0

    def damage() -> None:
        nonlocal asked
        asked += 1
        if asked == 2:
            (directory / "f").write_bytes(NEW[:100])

    with (
        at_function("_holds", damage),
        pytest.raises(HostError, match="f does not hold what was just written"),
    ):
        replace_file(parent, "f", NEW, check=nothing)


def test_a_file_that_appears_at_the_last_moment_is_kept(folder: tuple[Path, int]) -> None:
    directory, parent = folder

    appearing = at_function("_put", lambda: (directory / "f").write_text("theirs") and None)
    with appearing, pytest.raises(FileChanged):
        replace_file(parent, "f", NEW, check=nothing, replacing=None)
    assert (directory / "f").read_text() == "theirs"
    assert os.listdir(directory) == ["f"]


def test_a_link_that_appeared_meanwhile_is_not_followed(folder: tuple[Path, int]) -> None:
    directory, parent = folder
    (directory / "target").write_bytes(OLD)
    with pytest.raises(FileChanged):
        replace_file(parent, "f", NEW, check=lambda: (directory / "f").symlink_to("target"), replacing=None)
    assert (directory / "target").read_bytes() == OLD


def test_mode_and_attributes_are_kept(folder: tuple[Path, int]) -> None:
    directory, parent = folder
    file = directory / "f"
    file.write_bytes(OLD)
    file.chmod(0o2751)
    attributes = {}
    with suppress(OSError):
        os.setxattr(file, "user.note", b"kept")
        attributes = {"user.note": b"kept"}

    replace_file(parent, "f", NEW, check=nothing, replacing=OLD)

    assert stat.S_IMODE(file.stat().st_mode) == 0o2751
    assert {name: os.getxattr(file, name) for name in attributes} == attributes


def test_access_lists_are_kept_and_not_invented(folder: tuple[Path, int]) -> None:
    directory, parent = folder
    file = directory / "f"
    file.write_bytes(OLD)
    entries = [(0x01, 6, -1), (0x02, 4, 1234), (0x04, 4, -1), (0x10, 4, -1), (0x20, 0, -1)]
    listed = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
    try:
        os.setxattr(file, "system.posix_acl_access", listed)
        os.setxattr(directory, "system.posix_acl_default", listed)
    except OSError:
        pytest.skip("this disk has no access lists")
    (directory / "plain").write_bytes(OLD)
    os.removexattr(directory / "plain", "system.posix_acl_access")

    for name in ("f", "plain"):
        replace_file(parent, name, NEW, check=nothing)

    assert os.getxattr(file, "system.posix_acl_access") == listed
    assert "system.posix_acl_access" not in os.listxattr(directory / "plain")


def test_a_new_file_has_the_mode_that_the_umask_leaves(folder: tuple[Path, int]) -> None:
    directory, parent = folder
    before = os.umask(0o027)
    try:
        replace_file(parent, "f", NEW, check=nothing, replacing=None)
    finally:
        os.umask(before)
    assert stat.S_IMODE((directory / "f").stat().st_mode) == 0o640


@pytest.mark.skipif(os.geteuid() != 0, reason="gives a file to another user")
def test_the_owner_is_kept(folder: tuple[Path, int]) -> None:
    directory, parent = folder
    file = directory / "f"
    file.write_bytes(OLD)
    os.chown(file, 1234, 4321)

    replace_file(parent, "f", NEW, check=nothing)

    assert (file.stat().st_uid, file.stat().st_gid) == (1234, 4321)


def written(files: SafeFiles) -> object:
    return files.write("f", NEW)


def said_by(path: Path, before: Callable[[], None], change: Callable[[SafeFiles], object] = written) -> str:
    """What SafeFiles says in a child that was prepared by `before`, to a change that writes NEW."""
    reader, writer = os.pipe()

    def action() -> None:
        before()
        try:
            change(SafeFiles(Workspace(path), path))
            os.write(writer, b"written")
        except HostError as error:
            os.write(writer, str(error).encode())

    assert in_child(action) == 0
    os.close(writer)
    with os.fdopen(reader) as stream:
        return stream.read()


def test_a_full_disk_leaves_the_old_file(folder: tuple[Path, int]) -> None:
    directory, _ = folder
    (directory / "f").write_bytes(OLD)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

    said = said_by(directory, limit)

    assert said.startswith(f"{directory}/f could not be written: File too large. It is as it was before.\n")
    assert str(directory) in said
    assert (directory / "f").read_bytes() == OLD
    assert os.listdir(directory) == ["f"]
    assert said_by(directory, nothing) == "written"
    assert (directory / "f").read_bytes() == NEW


def test_a_full_disk_leaves_the_link_that_a_file_was_to_replace(folder: tuple[Path, int]) -> None:
    directory, _ = folder
    (directory / "f").symlink_to("elsewhere")
    where = Place(str(directory / "f"), str(directory / "f"), "file")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

    said = said_by(directory, limit, lambda files: files.restore(where, NEW, executable=False))

    assert said.startswith(f"{directory}/f could not be written: File too large. It is as it was before.\n")
    assert os.readlink(directory / "f") == "elsewhere"
    assert os.listdir(directory) == ["f"]


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")
@pytest.mark.parametrize(("mode", "owner"), [(0o444, NOBODY), (0o644, 0)])
def test_a_write_protected_file_is_not_replaced(
    folder: tuple[Path, int], mode: int, owner: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory, _ = folder
    monkeypatch.chdir("/")
    (directory / "f").write_bytes(OLD)
    (directory / "f").chmod(mode)
    os.chown(directory / "f", owner, owner)
    os.chown(directory, NOBODY, NOBODY)
    open_way(directory)

    said = said_by(directory, lambda: os.setuid(NOBODY))

    assert said.startswith(
        f"{directory}/f could not be written: it is write-protected. It is as it was before.\n"
    )
    assert (directory / "f").read_bytes() == OLD


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")
def test_no_program_gets_the_rights_of_who_edits_it(folder: tuple[Path, int]) -> None:
    directory, _ = folder
    (directory / "f").write_bytes(OLD)
    (directory / "f").chmod(0o6777)
    os.chown(directory, NOBODY, NOBODY)
    open_way(directory)

    assert said_by(directory, lambda: os.setuid(NOBODY)) == "written"

    status = (directory / "f").stat()
    assert (status.st_uid, stat.S_IMODE(status.st_mode)) == (NOBODY, 0o777)


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")
def test_a_directory_that_is_not_ours_is_named(folder: tuple[Path, int]) -> None:
    directory, _ = folder
    (directory / "f").write_bytes(OLD)
    (directory / "f").chmod(0o666)
    directory.chmod(0o555)
    open_way(directory)

    said = said_by(directory, lambda: os.setuid(NOBODY))

    assert said.startswith(f"{directory}/f could not be written: Permission denied.")
    assert f"of {directory}" in said
    assert os.listdir(directory) == ["f"]


def open_way(directory: Path) -> None:
    """Lets every user reach a directory below pytest's private ones."""
    for parent in directory.parents:
        if parent == Path(tempfile.gettempdir()).resolve():
            return
        parent.chmod(0o755)


def test_a_disk_that_is_full(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        files = SafeFiles(Workspace(disk), disk)
        files.write("f", OLD)
        with pytest.raises(HostError, match=r"No space left on device\. It is as it was before\.\nFree some"):
            files.write("f", b"x" * 100_000)
        assert (disk / "f").read_bytes() == OLD
        assert os.listdir(disk) == ["f"]
        files.write("f", NEW)
        assert (disk / "f").read_bytes() == NEW
    finally:
        subprocess.run(["umount", str(disk)], check=True)
