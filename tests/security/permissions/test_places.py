from __future__ import annotations

import os
from pathlib import Path

import pytest

from roocode.security.permissions.places import Place, locate, within


def _locate(path: str, cwd: Path) -> Place:
    return locate(path, str(cwd), str(cwd / "home"))


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("", "empty"),
        ("a\0b", "control character"),
        ("a\nb", "control character"),
        ("a\x1b[2Jb", "control character"),
        (" a", "blank"),
        ("a ", "blank"),
        ("~root/x", "named user"),
        ("file:///etc/passwd", "URL"),
        ("git+ssh://host/x", "URL"),
        ("/proc/self/environ", "/proc"),
        ("a" * 300, "cannot be looked at"),
        ("a\ud800b", "cannot be looked at"),
    ],
)
def test_spellings_that_programs_disagree_on_are_refused(path: str, reason: str, tmp_path: Path) -> None:
    where = _locate(path, tmp_path)

    assert reason in where.refused
    assert where.real == ""


@pytest.mark.parametrize(
    "path", ["$HOME/x", "a$(id)b", "%2e%2e/x", "..\\x", "./~/x", "a://b/c d", "src/x://y"]
)
def test_other_characters_are_plain(path: str, tmp_path: Path) -> None:
    where = _locate(path, tmp_path.resolve())

    assert where.refused == "" or path == "a://b/c d"
    assert not where.real or within(where.real, str(tmp_path.resolve()))


def test_dots_are_resolved_after_links_as_the_kernel_does(tmp_path: Path) -> None:
    top = tmp_path.resolve()
    (top / "far/away").mkdir(parents=True)
    (top / "here").mkdir()
    (top / "here/link").symlink_to("../far/away")

    where = _locate("here/link/../x", top)

    assert where.real == str(top / "far/x")
    assert where.spelled == str(top / "here/x")
    assert where.links == (str(top / "here/link"),)
    assert where.kind == "missing"


def test_a_missing_path_is_resolved_through_the_links_that_exist(tmp_path: Path) -> None:
    top = tmp_path.resolve()
    (top / "out").mkdir()
    (top / "link").symlink_to(top / "out")

    assert _locate("link/a/b/../c", top).real == str(top / "out/a/c")


def test_loops_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")

    assert "circle" in _locate("a/x", tmp_path).refused


def test_a_link_into_proc_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/proc/self/cwd")

    assert "/proc" in _locate("link/x", tmp_path).refused


def test_kinds(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "pipe")

    kinds = [_locate(name, tmp_path).kind for name in ("file", "pipe", ".", "nothing", "file/below")]

    assert kinds == ["file", "special", "directory", "missing", "missing"]


def test_home_is_expanded_at_the_start_only(tmp_path: Path) -> None:
    top = tmp_path.resolve()

    assert _locate("~/x", top).real == str(top / "home/x")
    assert _locate("a/~/x", top).real == str(top / "a/~/x")


@pytest.mark.parametrize("path", ["src/", "src/.", "src/.."])
def test_spellings_that_name_a_directory(path: str, tmp_path: Path) -> None:
    assert _locate(path, tmp_path).names_directory


def test_within_needs_a_separator() -> None:
    assert within("/a/b", "/a/b")
    assert within("/a/b/c", "/a/b")
    assert not within("/a/bc", "/a/b")
    assert within("/a", "/")
