"""Big results go to disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from roocode.memory.compaction.spill import Spill
from roocode.protocol.errors import HostError
from roocode.protocol.messages import ToolResult


def test_a_result_that_fits_stays_and_leaves_no_file(tmp_path: Path) -> None:
    result = ToolResult("c1", "x" * 50_000)
    assert Spill(tmp_path / "s", 1_000_000)(result) is result
    assert not (tmp_path / "s").exists()


def test_a_big_one_is_whole_on_disk_and_shows_head_tail_and_path(tmp_path: Path) -> None:
    text = "\n".join(f"line {number} of it" for number in range(20_000))
    kept = Spill(tmp_path / "s", 1_000_000)(ToolResult("c1", text, is_error=True))
    path = tmp_path / "s" / "c1.txt"
    assert path.read_text() == text
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(kept.content) <= 50_200
    assert kept.content.startswith("line 0 of it\n")
    assert kept.content.endswith("line 19999 of it")
    assert str(path) in kept.content
    assert kept.is_error


def test_a_small_window_gives_less_room(tmp_path: Path) -> None:
    kept = Spill(tmp_path, 32_000)(ToolResult("c", "x" * 30_000))
    assert len(kept.content) < 16_400


def test_odd_ids_and_the_same_one_twice(tmp_path: Path) -> None:
    spill = Spill(tmp_path, 1_000)
    for _ in range(2):
        spill(ToolResult("../../etc/x y", "\ud800" * 10_000))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["______etc_x_y-2.txt", "______etc_x_y.txt"]


def test_a_disk_that_refuses_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(HostError, match="cannot keep a big result"):
        Spill(tmp_path / "file" / "s", 1_000)(ToolResult("c", "x" * 10_000))
