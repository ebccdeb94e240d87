"""`roocode doctor` and `completion`."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from roocode.engine.team.store.files import FileTeamStore
from roocode.protocol.team import Team
from tests.app.conftest import Roocode


def findings(roocode: Roocode, **env: str) -> dict[str, dict[str, Any]]:
    """What the doctor found, by name; of several with one name the last."""
    return {each["name"]: each for each in json.loads(roocode("doctor", "--json", **env).stdout)}


@pytest.fixture
def identity(home: Path) -> None:
    """The person's name for git."""
    (home / ".gitconfig").write_text("[user]\n\tname = Dev\n\temail = dev@example.com\n")


@pytest.mark.usefixtures("identity")
def test_all_is_well_with_a_key_and_an_identity(roocode: Roocode) -> None:
    found = findings(roocode, ANTHROPIC_API_KEY="sk-a")

    assert found["git"]["status"] == "ok"
    assert "dev@example.com" in found["git"]["detail"]
    assert found["keys"]["status"] == "ok"
    assert "sk-a" not in json.dumps(found)
    assert roocode("doctor", ANTHROPIC_API_KEY="sk-a").returncode == 0


def test_what_is_missing_is_named_with_its_mend(roocode: Roocode, tmp_path: Path) -> None:
    bare = tmp_path / "bin"
    bare.mkdir()
    (bare / "git").symlink_to(shutil.which("git") or "")

    done = roocode("doctor", PATH=str(bare))
    found = findings(roocode, PATH=str(bare))

    assert done.returncode == 1
    assert found["tmux"]["status"] == "warning"
    assert "install tmux" in done.stdout
    assert found["git"]["status"] == "error"
    assert "git config --global user.name" in found["git"]["mend"]
    assert "set ANTHROPIC_API_KEY or OPENAI_API_KEY" in found["keys"]["mend"]


def test_without_git_it_says_so(roocode: Roocode, tmp_path: Path) -> None:
    assert findings(roocode, PATH=str(tmp_path))["git"]["detail"] == "there is no git on PATH"


def test_a_program_that_the_project_brings_is_not_run(roocode: Roocode, project: Path) -> None:
    trap = project / "tmux"
    trap.write_text(f"#!/bin/sh\ntouch {project}/fired\n")
    trap.chmod(0o755)

    findings(roocode, PATH=f"{project}:/usr/bin:/bin")

    assert not (project / "fired").exists()


def test_broken_configuration_and_rules_that_never_match_are_found(roocode: Roocode, project: Path) -> None:
    (project / ".roocode/config.yaml").write_text("permissions: {deny: [Bahs(rm *)]}\n")
    assert "no tool called Bahs" in findings(roocode)["rules"]["detail"]

    (project / ".roocode/config.yaml").write_text("modle: x\n")
    found = findings(roocode)
    assert found["configuration"]["status"] == "error"
    assert ".roocode/config.yaml:1: unknown key 'modle'" in found["configuration"]["detail"]


def test_stale_teams_and_stray_worktrees_are_found(roocode: Roocode, project: Path) -> None:
    store = FileTeamStore(project / ".roocode/teams/fix")
    store.create(
        Team(
            name="fix",
            lead_agent_id="lead@fix",
            goal="fix it",
            created_at="2026-01-01T00:00:00Z",
            base_branch="main",
            base_commit="0" * 40,
            integration_branch="roocode-team/fix",
        )
    )
    (project / ".roocode/worktrees/gone/alice").mkdir(parents=True)

    found = findings(roocode)
    assert "nobody is running" in found["team fix"]["detail"]
    assert "roocode team cleanup fix" in found["team fix"]["mend"]
    assert "git worktree remove" in found["worktree"]["mend"]

    with_lead = store.lead_lock().hold()
    try:
        assert findings(roocode)["team fix"]["status"] == "ok"
    finally:
        with_lead.release()

    (project / ".roocode/teams/fix/team.json").write_text("{")
    assert findings(roocode)["team fix"]["status"] == "error"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_a_script_that_the_shell_reads(roocode: Roocode, shell: str, tmp_path: Path) -> None:
    done = roocode("completion", shell)

    assert done.returncode == 0
    assert "_ROOCODE_COMPLETE" in done.stdout
    if program := shutil.which(shell):
        script = tmp_path / "script"
        script.write_text(done.stdout)
        subprocess.run([program, "-n", script], check=True, timeout=60)
