"""The diff that a person sees is the one that `diff -u` makes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from roocode.tools.diff import unified

TEXTS = ("", "a\n", "a", "a\nb\n", "a\nb", "b\n", "\n", "a\n\n", "x\na\nb\nc\nd\ne\nf\ng\n")


@pytest.mark.parametrize("after", TEXTS)
@pytest.mark.parametrize("before", TEXTS)
def test_it_is_that_of_diff(tmp_path: Path, before: str, after: str) -> None:
    (tmp_path / "old").write_text(before)
    (tmp_path / "new").write_text(after)
    made = subprocess.run(
        ["diff", "-u", "--label", "f", "--label", "f", "old", "new"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert unified(before, after, "f") == made.stdout.rstrip("\n")


def test_line_endings_do_not_show() -> None:
    assert unified("a\r\nb\r\n", "a\nb\n", "f") == ""
