"""`roocode doctor` says of extensions what is used, shadowed, not used and not honoured, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from roocode.app.inspect.extensions import Item, counted, lines_of
from tests.app.conftest import Roocode
from tests.interaction.plugins.conftest import SKILL, kit, write

UNTRUSTED = "this directory is not trusted"


def sections(roocode: Roocode) -> dict[str, dict[str, Any]]:
    found = json.loads(roocode("doctor", "--json").stdout)
    return {each["name"]: each for each in found if each["items"]}


def said(section: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {item["path"]: (item["status"], item["why"]) for item in section["items"]}


@pytest.fixture
def fill(home: Path, project: Path) -> None:
    """Extensions of every kind, of the project and of the person, ours and of others."""
    server = {"command": "x"}
    write(
        home,
        {
            ".roocode/agents/mine.md": "---\nname: judge\n---\nx",
            ".claude/commands/fix.md": "Fix",
            ".roocode/config.yaml": "mcp_servers: {db: {command: x}}\n"
            "hooks: [{event: stop, action: {type: command, command: date}}]\n",
        },
    )
    write(
        project,
        {
            ".roocode/agents/theirs.md": "---\nname: judge\n---\nx",
            ".roocode/skills/mend/SKILL.md": SKILL.format(name="mend"),
            ".claude/skills/mend/SKILL.md": SKILL.format(name="mend"),
            ".claude/skills/bad/SKILL.md": b"\xff",
            ".claude/settings.json": json.dumps({"permissions": {"deny": ["Bash(x)"]}, "model": "x"}),
            ".mcp.json": json.dumps({"mcpServers": {"db": server, "other": server}}),
            "AGENTS.md": "Be kind.",
            "CLAUDE.md": "Be kind.",
            "GEMINI.md": "Be kind.",
        },
    )


@pytest.mark.usefixtures("fill")
def test_before_trust_a_projects_extensions_are_not_used(roocode: Roocode) -> None:
    found = sections(roocode)
    assert said(found["agents"])[".roocode/agents/theirs.md"] == ("not used", UNTRUSTED)
    assert said(found["agents"])["~/.roocode/agents/mine.md"] == ("used", "")
    assert said(found["skills"])[".roocode/skills/mend/SKILL.md"] == ("not used", UNTRUSTED)
    assert said(found["settings of others"])[".claude/settings.json"] == ("not used", UNTRUSTED)
    servers = [(item["name"], item["source"], item["status"]) for item in found["mcp servers"]["items"]]
    assert servers == [
        ("db", "project", "not used"),
        ("other", "project", "not used"),
        ("db", "user", "used"),
    ]
    assert found["agents"]["status"] == "ok"
    assert found["skills"]["status"] == "warning"


@pytest.mark.usefixtures("fill")
def test_once_trusted_each_says_what_won_over_it(roocode: Roocode) -> None:
    assert roocode("trust", "--yes").returncode == 0
    found = sections(roocode)

    assert said(found["agents"])["~/.roocode/agents/mine.md"] == (
        "shadowed",
        ".roocode/agents/theirs.md is used",
    )
    skills = said(found["skills"])
    assert skills[".roocode/skills/mend/SKILL.md"] == ("used", "")
    assert skills[".claude/skills/mend/SKILL.md"] == ("shadowed", ".roocode/skills/mend/SKILL.md is used")
    assert skills[".claude/skills/bad/SKILL.md"][0] == "not used"
    assert "not UTF-8" in skills[".claude/skills/bad/SKILL.md"][1]
    assert said(found["commands"])["~/.claude/commands/fix.md"] == ("used", "")
    assert [item["name"] for item in found["hooks"]["items"]] == ["stop"]
    servers = [(item["name"], item["source"], item["status"]) for item in found["mcp servers"]["items"]]
    assert servers == [("db", "project", "used"), ("other", "project", "used"), ("db", "user", "shadowed")]
    texts = said(found["instructions"])
    assert texts["AGENTS.md"] == ("used", "")
    assert texts["CLAUDE.md"][0] == "shadowed"
    assert texts["GEMINI.md"][0] == "not used"
    assert found["instructions"]["status"] == "ok"
    [settings] = found["settings of others"]["items"]
    assert settings["status"] == "used"
    assert any("model is not honoured" in note for note in settings["notes"])


@pytest.mark.usefixtures("fill")
def test_plugins_come_with_their_parts_and_end_with_them(
    roocode: Roocode, home: Path, tmp_path: Path
) -> None:
    source = kit(tmp_path / "kit", lspServers={"x": {}})
    assert roocode("plugins", "install", str(source), "--yes").returncode == 0
    found = sections(roocode)
    assert found["plugins"]["detail"] == "1 used, 1 not honoured"
    assert {item["source"] for item in found["skills"]["items"]} == {"project", "plugin", "shipped"}
    assert ("plugin_kit_db", "used") in [
        (item["name"], item["status"]) for item in found["mcp servers"]["items"]
    ]
    assert "plugin" in {item["source"] for item in found["hooks"]["items"]}

    next((home / ".roocode/plugins/kit").glob("*/commands/fix.md")).write_text("evil")

    done = roocode("doctor")
    assert "not used: kit, ~/.roocode/plugins/kit: its files were changed" in done.stdout
    assert "roocode plugins remove NAME" in done.stdout
    found = sections(roocode)
    assert found["plugins"]["status"] == "warning"
    assert "plugin" not in {item["source"] for item in found["skills"]["items"]}


def test_many_lines_are_counted_and_none_steers_the_terminal(roocode: Roocode, home: Path) -> None:
    bad = {f".claude/agents/a{number}\x1b[2J.md": b"\xff" for number in range(30)}
    write(home, bad)
    done = roocode("doctor")
    assert "and 23 more: roocode doctor --json has all" in done.stdout
    assert "\x1b" not in done.stdout
    assert len(sections(roocode)["agents"]["items"]) > 30


def test_items_are_counted_and_a_line_says_what_is_not_used_or_not_honoured() -> None:
    items = [
        Item("a", "user", "~/a.md", notes=("its mode",)),
        Item("b", "user", "~/b.md", "not used", "it is bad"),
        Item("c", "user", "~/c.md", "shadowed", "~/a.md is used"),
    ]
    assert counted(items) == "1 used, 1 shadowed, 1 not used, 1 not honoured"
    assert list(lines_of(items)) == [
        "not honoured: a: its mode",
        "not used: b, ~/b.md: it is bad",
        "shadowed: c, ~/c.md: ~/a.md is used",
    ]
