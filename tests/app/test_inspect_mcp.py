"""`roocode mcp` as people and scripts use it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import yaml

from tests.app.conftest import Roocode

QUIRKY = Path(__file__).parents[1] / "tools" / "mcp" / "quirky.py"


def test_a_server_is_added_shown_tested_and_removed(roocode: Roocode, home: Path) -> None:
    added = roocode("mcp", "add", "it", "-e", "A=b", "--", sys.executable, str(QUIRKY), "plain")
    assert (added.returncode, added.stderr) == (0, "it is in ~/.roocode/config.yaml\n")
    file = home / ".roocode" / "config.yaml"
    entry = {"command": sys.executable, "args": [str(QUIRKY), "plain"], "env": {"A": "b"}}
    assert yaml.safe_load(file.read_text()) == {"mcp_servers": {"it": entry}}
    assert file.stat().st_mode & 0o777 == 0o600

    (row,) = json.loads(roocode("mcp", "list", "--json").stdout)
    assert (row["name"], row["source"], row["path"]) == ("it", "user", "~/.roocode/config.yaml:2")
    assert "status" not in row, "a list starts no server"

    shown = roocode("mcp", "get", "it").stdout
    assert roocode("mcp", "show", "it").stdout == shown
    assert "env: A\n" in shown
    assert "b" not in shown.partition("env: ")[2].partition("\n")[0]

    tested = roocode("mcp", "test", "it")
    assert tested.returncode == 0
    assert "it: connected" in tested.stdout
    assert "mcp__it__echo  Says it again." in tested.stdout

    checked = json.loads(roocode("mcp", "list", "--check", "--json").stdout)
    assert (checked[0]["status"], checked[0]["tools"]) == ("connected", 1)

    assert roocode("mcp", "remove", "it").returncode == 0
    assert json.loads(roocode("mcp", "list", "--json").stdout) == []


def test_a_server_with_an_address(roocode: Roocode, project: Path) -> None:
    header = ("-H", "Authorization: Bearer ${TOKEN}")
    done = roocode("mcp", "add", "--local", "--always-load", *header, "far", "https://far.test/mcp")

    assert done.returncode == 0
    stored = yaml.safe_load((project / ".roocode" / "config.local.yaml").read_text())
    assert stored["mcp_servers"]["far"] == {
        "type": "http",
        "url": "https://far.test/mcp",
        "headers": {"Authorization": "Bearer ${TOKEN}"},
        "always_load": True,
    }
    (row,) = json.loads(roocode("mcp", "list", "--json").stdout)
    assert row["notes"] == ["${TOKEN} is not set and stays as it is written"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("add", "x", "--transport", "http", "npx"), "is no URL"),
        (("add", "x", "--transport", "stdio", "https://h"), "is no command"),
        (("add", "x", "-H", "A: b", "npx"), "--header is for a server with a URL"),
        (("add", "x", "-e", "A=b", "https://h"), "--env is for a server with a command"),
        (("add", "x", "-e", "A", "npx"), "'A' is not NAME=VALUE"),
        (("add", "x"), "Missing argument"),
        (("test", "x"), "there is no MCP server 'x'"),
        (("remove", "x"), "no configuration of yours names a server 'x'"),
    ],
)
def test_what_cannot_be_meant(roocode: Roocode, arguments: tuple[str, ...], said: str) -> None:
    done = roocode("mcp", *arguments)

    assert done.returncode in (2, 42)
    assert said in done.stderr


def test_why_a_server_is_not_used(roocode: Roocode, project: Path) -> None:
    entries = {"theirs": {"command": "x"}, "odd": {"type": "ws", "url": "ws://h"}}
    (project / ".mcp.json").write_text(json.dumps({"mcpServers": entries}))

    listed = roocode("mcp", "list").stdout
    assert "theirs  project  .mcp.json:1  x   not used: this directory is not trusted" in listed
    refused = roocode("mcp", "test", "theirs")
    assert refused.returncode == 42
    assert "this directory is not trusted" in refused.stderr

    found = {each["name"]: each for each in json.loads(roocode("doctor", "--json").stdout)}
    assert found["mcp theirs"]["status"] == "warning"
    assert found["mcp theirs"]["mend"] == "roocode trust"

    removed = roocode("mcp", "remove", "theirs")
    assert "theirs stands in .mcp.json" in removed.stderr


def test_a_server_that_fails_says_why_and_where_its_log_is(roocode: Roocode) -> None:
    config = json.dumps({"it": {"command": sys.executable, "args": [str(QUIRKY), "refuses"]}})

    done = roocode("mcp", "test", "it", "--mcp-config", config)

    assert done.returncode == 1
    assert "it: failed: it ended with 1: cannot find my database" in done.stdout
    assert ".roocode/logs/mcp/it.log" in done.stdout


def test_trust_shows_what_a_projects_server_would_start(roocode: Roocode, project: Path) -> None:
    (project / ".mcp.json").write_text('{"mcpServers": {"it": {"command": "npx", "args": ["-y", "thing"]}}}')

    shown = roocode("trust", "--yes").stdout

    assert ".mcp.json:1  MCP server it: npx -y thing" in shown
