"""The shape of a file: names, types and complaints."""

from __future__ import annotations

from typing import Any

import pytest

from roocode.interaction.config.document import parse_document
from roocode.interaction.config.schema import check, value_for
from roocode.protocol.errors import UserError

WHOLE = """
model: sonnet
fallback_model: deepseek/deepseek-chat
providers:
  anthropic: {protocol: anthropic, api_key_env: ANTHROPIC_API_KEY}
  deepseek:  {protocol: openai, base_url: https://api.deepseek.com, api_key_env: DEEPSEEK_API_KEY}
  ollama:    {protocol: openai, base_url: http://127.0.0.1:11434/v1}
aliases: {sonnet: anthropic/claude-sonnet-4-5, haiku: anthropic/claude-haiku-4-5}
permissions:
  {mode: default, allow: ["Bash(git log *)"], ask: [], deny: ["ReadFile(.env)"], additional_directories: []}
hooks:
  - event: post_tool_use
    if: tool == "WriteFile" && path matches "**/*.py"
    action: {type: command, command: "ruff format $FILE_PATH"}
mcp_servers: {time: {command: mcp-server-time}}
team: {max_teammates: 4, backend: auto, verify: "pytest -q", coordinator: true}
worktree: {copy: [".env"], symlink: ["node_modules"], setup: "npm ci"}
enable_verification_agent: false
"""


def checked(text: str) -> dict[str, Any]:
    """The data of a text."""
    return check(parse_document(text, "f")).data


def test_the_documented_example_is_understood_whole() -> None:
    assert checked(WHOLE) == parse_document(WHOLE, "f").data


def test_camel_case_spellings_are_the_same_keys_with_their_lines() -> None:
    document = check(parse_document("enableVerificationAgent: true\nteam:\n  maxTeammates: 2\n", "f"))

    assert document.data == {"enable_verification_agent": True, "team": {"max_teammates": 2}}
    assert document.at(("team", "max_teammates")) == "f:3"


def test_names_of_things_are_never_rewritten() -> None:
    assert checked("aliases: {myModel: openai/x}\n") == {"aliases": {"myModel": "openai/x"}}


def test_a_key_without_a_value_counts_as_absent() -> None:
    assert checked("permissions:\n  # allow: []\nmodel:\nteam:\n  verify:\n") == {"team": {}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model: x\nmodle: y", "f:2: unknown key 'modle': did you mean 'model'?"),
        ("team:\n  maxTeammate: 3", "f:2: unknown key 'team.maxTeammate': did you mean 'max_teammates'?"),
        ("providers: {x: {protocol: openai, key: y}}", "unknown key 'providers.x.key'"),
        ("zzz: 1", "f:1: unknown key 'zzz': known are model, fallback_model"),
        ("model:\n  - x", "f:1: model: should be text"),
        ("max_turns: many", "f:1: max_turns: should be a whole number"),
        ("max_turns: 0", "f:1: max_turns: should be greater than or equal to 1"),
        ("permissions:\n  mode: yolo", "f:2: permissions.mode: should be 'default', 'acceptEdits'"),
        ("permissions:\n  allow: Bash(ls)", "f:2: permissions.allow: should be a list"),
        ("permissions:\n  deny: [a,\n    {b: 1}]", "f:3: permissions.deny.1: should be text"),
        ("providers: {x: {base_url: 'http://x'}}", "f:1: providers.x.protocol: is missing"),
        ("providers: {x: {protocol: openai, base_url: x.example}}", "f:1: providers.x.base_url: does not"),
        ("team: 4", "f:1: team: should be a mapping of keys"),
        ("enableVerificationAgent: false\nenable_verification_agent: true", "f:2: the key"),
    ],
)
def test_what_does_not_fit_is_named_with_line_and_nearest_key(text: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        checked(text)

    assert said in caught.value.what


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(UserError) as caught:
        checked("modle: x\nteam: {backendd: tmux}\n")

    assert caught.value.what.count("unknown key") == 2


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("model", "openai/gpt", "openai/gpt"),
        ("max_turns", "7", 7),
        ("team.coordinator", "false", False),
        ("team.verify", "pytest -q: x", "pytest -q: x"),
        ("aliases.fast", "openai/gpt", "openai/gpt"),
        ("providers.x.protocol", "openai", "openai"),
        ("permissions.deny", '["Bash(rm *)"]', ["Bash(rm *)"]),
    ],
)
def test_a_text_becomes_the_value_of_its_key(key: str, text: str, value: object) -> None:
    assert value_for(key.split("."), text) == value


@pytest.mark.parametrize(
    ("key", "text", "said"),
    [
        ("team.backand", "tmux", "did you mean 'team.backend'?"),
        ("team", "x", "team holds further keys"),
        ("team.backend", "ssh", "team.backend: should be 'auto'"),
        ("max_turns", "x", "should be a whole number"),
        ("permissions.deny", "Bash(rm *)", "permissions.deny"),
        ("mcp_servers.x", "y", "mcp_servers.x holds further keys"),
    ],
)
def test_a_text_that_does_not_fit_is_refused(key: str, text: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        value_for(key.split("."), text)

    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("written", "value"), [("90", 90), ("off", "off"), ("'off'", "off"), ("'90'", 90), ("1", 1)]
)
def test_how_long_a_members_question_waits(written: str, value: int | str) -> None:
    assert checked(f"permissions: {{ask_timeout: {written}}}\n")["permissions"]["ask_timeout"] == value


@pytest.mark.parametrize("written", ["0", "-1", "on", "true", "false", "1.5", "soon", "[1]"])
def test_no_other_time_is_taken(written: str) -> None:
    with pytest.raises(UserError, match=r"f:1: permissions\.ask_timeout: should be a number of seconds"):
        checked(f"permissions: {{ask_timeout: {written}}}\n")


@pytest.mark.parametrize("written", ["off", "'off'"])
def test_an_effort_can_be_off(written: str) -> None:
    assert checked(f"effort: {written}\n") == {"effort": "off"}


def test_false_is_no_effort() -> None:
    with pytest.raises(UserError, match="f:1: effort: should be 'off', 'low'"):
        checked("effort: false\n")


def test_the_time_is_set_from_the_command_line_too() -> None:
    assert value_for(["permissions", "ask_timeout"], "90") == 90
    assert value_for(["permissions", "ask_timeout"], "off") == "off"
