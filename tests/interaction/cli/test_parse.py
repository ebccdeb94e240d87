"""Command lines into requests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from roocode.interaction.cli.extension_orders import (
    InstalledList,
    InstalledShow,
    MarketplaceAdd,
    PluginsInstall,
    PluginsList,
    PluginsRemove,
)
from roocode.interaction.cli.main import parse
from roocode.interaction.cli.orders import (
    Completion,
    ConfigGet,
    ConfigPath,
    ConfigSet,
    ConfigShow,
    Doctor,
    PermissionsCheck,
    PermissionsExplain,
    PermissionsList,
    SessionsExport,
    SessionsList,
    SessionsShow,
    SessionsVerify,
    TeamAnswer,
    TeamAttach,
    TeamCleanup,
    TeamList,
    TeamLogs,
    TeamMerge,
    TeamMessage,
    TeamStatus,
    TeamStop,
    TeamTasks,
    TrustDirectory,
    TrustList,
    TrustRevoke,
)
from roocode.interaction.cli.requests import (
    ChatRequest,
    DemoRequest,
    PrintRequest,
    RunOptions,
    SessionChoice,
    TeammateRequest,
    TeamRequest,
    TeamResume,
)
from roocode.interaction.config.sources import Flag
from roocode.protocol.errors import UsageError

HERE = Path.cwd()
PLAIN = RunOptions(HERE)


@pytest.mark.parametrize(
    ("arguments", "request_"),
    [
        ([], ChatRequest(PLAIN)),
        (["fix it"], ChatRequest(PLAIN, "fix it")),
        (["--", "--odd"], ChatRequest(PLAIN, "--odd")),
        (["--", "team"], ChatRequest(PLAIN, "team")),
        (["-c", "go on"], ChatRequest(PLAIN, "go on", SessionChoice("last"))),
        (["-r"], ChatRequest(PLAIN, "", SessionChoice("ask"))),
        (["-r", "abc"], ChatRequest(PLAIN, "", SessionChoice("named", "abc"))),
        (
            ["--resume=abc", "--fork-session", "-n", "mine"],
            ChatRequest(PLAIN, "", SessionChoice("named", "abc", True, "mine")),
        ),
        (["-p", "hi"], PrintRequest(PLAIN, "hi")),
        (["hi", "--print", "--output-format", "json"], PrintRequest(PLAIN, "hi", output="json")),
        (
            ["-p", "hi", "--output-format=stream-json", "--include-partial-messages"],
            PrintRequest(PLAIN, "hi", output="stream-json", partial_messages=True),
        ),
        (["team", "fix it"], TeamRequest(PLAIN, "fix it")),
        (
            ["team", "-p", "fix it", "--name", "t", "--no-merge", "--cleanup", "--dirty", "refuse"],
            TeamRequest(PLAIN, "fix it", True, name="t", merge=False, cleanup=True, dirty="refuse"),
        ),
        (["team", "--", "status"], TeamRequest(PLAIN, "status")),
        (["team", "status"], TeamStatus(HERE)),
        (["team", "status", "t", "--json"], TeamStatus(HERE, "t", json=True)),
        (["team", "list", "--json"], TeamList(HERE, json=True)),
        (["team", "attach", "alice", "--team", "t"], TeamAttach(HERE, "t", "alice")),
        (["team", "message", "alice", "go on"], TeamMessage(HERE, "alice", "go on")),
        (["team", "tasks", "--json"], TeamTasks(HERE, json=True)),
        (["team", "logs", "alice", "--lines", "5"], TeamLogs(HERE, "alice", lines=5)),
        (["team", "resume"], TeamResume(PLAIN)),
        (["team", "resume", "alice", "go", "-p"], TeamResume(PLAIN, None, "alice", "go", headless=True)),
        (["team", "stop"], TeamStop(HERE)),
        (["team", "approve", "ab12"], TeamAnswer(HERE, "ab12", allow=True)),
        (
            ["team", "approve", "ab12", "--session", "--only", "--team", "t"],
            TeamAnswer(HERE, "ab12", allow=True, team="t", session=True, only=True),
        ),
        (["team", "deny", "ab12"], TeamAnswer(HERE, "ab12", allow=False)),
        (["team", "deny", "a", "--reason", "not now"], TeamAnswer(HERE, "a", allow=False, reason="not now")),
        (["team", "merge", "--preview"], TeamMerge(PLAIN, preview=True)),
        (["team", "cleanup", "t", "--force"], TeamCleanup(HERE, "t", force=True)),
        (["teammate", "--handshake", "/x"], TeammateRequest(Path("/x"))),
        (["demo"], DemoRequest()),
        (["demo", "--dir", "/tmp/x", "--slow"], DemoRequest(Path("/tmp/x"), slow=True)),
        (
            ["demo", "--backend", "in-process", "--output-format", "json"],
            DemoRequest(None, "in-process", "json"),
        ),
        (["sessions", "list"], SessionsList(HERE)),
        (["sessions", "show", "abc"], SessionsShow(HERE, "abc")),
        (["sessions", "verify", "--repair"], SessionsVerify(HERE, repair=True)),
        (["sessions", "export", "abc", "--format", "jsonl"], SessionsExport(HERE, "abc", "jsonl")),
        (["trust"], TrustDirectory(HERE)),
        (["trust", "/", "--yes"], TrustDirectory(Path("/"), yes=True)),
        (["trust", "--list"], TrustList(HERE)),
        (["trust", "--revoke", "/gone"], TrustRevoke(Path("/gone"))),
        (["plugins", "list", "--available"], PluginsList(HERE, available=True)),
        (
            ["plugins", "install", "o/r", "--plugin", "kit", "-y"],
            PluginsInstall(HERE, "o/r", "kit", yes=True),
        ),
        (["plugins", "remove", "kit"], PluginsRemove(HERE, "kit")),
        (["plugins", "marketplace", "add", "o/r"], MarketplaceAdd(HERE, "o/r")),
        (
            ["permissions", "check", "--tool", "Bash", "--input", "{}"],
            PermissionsCheck(PLAIN, "Bash", "{}"),
        ),
        (["permissions", "check", "--jsonl", "-"], PermissionsCheck(PLAIN, source="-")),
        (["permissions", "list"], PermissionsList(PLAIN)),
        (["permissions", "explain", "--tool", "A", "--input", "{}"], PermissionsExplain(PLAIN, "A", "{}")),
        (["config", "show", "--json"], ConfigShow(HERE, json=True)),
        (["config", "get", "team.backend"], ConfigGet(HERE, "team.backend")),
        (["config", "set", "model", "x", "--local"], ConfigSet(HERE, "model", "x", "local")),
        (["config", "path", "--project"], ConfigPath(HERE, "project")),
        (["doctor", "--json"], Doctor(HERE, json=True)),
        (["completion", "fish"], Completion("fish")),
        (["agents", "list", "--json"], InstalledList(HERE, "agents", json=True)),
        (["skills", "show", "commit"], InstalledShow(HERE, "skills", "commit")),
        (["teams", "list"], InstalledList(HERE, "teams")),
    ],
)
def test_a_command_line_becomes_a_request(arguments: list[str], request_: Any) -> None:
    assert parse(arguments) == request_


@pytest.mark.parametrize(
    ("arguments", "flags"),
    [
        (["--model", "x"], [Flag(("model",), "x", "--model")]),
        (
            ["--permission-mode", "acceptEdits"],
            [Flag(("permissions", "mode"), "acceptEdits", "--permission-mode")],
        ),
        (["--permissionMode", "dontAsk"], [Flag(("permissions", "mode"), "dontAsk", "--permission-mode")]),
        (["--max-turns", "3"], [Flag(("max_turns",), 3, "--max-turns")]),
        (["--max-seconds", "60"], [Flag(("max_seconds",), 60, "--max-seconds")]),
        (
            ["--allowedTools", "Bash(git log *, x), ReadFile Glob", "--allowed-tools", "Grep"],
            [
                Flag(("permissions", "allow"), rule, "--allowed-tools")
                for rule in ("Bash(git log *, x)", "ReadFile", "Glob", "Grep")
            ],
        ),
        (["--disallowedTools", "Bash"], [Flag(("permissions", "deny"), "Bash", "--disallowed-tools")]),
        (["--add-dir", "/"], [Flag(("permissions", "additional_directories"), "/", "--add-dir")]),
    ],
)
def test_options_become_settings(arguments: list[str], flags: list[Flag]) -> None:
    for request in (parse(["-p", "hi", *arguments]), parse(["team", "hi", *arguments])):
        assert isinstance(request, (PrintRequest, TeamRequest))
        assert list(request.options.flags) == flags


def test_a_teams_options_become_settings() -> None:
    request = parse(
        ["team", "x", "--max-teammates", "2", "--backend", "tmux", "--verify", "make", "--no-coordinator"]
    )

    assert isinstance(request, TeamRequest)
    assert {flag.key[-1]: flag.value for flag in request.options.flags} == {
        "max_teammates": 2,
        "backend": "tmux",
        "verify": "make",
        "coordinator": False,
    }


def test_limits_and_words_travel_with_the_request(tmp_path: Path) -> None:
    limits = ["--max-budget-usd", "0.5", "--max-budget-tokens", "9"]
    request = parse(["x", *limits, "--append-system-prompt", "s", "-v", "--cwd", str(tmp_path)])

    assert isinstance(request, ChatRequest)
    assert request.options == RunOptions(tmp_path.resolve(), (), "s", 0.5, 9, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--modle", "x"], "'--model'"),
        (["team", "x", "--backnd", "tmux"], "'--backend'"),
        (["docter"], "Did you mean 'doctor'?"),
        (["team", "statsu"], "Did you mean 'status'?"),
        (["config", "sett"], "'set'"),
        (["config"], "needs a command"),
        (["team"], "GOAL"),
        (["a", "b"], "'a b' are several words"),
        (["--cwd", "/", "team", "x"], "A command's name comes before all options"),
        (["-p", "x", "--permission-mode", "yolo"], "acceptEdits"),
        (["-p", "x", "--max-turns", "0"], "--max-turns"),
        (["-p", "x", "--max-budget-usd", "nan"], "--max-budget-usd"),
        (["-p", "x", "--cwd", "/does/not/exist"], "does not exist"),
        (["--output-format", "json"], "--output-format needs -p"),
        (["team", "x", "--include-partial-messages"], "--include-partial-messages needs -p"),
        (["--input-format", "stream-json"], "--input-format needs -p"),
        (["-c", "-r", "x"], "exclude each other"),
        (["--fork-session"], "--fork-session needs"),
        (["-p", "x", "--resume", "--name", "y"], "needs the session's ID or NAME"),
        (["trust", "--list", "--yes"], "exclude each other"),
        (["permissions", "check"], "--tool and --input, or --jsonl"),
        (["permissions", "check", "--tool", "Bash"], "belong together"),
        (["permissions", "check", "--jsonl", "-", "--tool", "Bash"], "--tool and --input, or --jsonl"),
        (["config", "path", "--project", "--local"], "exclude each other"),
        (["completion", "tcsh"], "'bash', 'zsh', 'fish'"),
        (["teammate"], "--handshake"),
    ],
)
def test_wrong_usage_says_what_and_names_the_help(arguments: list[str], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(arguments)

    assert said in caught.value.what
    assert caught.value.exit_code == 2
    assert "--help" in caught.value.mend


def test_help_shows_commands_and_the_main_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert parse(["--help"]) is None

    shown = capsys.readouterr().out
    assert "  team " in shown
    assert "--permission-mode" in shown
    assert "teammate" not in shown


@pytest.mark.parametrize("command", ["team", "sessions", "permissions", "config", "agents", "demo", "trust"])
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert parse([command, "-h"]) is None
    assert f"Usage: roocode {command}" in capsys.readouterr().out


def test_a_prompt_may_look_like_several_commands() -> None:
    assert parse(["team up with me on the tests"]) == ChatRequest(PLAIN, "team up with me on the tests")
