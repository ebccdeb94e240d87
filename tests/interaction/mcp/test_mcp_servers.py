"""MCP servers are found in every place that names some; a project's count as far as it is trusted."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from roocode.interaction.config.load import load_settings
from roocode.interaction.config.places import Places, find_places
from roocode.interaction.config.sources import UNTRUSTED
from roocode.interaction.config.trust import effective_files, trust
from roocode.interaction.mcp.found import (
    OFF,
    FoundServer,
    complaints,
    find_servers,
    servers_of,
    used,
)
from roocode.protocol.errors import UserError

CORPUS = Path(os.environ.get("ROOCODE_SHARED", "/nonexistent")) / "corpus" / "settings" / "mcp"


@pytest.fixture
def places(tmp_path: Path) -> Places:
    home, project = tmp_path / "home", tmp_path / "project"
    (home / ".roocode").mkdir(parents=True, mode=0o700)
    (project / ".git").mkdir(parents=True)
    (project / ".roocode").mkdir()
    return find_places(project, {"HOME": str(home)})


def found(places: Places, *given: str, only: bool = False, **env: str) -> dict[str, list[FoundServer]]:
    settings = load_settings(places.root, {"HOME": str(places.person)})
    by_name: dict[str, list[FoundServer]] = {}
    for each in find_servers(settings, {"HOME": str(places.person), **env}, given, only_given=only):
        by_name.setdefault(each.name, []).append(each)
    return by_name


def of_project(places: Places, entries: dict[str, Any]) -> None:
    (places.root / ".mcp.json").write_text(json.dumps({"mcpServers": entries}, indent=2))


def of_person(places: Places, text: str) -> None:
    places.config("user").write_text(text)


def test_of_one_name_the_nearest_place_counts(places: Places) -> None:
    of_person(places, "mcp_servers:\n  a: {command: user}\n  u: {command: user}\n")
    places.config("project").write_text("mcp_servers:\n  a: {command: project}\n")
    places.config("local").write_text("mcp_servers:\n  a: {command: local}\n")
    of_project(places, {"a": {"command": "file"}, "f": {"command": "file"}})
    trust(places, effective_files(places.root))

    by_name = found(places, '{"a": {"command": "flag"}}')

    assert [(each.owner, each.is_used) for each in by_name["a"]] == [
        ("flag", True),
        ("local", False),
        ("project", False),
        ("project", False),
        ("user", False),
    ]
    assert by_name["a"][1].shadowed_by == "--mcp-config"
    assert by_name["u"][0].is_used
    assert by_name["f"][0].place == ".mcp.json:6"


def test_a_projects_servers_wait_for_trust_and_lose_it_with_their_content(places: Places) -> None:
    of_person(places, "mcp_servers: {a: {command: mine}}\n")
    of_project(places, {"a": {"command": "theirs"}})
    assert [(each.owner, each.error) for each in found(places)["a"]] == [("project", UNTRUSTED), ("user", "")]

    trust(places, effective_files(places.root))
    assert found(places)["a"][0].is_used

    of_project(places, {"a": {"command": "swapped"}})
    (changed, mine) = found(places)["a"]
    assert (changed.error, mine.is_used) == (UNTRUSTED, True)


def test_a_projects_server_gets_no_key_of_a_model_and_the_persons_own_may(places: Places) -> None:
    entry = {"command": "x", "env": {"KEY": "${ANTHROPIC_API_KEY}"}}
    of_project(places, {"p": entry})
    trust(places, effective_files(places.root))
    of_person(places, 'mcp_servers: {u: {command: x, env: {KEY: "${ANTHROPIC_API_KEY}"}}}\n')

    by_name = found(places, ANTHROPIC_API_KEY="sk-1")

    assert by_name["p"][0].config is not None
    assert by_name["p"][0].config.env == {"KEY": "${ANTHROPIC_API_KEY}"}
    assert by_name["u"][0].config is not None
    assert by_name["u"][0].config.env == {"KEY": "sk-1"}


def test_the_directory_of_the_project_has_names(places: Places) -> None:
    of_person(places, 'mcp_servers: {u: {command: "${CLAUDE_PROJECT_DIR}/run"}}\n')

    (server,) = used(found(places)["u"])
    assert server.command == f"{places.root}/run"


def test_a_broken_project_file_is_named_and_stops_nothing(places: Places) -> None:
    (places.root / ".mcp.json").write_text('{"mcpServers": {\n  "a": {"command": "x"},\n}}')
    of_person(places, "mcp_servers: {u: {command: x}}\n")

    by_name = found(places)

    assert by_name["u"][0].is_used
    assert ".mcp.json:3: not JSON" in by_name[""][0].error
    assert len(complaints(by_name[""])) == 1


def test_one_broken_entry_does_not_cost_the_others(places: Places) -> None:
    of_project(
        places,
        {
            "a": {"type": "ws", "url": "ws://h"},
            "b": {"command": "x"},
            "c": {"command": "x", "disabled": True},
        },
    )
    trust(places, effective_files(places.root))

    by_name = found(places)

    assert "websockets" in by_name["a"][0].error
    assert by_name["b"][0].is_used
    assert by_name["c"][0].error == OFF


def test_what_is_given_must_be_readable(places: Places) -> None:
    with pytest.raises(UserError, match="there is no file"):
        found(places, "nowhere.json")
    with pytest.raises(UserError, match="--mcp-config:1: not JSON"):
        found(places, "{broken")


def test_only_what_is_given_where_that_is_wanted(places: Places) -> None:
    of_person(places, "mcp_servers: {u: {command: x}}\n")

    assert set(found(places, '{"mcpServers": {"g": {"command": "x"}}}', only=True)) == {"g"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('{"mcpServers": {"a": {}}}', {"a"}),
        ('\ufeff{"a": {"command": "x"}}', {"a"}),
        ('{"servers": {"a": {}}, "inputs": []}', {"a"}),
        ('{"servers": {"a": {}}}', {"a"}),
        ('{"$schema": "x"}', set()),
        ("", set()),
    ],
)
def test_the_shapes_of_files(text: str, names: set[str]) -> None:
    assert set(servers_of(text, "f")) == names


@pytest.mark.parametrize("text", ["[]", "3", '{"mcpServers": []}', '{"a": 3}', "[" * 100_000])
def test_what_is_no_file_of_servers(text: str) -> None:
    with pytest.raises(UserError):
        servers_of(text, "f")


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.json")), ids=lambda path: path.name)
def test_every_file_of_the_corpus_loads_or_is_refused_with_a_reason(places: Places, path: Path) -> None:
    by_name = found(places, str(path), only=True)

    assert by_name
    for (each,) in by_name.values():
        assert each.is_used or "the url 'https://mcp.postman.com/{minimal | mcp}' is not one" in each.error
