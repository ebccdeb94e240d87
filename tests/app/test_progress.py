"""A big log says how far its reading is; a small one says nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from roocode.app.progress import Progress


def test_reading_that_takes_long_says_how_far_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s.jsonl"
    with path.open("wb") as log:
        log.truncate(2_000_000_000)
    progress = Progress(path, patience_s=0)
    progress(500_000_000)
    progress(500_000_000)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        "reading the session: 25 % of 2,000 MB",
        "reading the session: 50 % of 2,000 MB",
    ]


def test_reading_that_is_quick_says_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"x" * 100)
    Progress(path, patience_s=3600)(100)
    Progress(tmp_path / "empty")(0)
    assert capsys.readouterr().err == ""
