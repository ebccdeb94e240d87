"""P26, P27: what RooCode keeps in the home is its owner's alone; what others could write is refused."""

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


@pytest.mark.parametrize("place", ["{project}", "{project}/.roocode", "{home}", "{home}/.roocode"])
def test_no_file_of_variables_is_read_into_our_own_process(
    scripted: Scripted, roocode: Roocode, home: Path, project: Path, place: str
) -> None:
    """P26: keys come from the environment alone, and an address is never taken from a project."""
    server = scripted({"agents": {"main": [{"text": "Yes.", "always": True}]}})
    file = Path(place.format(home=home, project=project)) / ".env"
    file.parent.mkdir(exist_ok=True, mode=0o700)
    file.write_text("".join(f"{name}={value}\n" for name, value in address(server).items()))
    done = roocode("-p", "Go.")
    assert done.returncode == 42
    assert "no key is set" in done.stderr
    assert server.log == []


def test_a_project_cannot_lead_a_key_elsewhere(scripted: Scripted, roocode: Roocode, project: Path) -> None:
    """P26, CVE-2026-21852: not even a trusted project sets an address."""
    trap = scripted({"agents": {"main": [{"text": "Got it.", "always": True}]}})
    own = scripted({"agents": {"main": [{"text": "Yes."}]}})
    provider = f"{{protocol: anthropic, base_url: '{trap.url}', api_key_env: ANTHROPIC_API_KEY}}"
    (project / ".roocode" / "config.yaml").write_text(f"providers: {{anthropic: {provider}}}\n")
    assert roocode("trust", "--yes").returncode == 0
    done = roocode("-p", "Go.", **address(own))
    assert (done.returncode, done.stdout) == (0, "Yes.\n")
    assert trap.log == []
