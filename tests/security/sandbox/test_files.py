from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from roocode.protocol.errors import HostError
from roocode.protocol.tools import Workspace
from roocode.security.permissions.places import Place
from roocode.security.sandbox.files import PathRefused, SafeFiles


@pytest.fixture
def top(tmp_path: Path) -> Path:
    top = tmp_path.resolve()
    for directory in ("proj/src", "proj/.git", "outside", "home/plans", "scratch"):
        (top / directory).mkdir(parents=True)
    (top / "outside/secret.txt").write_text("secret")
    (top / "proj/src/a.py").write_text("one")
    return top


@pytest.fixture
def files(top: Path) -> SafeFiles:
    workspace = Workspace(top / "proj", scratch=top / "scratch")
    return SafeFiles(workspace, top / "home", plan_file=top / "home/plans/plan.md")


def test_read_whole_and_in_part(files: SafeFiles) -> None:
    files.write("big.txt", b"0123456789")

    assert files.read("big.txt") == b"0123456789"
    assert files.read("big.txt", limit=4) == b"0123"
    assert files.read("a.py", cwd="src") == b"one"


def test_write_keeps_mode_bits_and_leaves_nothing_behind(top: Path, files: SafeFiles) -> None:
    script = top / "proj/run.sh"
    script.write_text("old")
    script.chmod(0o755)

    files.write("run.sh", b"new")

    assert script.read_bytes() == b"new"
    assert stat.S_IMODE(script.stat().st_mode) == 0o755
    assert [entry.name for entry in files.scandir(".")] == [".git", "run.sh", "src"]


def test_write_makes_missing_directories_inside(top: Path, files: SafeFiles) -> None:
    where = files.write("a/b/c.txt", b"x")

    assert where.real == str(top / "proj/a/b/c.txt")
    assert (top / "proj/a/b/c.txt").read_bytes() == b"x"


def test_a_link_is_written_through_and_stays_a_link(top: Path, files: SafeFiles) -> None:
    (top / "proj/link.py").symlink_to("src/a.py")

    files.write("link.py", b"two")

    assert (top / "proj/link.py").is_symlink()
    assert (top / "proj/src/a.py").read_bytes() == b"two"


def test_another_hard_link_keeps_the_old_content(top: Path, files: SafeFiles) -> None:
    os.link(top / "outside/secret.txt", top / "proj/hard.txt")

    files.write("hard.txt", b"mine")

    assert (top / "outside/secret.txt").read_text() == "secret"


@pytest.mark.parametrize(
    "path", ["../outside/secret.txt", ".git/config", "src", "new/", "/etc/hosts", "a\0b"]
)
def test_refused_writes(path: str, files: SafeFiles) -> None:
    with pytest.raises(PathRefused, match="cannot be written"):
        files.write(path, b"x")


def test_a_place_that_may_be_read_is_judged_again_before_it_is_written(files: SafeFiles) -> None:
    where = files.resolve(".git/HEAD")

    with pytest.raises(PathRefused):
        files.write(where, b"x")


def test_reading_outside_is_refused(files: SafeFiles) -> None:
    with pytest.raises(PathRefused, match="outside the allowed directories"):
        files.read("../outside/secret.txt")


def test_own_files_wherever_they_lie(top: Path, files: SafeFiles) -> None:
    files.write(f"{top}/home/plans/plan.md", b"plan")
    files.write(f"{top}/scratch/x/y.txt", b"scratch")

    assert files.read(f"{top}/home/plans/plan.md") == b"plan"
    assert files.read(f"{top}/scratch/x/y.txt") == b"scratch"


def test_a_missing_file_is_the_disks_error(files: SafeFiles) -> None:
    with pytest.raises(HostError, match="No such file"):
        files.read("nothing.txt")


def test_a_parent_that_became_a_link_is_not_followed(top: Path, files: SafeFiles) -> None:
    (top / "proj/race").mkdir()
    to_write = files.resolve("race/new.txt", to_write=True)
    to_read = files.resolve("race/secret.txt")
    (top / "proj/race").rmdir()
    (top / "proj/race").symlink_to(top / "outside")

    with pytest.raises(PathRefused, match="appeared meanwhile"):
        files.write(to_write, b"x")
    with pytest.raises(PathRefused, match="appeared meanwhile"):
        files.read(to_read)
    assert not (top / "outside/new.txt").exists()


def test_a_missing_parent_that_became_a_link_is_not_followed(top: Path, files: SafeFiles) -> None:
    where = files.resolve("later/deep/new.txt", to_write=True)
    (top / "proj/later").symlink_to(top / "outside")

    with pytest.raises(PathRefused):
        files.write(where, b"x")
    assert not (top / "outside/deep").exists()


def test_a_file_that_became_a_link_is_not_followed(top: Path, files: SafeFiles) -> None:
    to_read = files.resolve("src/a.py")
    to_write = files.resolve("src/a.py", to_write=True)
    (top / "proj/src/a.py").unlink()
    (top / "proj/src/a.py").symlink_to(top / "outside/secret.txt")

    with pytest.raises(PathRefused):
        files.read(to_read)
    with pytest.raises(PathRefused):
        files.write(to_write, b"x")
    assert (top / "outside/secret.txt").read_text() == "secret"


