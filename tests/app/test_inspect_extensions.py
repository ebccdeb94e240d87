"""`roocode doctor` says of extensions what is used, shadowed, not used and not honoured, and why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from roocode.app.inspect.extensions import Item, counted, defined, lines_of
from roocode.interaction.config.load import load_settings
from roocode.interaction.extensions.found import Read
from roocode.interaction.extensions.places import Folder
from roocode.protocol.errors import UserError
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
    assert {item["name"]: item["status"] for item in found["mcp servers"]["items"]} == {
        "db": "not used",
        "other": "not used",
    }
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
    assert servers == [("db", "user", "used"), ("db", "project", "shadowed"), ("other", "project", "used")]
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
    assert {item["source"] for item in found["skills"]["items"]} == {"project", "plugin"}
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
    assert "and 22 more: roocode doctor --json has all" in done.stdout
    assert "\x1b" not in done.stdout
    assert len(sections(roocode)["agents"]["items"]) > 30


def test_a_reader_of_a_kind_is_the_only_thing_to_give(home: Path, project: Path) -> None:
    write(home, {".roocode/skills/a/SKILL.md": "good", ".roocode/skills/b/SKILL.md": "bad"})

    def read(text: str, path: Path, _folder: Folder) -> Read[str]:
        if text == "bad":
            raise UserError("it is bad")
        return Read(path.parent.name, text, ("its mode",))

    def found() -> Iterator[Item]:
        look = defined("skills", lambda name: name == "SKILL.md", read)
        settings = load_settings(project, {"HOME": str(home)})
        yield from (item for item in look(settings) if item.source == "user")

    assert [(item.name, item.status, item.why, item.notes) for item in found()] == [
        ("a", "used", "", ("its mode",)),
        ("b", "not used", "it is bad", ()),
    ]
    assert counted(found()) == "1 used, 1 not used, 1 not honoured"
    assert list(lines_of(found())) == [
        "not honoured: a: its mode",
        "not used: b, ~/.roocode/skills/b/SKILL.md: it is bad",
    ]
