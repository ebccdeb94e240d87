"""Servers of others, from the registries, used by a run against the scripted model."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roocode.scripted.server import ScriptedServer
from tests.app.conftest import Roocode
from tests.app.headless import address
from tests.app.test_mcp import results

Scripted = Callable[..., ScriptedServer]


def used(scripted: Scripted, roocode: Roocode, program: str, *calls: tuple[str, dict[str, Any]]) -> list[str]:
    """The results of these calls to a server that is started by its program."""
    steps = [{"calls": [{"tool": f"mcp__real__{tool}", "input": given}]} for tool, given in calls]
    server = scripted({"agents": {"main": [*steps, {"text": "done"}]}})
    config = json.dumps({"mcpServers": {"real": {"command": program}}})
    options = ("--mcp-config", config, "--allowed-tools", "mcp__real", "--output-format", "stream-json")
    done = roocode("-p", "go", *options, **address(server))
    assert done.returncode == 0, done.stderr
    return results(done.stdout)


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")


@needs("mcp-server-time")
def test_the_server_for_the_time(scripted: Scripted, roocode: Roocode) -> None:
    there = {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}
    now, converted = used(
        scripted,
        roocode,
        "mcp-server-time",
        ("get_current_time", {"timezone": "UTC"}),
        ("convert_time", there),
    )
    assert json.loads(now)["timezone"] == "UTC"
    assert json.loads(converted)["target"]["datetime"].endswith("21:00:00+09:00")


@needs("mcp-server-git")
def test_the_server_for_git(scripted: Scripted, roocode: Roocode, project: Path) -> None:
    (project / "new.txt").write_text("new\n")
    where = {"repo_path": str(project)}
    (status,) = used(scripted, roocode, "mcp-server-git", ("git_status", where))
    assert "new.txt" in status


@needs("mcp-server-everything")
def test_the_server_that_tries_everything(scripted: Scripted, roocode: Roocode) -> None:
    said, added, picture, broken = used(
        scripted,
        roocode,
        "mcp-server-everything",
        ("echo", {"message": "hello"}),
        ("get-sum", {"a": 2, "b": 3}),
        ("get-tiny-image", {}),
        ("get-sum", {"a": "two", "b": 3}),
    )
    assert "hello" in said
    assert "5" in added
    assert "a picture of type image/png" in picture
    assert "number" in broken
