"""What RooCode keeps in the person's home is theirs alone; what others could have written is refused."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from roocode.scripted.server import ScriptedServer
from tests.app.conftest import Roocode
from tests.app.headless import address

Scripted = Callable[..., ScriptedServer]


def test_what_a_run_makes_is_private(scripted: Scripted, roocode: Roocode, home: Path) -> None:
    server = scripted({"agents": {"main": [{"text": "Yes."}]}})
    before = os.umask(0)
    try:
        assert roocode("-p", "Go.", **address(server)).returncode == 0
    finally:
        os.umask(before)
    made = [home / ".roocode", *(home / ".roocode").rglob("*")]
    assert any(path.suffix == ".jsonl" for path in made)
    assert [path for path in made if path.stat().st_mode & 0o077] == []


@pytest.mark.parametrize("name", ["config.yaml", "trust.json", ""])
def test_what_others_could_have_written_is_refused(roocode: Roocode, home: Path, name: str) -> None:
    folder = home / ".roocode"
    folder.mkdir(mode=0o700)
    if name:
        (folder / name).write_text('{"schema": 1, "directories": {}}' if name.endswith("json") else "")
    (folder / name).chmod(0o777)
    done = roocode("-p", "Go.", ANTHROPIC_API_KEY="k-1234567890")
    assert done.returncode == 1
    assert "everybody may write" in done.stderr
    assert "chmod go-w" in done.stderr


def test_a_home_that_cannot_be_written_says_what_to_do(
    scripted: Scripted, roocode: Roocode, home: Path
) -> None:
    (home / ".roocode").write_text("in the way")
    server = scripted({"agents": {"main": [{"text": "Yes."}]}})
    done = roocode("-p", "Go.", **address(server))
    assert done.returncode != 0
    assert "ROOCODE_HOME" in done.stderr
    assert "Traceback" not in done.stderr
