"""Entries of servers as people write them, ours and those of other programs."""

from __future__ import annotations

from typing import Any

import pytest

from roocode.protocol.errors import UserError
from roocode.tools.mcp.config import ServerConfig
from roocode.tools.mcp.entry import Entry, read_entry
from roocode.tools.mcp.expansion import Expansion


def entry(data: object, env: dict[str, str] | None = None, *, withheld: tuple[str, ...] = ()) -> Entry:
    expand = Expansion(env or {}, withheld)
    return read_entry("it", data, owner="user", place="here", expand=expand, milliseconds=True)


@pytest.mark.parametrize(
    ("data", "transport"),
    [
        ({"command": "x"}, "stdio"),
        ({"type": "stdio", "command": "x", "url": "http://h/"}, "stdio"),
        ({"transportType": "stdio", "command": "x"}, "stdio"),
        ({"type": "http", "url": "https://h/mcp"}, "http"),
        ({"type": "streamable-http", "url": "https://h/mcp"}, "http"),
        ({"httpUrl": "https://h/mcp"}, "http"),
        ({"url": "https://h/mcp"}, "http"),
        ({"url": "https://h/sse"}, "sse"),
        ({"type": "sse", "url": "https://h/x"}, "sse"),
    ],
)
def test_the_transport_is_said_or_told_by_the_fields(data: dict[str, Any], transport: str) -> None:
    assert entry(data).config.transport == transport


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ([], "is not an object"),
        ({}, "neither command nor url"),
        ({"command": "x", "url": "https://h"}, "both command and url"),
        ({"type": "ws", "url": "ws://h"}, "websockets are no transport of the protocol"),
        ({"type": "carrier-pigeon", "command": "x"}, "has type 'carrier-pigeon'"),
        ({"type": "stdio", "url": "https://h"}, "of type stdio has no command"),
        ({"type": "http", "command": "x"}, "is not one"),
        ({"url": "https://h/{a | b}"}, "is not one"),
        ({"url": "file:///etc/passwd"}, "is not one"),
        ({"url": "https://[broken"}, "is not one"),
        ({"command": ["x"]}, "command is not a text"),
        ({"command": "x", "args": "y z"}, "args is not a list"),
        ({"command": "x", "args": [{}]}, "args holds something that is not a text"),
        ({"command": "x", "env": ["A=b"]}, "env is not an object"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_a_reason(data: object, reason: str) -> None:
    with pytest.raises(UserError, match=reason.replace("(", r"\(")):
        entry(data)


def test_numbers_and_truth_values_count_as_what_they_look_like() -> None:
    config = entry({"command": "x", "args": [1, 2.5], "env": {"A": 1, "B": True, "C": None}}).config

    assert config.args == ("1", "2.5")
    assert config.env == {"A": "1", "B": "true"}


def test_variables_are_put_in_and_unset_ones_stay_with_a_warning() -> None:
    data = {
        "command": "${TOOL:-npx}",
        "args": ["${SET}", "${EMPTY:-default}", "${UNSET}", "${input:key}"],
        "env": {"KEY": "${SET}"},
    }

    read = entry(data, {"SET": "value", "EMPTY": ""})

    assert read.config.argv == ("npx", "value", "default", "${UNSET}", "${input:key}")
    assert read.config.env == {"KEY": "value"}
    assert "${UNSET} is not set and stays as it is written" in read.notes
    assert "${input:key} is no variable and stays as it is written" in read.notes


def test_a_value_is_not_expanded_again() -> None:
    assert entry({"command": "x", "args": ["${A}"]}, {"A": "${B}", "B": "b"}).config.args == ("${B}",)


def test_a_projects_server_is_not_given_the_key_of_a_model() -> None:
    data = {"url": "https://h/${ANTHROPIC_API_KEY}"}

    read = entry({**data, "type": "http"}, {"ANTHROPIC_API_KEY": "sk-1"}, withheld=("ANTHROPIC_API_KEY",))

    assert "sk-1" not in read.config.url
    assert "is not given to a project's server" in read.notes[0]


def test_nothing_in_an_entry_allows_a_call() -> None:
    notes = entry({"command": "x", "autoApprove": ["a"], "alwaysAllow": ["b"], "directTools": []}).notes

    assert len(notes) == 3
    assert "autoApprove is not honoured: no server's entry allows calls" in notes[0]
    assert "directTools is not honoured" in notes[2]


@pytest.mark.parametrize(
    ("timeout", "seconds"), [(60_000, 60.0), (1_000, 1.0), (100, 100.0), (0, None), ("x", None), (True, None)]
)
def test_times_are_milliseconds_where_that_can_be(timeout: object, seconds: float | None) -> None:
    assert entry({"command": "x", "timeout": timeout}).config.call_timeout_s == seconds


@pytest.mark.parametrize("data", [{"disabled": True}, {"enabled": False}])
def test_an_entry_can_be_switched_off(data: dict[str, Any]) -> None:
    assert entry({"command": "x", **data}).off


def test_a_configuration_travels_as_json() -> None:
    import dataclasses
    import json

    config = entry(
        {"command": "x", "args": ["a"], "env": {"A": "b"}, "oauth": {"clientId": "c", "scopes": ["a", "b"]}}
    ).config

    assert config.oauth.scopes == "a b"
    assert ServerConfig.from_json(json.loads(json.dumps(dataclasses.asdict(config)))) == config


def test_the_act_of_starting_it_holds_all_that_a_start_does() -> None:
    one = entry({"command": "x", "args": ["a"], "env": {"A": "b"}}).config

    for other in ({"args": ["b"]}, {"env": {"A": "c"}}, {"cwd": "/y"}, {"command": "y"}):
        changed = entry({"command": "x", "args": ["a"], "env": {"A": "b"}, **other}).config
        assert changed.act != one.act