def test_a_file_that_became_a_pipe_does_not_block(top: Path, files: SafeFiles) -> None:
    where = files.resolve("src/a.py")
    (top / "proj/src/a.py").unlink()
    os.mkfifo(top / "proj/src/a.py")

    with pytest.raises(PathRefused, match="regular file"):
        files.read(where)


def test_a_failed_write_changes_nothing(top: Path, files: SafeFiles) -> None:
    where = files.resolve("src/a.py", to_write=True)
    (top / "proj/src/a.py").unlink()
    (top / "proj/src/a.py").mkdir()

    with pytest.raises(PathRefused):
        files.write(where, b"x")
    assert os.listdir(top / "proj/src") == ["a.py"]


def test_hidden_files_are_left_out_and_not_opened(top: Path) -> None:
    (top / "proj/.env").write_text("KEY=1")
    files = SafeFiles(
        Workspace(top / "proj"), top / "home", hidden=lambda path: os.path.basename(path) == ".env"
    )
    (top / "proj/env-link").symlink_to(".env")

    assert ".env" not in [entry.name for entry in files.scandir(".")]
    for path in (".env", "env-link"):
        with pytest.raises(PathRefused, match="a rule denies"):
            files.read(path)
        with pytest.raises(PathRefused):
            files.write(path, b"x")


def test_scandir_tells_links_from_what_they_lead_to(top: Path, files: SafeFiles) -> None:
    (top / "proj/out").symlink_to(top / "outside")

    assert {entry.name: entry.kind for entry in files.scandir(".")} == {
        ".git": "directory",
        "out": "link",
        "src": "directory",
    }


def test_stat(files: SafeFiles) -> None:
    assert files.stat("src/a.py").st_size == 3
    assert stat.S_ISDIR(files.stat(".").st_mode)


def placed(top: Path, name: str) -> Place:
    """Where a rewind writes: resolved by nobody, so that any name will do."""
    path = str(top / "proj" / name)
    return Place(path, path, "missing")


def test_what_a_file_was_comes_back_with_its_right_to_be_run(top: Path, files: SafeFiles) -> None:
    script = top / "proj/src/a.py"
    script.chmod(0o640)
    files.restore(placed(top, "src/a.py"), b"was", executable=True)
    assert (script.read_bytes(), stat.S_IMODE(script.stat().st_mode)) == (b"was", 0o750)
    files.restore(placed(top, "src/a.py"), b"was", executable=False)
    assert stat.S_IMODE(script.stat().st_mode) == 0o640
    files.restore(placed(top, "new/odd\n\udcff"), b"x", executable=False)
    assert (top / "proj/new" / "odd\n\udcff").read_bytes() == b"x"


def test_links_come_and_go_as_links(top: Path, files: SafeFiles) -> None:
    files.restore_link(placed(top, "src/a.py"), b"/nowhere")
    assert os.readlink(top / "proj/src/a.py") == "/nowhere"
    (top / "proj/src/a.py").unlink()
    (top / "proj/src/a.py").symlink_to(top / "outside/secret.txt")
    files.restore(placed(top, "src/a.py"), b"one", executable=False)
    assert not (top / "proj/src/a.py").is_symlink()
    assert (top / "outside/secret.txt").read_text() == "secret"
    (top / "proj/out").symlink_to(top / "outside/secret.txt")
    files.remove(placed(top, "out"))
    assert (top / "outside/secret.txt").exists()
    assert sorted(os.listdir(top / "proj")) == [".git", "src"]


def test_directories_go_with_their_last_file_and_never_the_root(top: Path, files: SafeFiles) -> None:
    files.write("d/e/f.txt", b"x")
    files.write("d/g.txt", b"x")
    files.remove(placed(top, "d/e/f.txt"))
    assert os.listdir(top / "proj/d") == ["g.txt"]
    files.remove(placed(top, "d/g.txt"))
    files.remove(placed(top, "src/a.py"))
    (top / "proj/.git").rmdir()
    files.write("last.txt", b"x")
    files.remove(placed(top, "last.txt"))
    assert os.listdir(top / "proj") == []


def test_a_rewind_is_held_to_the_sandbox(top: Path, files: SafeFiles) -> None:
    (top / "proj/out").symlink_to(top / "outside")
    (top / "proj/dir").mkdir()
    for name in (".git/config", ".mcp.json", "../outside/secret.txt", "out/secret.txt", "dir"):
        where = Place(name, os.path.normpath(top / "proj" / name), "file")
        for change in (
            lambda where=where: files.restore(where, b"x", executable=False),
            lambda where=where: files.restore_link(where, b"x"),
            lambda where=where: files.remove(where),
        ):
            with pytest.raises((PathRefused, HostError)):
                change()
    assert (top / "outside/secret.txt").read_text() == "secret"
    assert sorted(os.listdir(top / "proj")) == [".git", "dir", "out", "src"]
    assert os.listdir(top / "proj/.git") == []
