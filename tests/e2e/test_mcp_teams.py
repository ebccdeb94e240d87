"""Teammates have the servers of the person who leads them, each its own, in its worktree."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.e2e.driver import team_run
from tests.e2e.plays import call, member, team

QUIRKY = Path(__file__).parents[1] / "tools" / "mcp" / "quirky.py"


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["in-process", "tmux"])
def test_a_teammate_uses_a_server_and_leaves_none(backend: str) -> None:
    if backend == "tmux" and shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    work = member("alice part", {"calls": [call("mcp__it__echo", text="from alice")]})
    config = json.dumps({"it": {"command": sys.executable, "args": [str(QUIRKY), "tells"]}})
    with team_run(team({"alice": work}), backend=backend) as run:
        given = ("--mcp-config", config, "--allowed-tools", "mcp__it")
        done = run.team("-p", "--output-format", "json", *given).finish(100)

        assert done.value["status"] == "completed", run.describe()
        told = [text for text in run.requests("alice") if "ROOCODE_MCP" in text]
        assert told, "the server answered"
        assert str(run.base) in told[0]
        run.wait_until_nothing_is_left()
