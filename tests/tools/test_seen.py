"""What an agent knows of a file."""

from __future__ import annotations

from pathlib import Path

from roocode.tools.seen import Seen

FILE = Path("/a")


def test_states() -> None:
    seen = Seen()
    assert seen.state(FILE, b"1") == "unseen"
    seen.note(FILE, b"1")
    assert seen.state(FILE, b"1") == "whole"
    assert seen.state(FILE, b"2") == "changed"
    assert seen.state(Path("/b"), b"1") == "unseen"


def test_parts_add_up_to_the_whole() -> None:
    seen = Seen()
    seen.note_lines(FILE, b"x", range(1, 5), 10)
    seen.note_lines(FILE, b"x", range(8, 11), 10)
    assert seen.state(FILE, b"x") == "part"
    seen.note_lines(FILE, b"x", range(4, 8), 10)
    assert seen.state(FILE, b"x") == "whole"
    seen.note_lines(FILE, b"x", range(2, 3), 10)
    assert seen.state(FILE, b"x") == "whole"


def test_parts_of_another_version_do_not_count() -> None:
    seen = Seen()
    seen.note_lines(FILE, b"old", range(1, 10), 10)
    seen.note_lines(FILE, b"new", range(10, 11), 10)
    assert seen.state(FILE, b"new") == "part"
    assert seen.state(FILE, b"old") == "changed"
