"""How far each path goes back: pure."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from roocode.protocol.errors import HostError
from roocode.security.undo.contents import _Known
from roocode.security.undo.preimages import Preimages
from roocode.security.undo.states import (
    LARGEST,
    LINK,
    PLAIN,
    PROGRAM,
    Change,
    FileState,
    Plan,
    Step,
    Unclear,
    blob_id,
    look,
    plan,
)

A, B, C, D = (FileState(PLAIN, letter) for letter in "abcd")


def planned(now: FileState | None, *turns: tuple[FileState | None, FileState | None]) -> Plan:
    """The plan for one path; turns with the newest first."""
    return plan([[Change("/p", before, after)] for before, after in turns], lambda _: now)


@pytest.mark.parametrize(
    ("now", "turns", "target"),
    [
        (B, [(A, B)], A),
        (None, [(A, None)], A),
        (B, [(None, B)], None),
        (C, [(B, C), (A, B)], A),
        (None, [(B, None), (None, B)], None),
    ],
)
def test_what_the_agent_left_goes_back_all_the_way(
    now: FileState | None, turns: list[tuple[FileState | None, FileState | None]], target: FileState | None
) -> None:
    expected = (Step("/p", now, target),) if now != target else ()
    assert planned(now, *turns) == Plan(expected, {})


@pytest.mark.parametrize("now", [C, None])
def test_what_the_person_changed_since_stays(now: FileState | None) -> None:
    assert planned(now, (A, B)) == Plan((), {"/p": "left as it is: it was changed since"})


def test_what_the_person_took_back_already_is_no_matter() -> None:
    assert planned(A, (A, B)) == Plan((), {})
    assert planned(A, (B, C), (A, B)) == Plan((), {})


def test_a_change_of_the_person_in_between_is_as_far_as_it_goes() -> None:
    made = planned(D, (C, D), (A, B))
    assert made.steps == (Step("/p", D, C),)
    assert made.kept["/p"].startswith("taken back only to your own change")


@pytest.mark.parametrize("now", [None, A])
def test_what_the_agent_happens_to_put_back_is_still_its_change_of_the_persons(now: FileState | None) -> None:
    made = planned(now, (C, now), (now, B))
    assert made.steps == (Step("/p", now, C),)
    assert made.kept["/p"].startswith("taken back only to your own change")


def test_what_cannot_be_looked_at_stays() -> None:
    def now(path: str) -> FileState | None:
        raise Unclear("it is larger than 10 MB")

    assert plan([[Change("/p", A, B)]], now) == Plan((), {"/p": "left as it is: it is larger than 10 MB"})


def test_what_a_path_holds(tmp_path: Path) -> None:
    path = tmp_path / "f"
    assert look(str(path)) is None
    path.write_text("x")
    assert look(str(path)) == FileState(PLAIN, blob_id(b"x"))
    assert look(str(path / "below")) is None
    path.chmod(0o700)
    assert look(str(path)) == FileState(PROGRAM, blob_id(b"x"))
    (tmp_path / "l").symlink_to("nowhere")
    assert look(str(tmp_path / "l")) == FileState(LINK, blob_id(b"nowhere"))
    assert look(str(tmp_path)) is None
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Unclear, match="no regular file"):
        look(str(tmp_path / "pipe"))
    with path.open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(Unclear, match="larger than 10 MB"):
        look(str(path))


@pytest.mark.parametrize("content", [b"", b"x\r\n\0", b"y" * 70_000])
def test_ids_are_those_of_git(content: bytes) -> None:
    done = subprocess.run(["git", "hash-object", "--stdin"], input=content, capture_output=True, check=True)
    assert blob_id(content) == done.stdout.decode().strip()


def test_a_kept_content_comes_back_and_a_damaged_one_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x\r\n")
    kept = Preimages(tmp_path / "s.undo" / "files")
    state = kept.keep(str(tmp_path / "f"))
    assert state is not None
    assert kept.content(state) == b"x\r\n"
    made = [path for path in tmp_path.rglob("*") if path != tmp_path / "f"]
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in made} == {
        "s.undo": 0o700,
        "files": 0o700,
        state.blob: 0o600,
    }
    assert kept.content(FileState(PLAIN, "0" * 40)) is None
    assert kept.keep(str(tmp_path / "none")) is None
    (tmp_path / "s.undo" / "files" / state.blob).write_bytes(b"y")
    with pytest.raises(HostError, match="is damaged"):
        kept.content(state)


def test_stat_data_count_only_where_the_file_was_old_enough() -> None:
    assert _Known((0, 0, 0, 1, 2), 10**9, "b").is_settled
    assert not _Known((0, 0, 0, 1, 10**9 - 1), 10**9, "b").is_settled
