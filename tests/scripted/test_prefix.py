"""The canonical prompt: what leaves its prefix as it is, and what does not."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.protocol.messages import BREAKS
from roocode.scripted.prefix import broken, canonical, common
from roocode.scripted.server import ScriptedServer, serve
from tests.scripted.talk import Agent


@given(st.binary(max_size=200), st.binary(max_size=200), st.binary(max_size=200))
def test_the_common_prefix_is_the_longest(shared: bytes, one: bytes, other: bytes) -> None:
    first, second = shared + one, shared + other
    length = common(first, second)
    assert first[:length] == second[:length]
    assert first[length : length + 1] != second[length : length + 1] or length == len(first) == len(second)


@pytest.mark.parametrize("protocol", ["anthropic", "openai", "openai-responses"])
def test_an_appended_conversation_shares_all_of_the_prompt_before(
    scripted: Callable[..., ScriptedServer], protocol: str
) -> None:
    server = scripted({"agents": {"main": [{"always": True, "text": "Yes, {{ turn }}."}]}})
    agent = Agent(server.url, protocol=protocol)
    usages = [agent.say("Häagen 🍦").json["usage"] for _ in range(3)]
    assert [record.prefix_share for record in server.log] == [None, 1.0, 1.0]
    places = {"openai": "prompt_tokens_details", "openai-responses": "input_tokens_details"}
    cached = [
        usage[places[protocol]]["cached_tokens"] if protocol in places else usage["cache_read_input_tokens"]
        for usage in usages
    ]
    assert cached[0] == 0 < cached[1] < cached[2]


def test_moved_cache_marks_do_not_count_but_a_changed_system_prompt_does(
    scripted: Callable[..., ScriptedServer],
) -> None:
    server = scripted({"agents": {"main": [{"always": True, "text": "Yes."}]}})
    agent = Agent(server.url)
    agent.say("Go.")
    marked = {"type": "text", "text": "Go.", "cache_control": {"type": "ephemeral"}}
    agent.messages[0] = {"role": "user", "content": [marked]}
    agent.say("And on.")
    agent.extra = {"system": "You work! It is 12:00."}
    agent.say("And on.")
    shares = [record.prefix_share for record in server.log]
    assert shares[1] == 1.0
    assert shares[2] is not None
    assert 0.5 < shares[2] < 1.0


def test_a_tool_at_the_front_changes_all_and_sessions_are_not_mixed(
    scripted: Callable[..., ScriptedServer],
) -> None:
    server = scripted({"agents": {"main": [{"always": True, "text": "Yes."}]}})
    agent = Agent(server.url, session="s1")
    agent.say("Go.")
    Agent(server.url, session="s2").say("Go.")
    agent.tools, agent.breaks = ("Another", *agent.tools), "tools"
    agent.say("Go.")
    first, other, changed = server.log
    assert (first.prefix_share, other.prefix_share) == (None, None)
    assert changed.prefix_share is not None
    assert changed.prefix_share < 0.05


def test_the_order_of_keys_counts(scripted: Callable[..., ScriptedServer]) -> None:
    call = {"tool": "ReadFile", "input": {"a": 1, "b": 2}}
    server = scripted({"agents": {"main": [{"calls": [call]}, {"text": "Yes."}, {"text": "End."}]}})
    agent = Agent(server.url)
    agent.say("Go.")
    agent.give("ok")
    turned: Any = copy.deepcopy(agent.messages)
    turned[1]["content"][0]["input"] = {"b": 2, "a": 1}
    agent.messages = turned
    agent.say("And?")
    share = server.log[-1].prefix_share
    assert share is not None
    assert share < 1.0


TALK = {"agents": {"*": [{"always": True, "text": "Yes, {{ turn }}."}]}}


def forgetful(server: ScriptedServer, **given: str) -> None:
    """Two requests, of which the second has forgotten what the first one said."""
    Agent(server.url, **given).say("Go, and remember the port 8080.")  # type: ignore[arg-type]
    Agent(server.url, **given).say("Where were we?")  # type: ignore[arg-type]


@pytest.mark.parametrize("protocol", ["anthropic", "openai", "openai-responses"])
def test_a_break_of_the_prefix_without_a_name_is_a_failure(protocol: str) -> None:
    with serve(TALK) as server:
        forgetful(server, session="s1", protocol=protocol)
        (failure,) = server.failures
        assert failure.startswith("request 2 of main: the prefix breaks after ")
        assert "X-RooCode-Break" in failure


@pytest.mark.parametrize("name", BREAKS)
def test_a_named_break_is_none(name: str) -> None:
    with serve(TALK) as server:
        forgetful(server, session="s1", breaks=name)
        assert server.failures == []
        assert [record.breaks for record in server.log] == [(name,), (name,)]


def test_a_name_that_is_not_in_the_set_is_a_failure() -> None:
    with serve(TALK) as server:
        forgetful(server, session="s1", breaks="summary,whim")
        assert [failure.rpartition(": ")[2] for failure in server.failures] == ["whim", "whim"]


@pytest.mark.parametrize("given", [{}, {"session": "s1", "name": "main/summary"}])
def test_only_the_requests_of_a_conversation_go_on_from_each_other(given: dict[str, str]) -> None:
    with serve(TALK) as server:
        forgetful(server, **given)
        assert server.failures == []


def test_words_that_join_the_last_message_break_nothing() -> None:
    with serve({"agents": {"main": [{"error": 529}, {"always": True, "text": "Yes."}]}}) as server:
        agent = Agent(server.url, session="s1")
        assert agent.say("Go.").status == 529
        agent.messages[0] = {"role": "user", "content": [{"type": "text", "text": "Go."}]}
        agent.messages[0]["content"].append({"type": "text", "text": "Please."})
        assert agent.ask().status == 200
        assert server.failures == []


@pytest.mark.parametrize("protocol", ["anthropic", "openai", "openai-responses"])
def test_tools_at_the_end_are_a_discovery_and_any_other_change_is_not(
    scripted: Callable[..., ScriptedServer], protocol: str
) -> None:
    server = scripted({"agents": {"main": [{"always": True, "text": "Yes."}]}})
    agent = Agent(server.url, protocol=protocol)
    first = agent.tools
    for tools in (first, first, (*first, "A", "B"), (*first, "A", "B", "C"), (*first, "A"), ("D", *first)):
        agent.tools = tools
        agent.say("Go on.")
    agent.messages[0] = {**agent.messages[0], "content": "Something else."}
    agent.say("Go on.")
    assert [record.prefix_break for record in server.log] == [
        "", "", "discovery", "discovery", "tools", "tools", "history",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "broken_by"),
    [
        (([], ["s"], ["m"]), (["t"], ["s"], ["m", "n"]), "discovery"),
        (([], [], []), ([], [], []), ""),
        ((["t"], ["s"], ["m"]), (["t2"], ["s"], ["m"]), "tools"),
        (([1], ["s"], ["m"]), ([12], ["s"], ["m"]), "tools"),
        ((["t"], ["s"], ["m"]), (["t", "u"], ["s2"], ["m"]), "system"),
        ((["t"], ["s"], ["m"]), (["t", "u"], ["s"], ["n"]), "history"),
        ((["t"], ["s"], ["m\nm"]), (["t"], ["s"], ["m\nm", "n"]), ""),
    ],
)
def test_what_broke_a_prefix(before: Any, after: Any, broken_by: str) -> None:
    assert broken(canonical(*before), canonical(*after)) == broken_by
