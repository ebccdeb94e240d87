"""Notes: where they go, what becomes of two that say the same, and what a person may do to the files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.memory.notes.note import KINDS, Note, read, same, written
from roocode.memory.notes.store import MOST, Notes
from roocode.protocol.errors import HostError, ModelError


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    return Notes(tmp_path / "home/.roocode", tmp_path / "proj/.roocode")


@pytest.mark.parametrize(
    ("kind", "is_persons"), [("user", 1), ("feedback", 1), ("project", 0), ("reference", 0)]
)
def test_a_kind_has_its_place(notes: Notes, kind: str, is_persons: int) -> None:
    path, replaced = notes.write(Note("No tabs", kind, "Use four blanks."))  # type: ignore[arg-type]
    assert path == (notes.person if is_persons else notes.project) / f"{kind}-no-tabs.md"
    assert not replaced
    assert path.stat().st_mode & 0o777 == 0o600
    assert (
        f"[No tabs]({kind}-no-tabs.md) ({kind}): Use four blanks." in (path.parent / "MEMORY.md").read_text()
    )


def test_the_same_name_or_the_same_words_take_the_place_of_the_old(notes: Notes) -> None:
    notes.write(Note("tabs", "user", "Use four blanks, never tabs."))
    assert notes.write(Note("tabs", "user", "Use tabs after all."))[1]
    assert notes.write(Note("indentation", "user", "Use  tabs after all"))[1]
    assert [note.name for note in notes.all()] == ["indentation"]
    assert not notes.write(Note("indentation", "feedback", "Use tabs after all"))[1]
    assert not notes.write(Note("tests", "user", "Run the tests before each commit."))[1]


def test_what_is_added_stands_below_the_words_that_are_there(notes: Notes) -> None:
    assert notes.add(Note("tabs", "user", "Use four blanks.")) is not None
    assert notes.add(Note("tabs", "user", "use  FOUR blanks.")) is None
    assert notes.add(Note("indentation", "user", "Use four blanks.")) is None
    assert notes.add(Note("tabs", "user", "In Makefiles use tabs.")) is not None
    assert [note.text for note in notes.all()] == ["Use four blanks.\n\nIn Makefiles use tabs."]
    notes.write(Note("long", "user", "x" * 7_990))
    with pytest.raises(ModelError):
        notes.add(Note("long", "user", "y" * 20))


def test_what_an_agent_is_told(notes: Notes) -> None:
    assert notes.told() == ""
    notes.write(Note("ci", "project", "CI runs\non two   cores. " + "x" * 300))
    notes.write(Note("lang", "user", "Answer in German."))
    told = notes.told()
    assert told.index("Answer in German.") < told.index("CI runs on two cores.")
    assert str(notes.project) in told
    assert len(told) < 800


def test_a_person_changes_and_deletes_files(notes: Notes) -> None:
    path, _ = notes.write(Note("a", "user", "one"))
    path.write_text(path.read_text().replace("one", "two"))
    (path.parent / "mine.md").write_text("no front matter")
    (path.parent / "user-link.md").symlink_to("/etc/hostname")
    assert [note.text for note in notes.all()] == ["two"]
    path.unlink()
    assert notes.told() == ""


def test_a_note_is_forgotten_by_name_or_file(notes: Notes) -> None:
    notes.write(Note("a b", "user", "one"))
    notes.write(Note("c", "project", "another thing"))
    assert [path.name for path in notes.forget("a b")] == ["user-a-b.md"]
    assert [path.name for path in notes.forget("project-c.md")] == ["project-c.md"]
    assert notes.forget("c") == ()
    assert "a b" not in (notes.person / "MEMORY.md").read_text()


def test_limits_and_a_disk_that_refuses(notes: Notes) -> None:
    with pytest.raises(ModelError, match="the limit is"):
        notes.write(Note("a", "user", "x" * 9_000))
    notes.person.mkdir(parents=True)
    for number in range(MOST):
        text = written(Note(f"n{number}", "user", f"{number} {'abcdefghij'[number % 10] * 40}"))
        (notes.person / f"user-n{number}.md").write_text(text)
    with pytest.raises(ModelError, match="200 notes"):
        notes.write(Note("one more", "user", "quite another thing"))
    notes.project.parent.parent.mkdir()
    (notes.project.parent.parent / "elsewhere").mkdir()
    notes.project.parent.symlink_to("elsewhere")
    with pytest.raises(ModelError, match="through a link"):
        notes.write(Note("a", "project", "b"))
    notes.project.parent.unlink()
    notes.project.parent.write_text("a file")
    with pytest.raises(HostError, match="cannot write"):
        notes.write(Note("a", "project", "b"))


words = st.text(min_size=1, max_size=60).filter(lambda text: text.strip() != "" and "\r" not in text)


@given(words, st.sampled_from(KINDS), words)
def test_what_is_written_is_read_again(name: str, kind: str, text: str) -> None:
    note = Note(name, kind, text)  # type: ignore[arg-type]
    again = read(written(note))
    assert again is None or (again.kind, again.text.split()) == (kind, text.split())
    assert same(note, note)
    assert "/" not in note.file
    assert note.file not in (".md", "..md")


@pytest.mark.skipif(os.geteuid() == 0, reason="root deletes everywhere")
def test_what_cannot_be_deleted_is_said(notes: Notes) -> None:
    path, _ = notes.write(Note("tabs", "user", "Use tabs."))
    path.parent.chmod(0o500)
    with pytest.raises(HostError, match="cannot delete"):
        notes.forget("tabs")
    path.parent.chmod(0o700)
