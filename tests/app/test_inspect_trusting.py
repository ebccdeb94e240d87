"""`roocode trust`: shown, asked, recorded, revoked."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.conftest import Roocode


def test_off_a_terminal_it_shows_and_needs_yes(roocode: Roocode, project: Path) -> None:
    (project / ".roocode/config.yaml").write_text(
        "team: {verify: make}\npermissions: {mode: bypassPermissions}\n"
    )
    (project / ".mcp.json").write_text("{}")

    done = roocode("trust")

    assert done.returncode == 2
    assert ".roocode/config.yaml:1  team.verify: make" in done.stdout
    assert ".mcp.json" in done.stdout
    assert "permissions.mode is never read from a project's files" in done.stdout
    assert "--yes" in done.stderr
    assert roocode("trust", "--list").stdout == ""


def test_yes_trusts_until_something_changes(roocode: Roocode, project: Path) -> None:
    (project / ".roocode/config.yaml").write_text("team: {verify: make}\n")
    assert roocode("trust", "--yes").returncode == 0
    assert roocode("config", "get", "team.verify").stdout == "make\n"
    assert "trusted already" in roocode("trust").stdout
    assert roocode("trust", "--list").stdout.startswith(str(project))

    (project / ".roocode/config.yaml").write_text("team: {verify: evil}\n")

    assert roocode("config", "get", "team.verify").returncode == 1
    assert "Changed since it was trusted: .roocode/config.yaml" in roocode("trust").stdout


def test_a_directory_is_named_and_forgotten(roocode: Roocode, project: Path, tmp_path: Path) -> None:
    roocode("trust", str(project), "--yes", cwd=tmp_path)
    project.rename(tmp_path / "moved")

    done = roocode("trust", "--revoke", str(project), cwd=tmp_path)

    assert (done.returncode, done.stdout) == (0, f"{project} is trusted no more\n")
    assert roocode("trust", "--revoke", str(project), cwd=tmp_path).returncode == 1


def test_a_broken_configuration_cannot_be_trusted(roocode: Roocode, project: Path) -> None:
    (project / ".roocode/config.yaml").write_text("team: [\n")

    assert roocode("trust", "--yes").returncode == 42


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1), ("\n", 1)])
def test_at_a_terminal_it_asks(project: Path, environment: dict[str, str], answer: str, code: int) -> None:
    (project / ".roocode/config.yaml").write_text("model: a/b\n")
    ours, theirs = pty.openpty()
    try:
        os.write(ours, answer.encode())
        done = subprocess.run(
            [sys.executable, "-m", "roocode", "trust"],
            cwd=project,
            env=environment,
            stdin=theirs,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(ours)
        os.close(theirs)

    assert done.returncode == code, done.stderr
    assert f"Trust {project}? [y/N]" in done.stdout
