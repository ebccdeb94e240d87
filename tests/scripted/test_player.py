"""Which step answers: order, rules, groups, repeats, and agents that were killed or resumed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from roocode.scripted.server import ScriptedServer
from tests.scripted.talk import Agent

Start = Callable[..., ScriptedServer]
READ = {"tool": "ReadFile", "input": {"x": "a"}}


def steps(*steps: dict[str, Any]) -> dict[str, Any]:
    return {"agents": {"main": list(steps)}}


@pytest.mark.parametrize("protocol", ["anthropic", "openai", "openai-responses"])
def test_steps_play_in_order_with_values_of_earlier_results(scripted: Start, protocol: str) -> None:
    create = {"tool": "TaskCreate", "input": {"x": "Move it"}}
    update = {"tool": "TaskUpdate", "input": {"x": r"{{ regex('Task (\d+):', 1, results.TaskCreate.1) }}"}}
    server = scripted(
        steps(
            {"text": "I split it.", "calls": [create, create]},
            {"when": {"result": {"tool": "TaskCreate", "error": False}}, "calls": [update]},
            {"when": {"last_contains": "updated"}, "text": "All done."},
        )
    )
    agent = Agent(server.url, protocol=protocol)
    agent.say("Go.")
    assert agent.text() == "I split it."
    assert server.unplayed() == ["main step 2", "main step 3"]
    agent.give("Task 4: Move it", "Task 5: Move it")
    assert [call["input"] for call in agent.calls()] == [{"x": "5"}]
    agent.give("Task 5: updated")
    assert agent.text() == "All done."
    server.assert_finished()


def test_a_step_is_played_again_until_its_answer_was_stored(scripted: Start) -> None:
    server = scripted(steps({"calls": [READ]}, {"text": "Read."}, {"text": "More."}))
    agent = Agent(server.url, session="s1")
    agent.messages.append({"role": "user", "content": "Go."})
    lost = agent.ask(store=False).json["content"]
    assert agent.ask().json["content"] == lost
    agent.give("content of a")
    assert agent.text() == "Read."


def test_a_resumed_agent_goes_on_behind_its_transcript_in_a_new_session(scripted: Start) -> None:
    server = scripted(steps({"error": 529}, {"text": "One."}, {"text": "Two."}))
    first = Agent(server.url, session="s1")
    assert first.say("Go.").status == 529
    first.ask()
    assert first.text() == "One."
    resumed = Agent(server.url, session="s2", messages=list(first.messages))
    resumed.say("You were restarted.")
    assert resumed.text() == "Two."


def test_each_new_session_starts_at_the_first_step(scripted: Start) -> None:
    server = scripted(steps({"text": "One."}, {"text": "Two."}))
    for session in ("s1", "s2"):
        agent = Agent(server.url, session=session)
        agent.say("Go.")
        assert agent.text() == "One."


def test_a_compacted_conversation_does_not_fall_back(scripted: Start) -> None:
    server = scripted(
        {
            "agents": {
                "main": [{"text": "One."}, {"text": "Two."}, {"text": "Three."}],
                "*/summary": [{"text": "One and two were said."}],
            }
        }
    )
    agent = Agent(server.url, session="s1")
    agent.say("Go.")
    agent.say("And?")
    summary = Agent(server.url, name="main/summary", session="s1", messages=list(agent.messages))
    summary.say("Summarise.")
    compacted = Agent(server.url, session="s1", breaks="summary")
    compacted.say(summary.text())
    assert compacted.text() == "Three."
    server.assert_finished()


def test_equal_texts_stand_for_their_plays_in_order(scripted: Start) -> None:
    server = scripted(steps({"text": "Noted.", "repeat": 2}, {"text": "Noted."}, {"text": "End."}))
    agent = Agent(server.url)
    said = []
    for _ in range(4):
        agent.say("Next.")
        said.append((server.log[-1].step, agent.text()))
    assert said == [("step 1", "Noted."), ("step 1", "Noted."), ("step 2", "Noted."), ("step 3", "End.")]


def test_a_repeated_step_knows_its_turn_and_its_ids_differ(scripted: Start) -> None:
    call = {"tool": "ReadFile", "input": {"x": "f{{ play }}", "n": "{{ play | int }}"}}
    server = scripted(steps({"repeat": 3, "calls": [call]}, {"text": "End."}))
    agent = Agent(server.url)
    agent.say("Go.")
    seen = []
    while agent.calls():
        seen += agent.calls()
        agent.give("content")
    assert [call["input"] for call in seen] == [{"x": f"f{n}", "n": n} for n in range(3)]
    assert len({call["id"] for call in seen}) == 3


def test_rules_stand_before_or_behind_the_steps_by_their_place(scripted: Start) -> None:
    server = scripted(
        steps(
            {"always": True, "when": {"last_contains": "status"}, "text": "Noted."},
            {"when": {"last_contains": "start"}, "text": "Started."},
            {"when": {"last_contains": "finish"}, "text": "Finished."},
            {"always": True, "text": "I wait."},
        )
    )
    agent = Agent(server.url)
    heard = ["status", "hello", "start and status", "start", "status", "start", "finish", "hello"]
    said = []
    for words in heard:
        agent.say(words)
        said.append(agent.text())
    assert said == ["Noted.", "I wait.", "Noted.", "Started.", "Noted.", "I wait.", "Finished.", "I wait."]
    server.assert_finished()


def test_a_step_waits_for_the_one_above_even_if_its_condition_holds(scripted: Start) -> None:
    server = scripted(
        steps(
            {"when": {"last_contains": "one"}, "text": "1"}, {"when": {"last_contains": "two"}, "text": "2"}
        ),
        expects_failures=True,
    )
    assert Agent(server.url).say("two").status == 400
    assert "does not contain 'one'" in server.failures[0]
    assert "does not contain 'two'" not in server.failures[0]


def test_a_text_that_the_client_repeats_of_itself_counts_once(scripted: Start) -> None:
    server = scripted(steps({"text": "One."}, {"text": "Two."}))
    agent = Agent(server.url)
    agent.say("Go.")
    agent.messages += [{"role": "user", "content": "What?"}, {"role": "assistant", "content": "One."}]
    agent.say("And?")
    assert agent.text() == "Two."


def test_a_group_comes_in_any_order_and_the_steps_below_wait_for_it(scripted: Start) -> None:
    group = [{"when": {"last_contains": name}, "text": f"{name} merged."} for name in ("alice", "bob")]
    server = scripted(steps({"any_order": group}, {"text": "All merged."}))
    agent = Agent(server.url)
    agent.say("bob is idle")
    assert (agent.text(), server.unplayed()) == ("bob merged.", ["main step 1.1", "main step 2"])
    agent.say("alice is idle")
    assert agent.text() == "alice merged."
    agent.say("And?")
    assert agent.text() == "All merged."


def test_an_interrupted_answer_with_once_is_not_repeated(scripted: Start) -> None:
    server = scripted(steps({"once": True, "text": "A long story."}, {"text": "Something else."}))
    agent = Agent(server.url, messages=[{"role": "user", "content": "Tell me."}])
    agent.ask(store=False)
    agent.say("Stop.")
    assert agent.text() == "Something else."


def test_an_answer_that_never_comes_back_is_not_repeated_for_ever(scripted: Start) -> None:
    server = scripted(steps({"text": "One."}), expects_failures=True)
    agent = Agent(server.url, messages=[{"role": "user", "content": "Go."}])
    statuses = [agent.ask(store=False).status for _ in range(21)]
    assert statuses == [200] * 20 + [400]
    assert "never seen in the conversation" in server.failures[0]


@pytest.mark.parametrize(
    ("scenario", "expected"),
    [
        (
            steps({"when": {"last_contains": "one"}, "text": "1"}),
            "step 1: last_contains: the last message does not contain 'one'",
        ),
        (steps(), "all its steps have been played"),
        ({"agents": {"lead": [{"text": "x"}]}}, "the scenario has no agent 'main'; it has lead"),
        (steps({"text": "{{ result.0 }}"}), "main step 1: template: there is no result.0 among 0 results"),
        (
            steps({"calls": [{"tool": "Fly"}]}),
            "main step 1: calls Fly, which the request does not offer: ReadFile,",
        ),
    ],
)
def test_what_the_scenario_did_not_expect_fails_loudly(
    scripted: Start, scenario: dict[str, Any], expected: str
) -> None:
    server = scripted(scenario, expects_failures=True)
    response = Agent(server.url).say("Hello there.")
    assert response.status == 400
    assert response.json["type"] == "error"
    assert response.json["error"]["type"] == "invalid_request_error"
    assert expected in response.json["error"]["message"]
    assert expected in server.failures[0]
    assert server.log[0].outcome == "unexpected"
    with pytest.raises(AssertionError, match="request 1 of main"):
        server.assert_finished()


def test_a_call_where_the_request_forbids_calls_is_a_failure(scripted: Start) -> None:
    server = scripted(steps({"calls": [READ]}), expects_failures=True)
    agent = Agent(server.url, extra={"tool_choice": {"type": "none"}})
    assert "forbids calls" in agent.say("Go.").json["error"]["message"]


def test_an_unoffered_tool_and_broken_arguments_can_be_asked_for(scripted: Start) -> None:
    odd = [{"tool": "Fly", "unoffered": True, "id": "own-id"}, {"tool": "Bash", "raw": '{"command": '}]
    server = scripted(steps({"calls": odd}))
    agent = Agent(server.url, protocol="openai", messages=[{"role": "user", "content": "Go."}])
    calls = agent.ask(store=False).json["choices"][0]["message"]["tool_calls"]
    assert (calls[0]["id"], calls[0]["function"]["name"]) == ("own-id", "Fly")
    assert calls[1]["function"]["arguments"] == '{"command": '


def test_an_answer_cut_by_max_tokens_breaks_its_last_call_off(scripted: Start) -> None:
    long = {"tool": "EditFile", "input": {"x": "y" * 100}}
    server = scripted(steps({"calls": [READ, long], "stop": "max_tokens"}))
    agent = Agent(server.url, protocol="openai", messages=[{"role": "user", "content": "Go."}])
    choice = agent.ask(store=False).json["choices"][0]
    whole, broken = (call["function"]["arguments"] for call in choice["message"]["tool_calls"])
    assert choice["finish_reason"] == "length"
    assert json.loads(whole) == {"x": "a"}
    with pytest.raises(json.JSONDecodeError):
        json.loads(broken)


def test_agents_are_told_apart_and_a_pattern_gives_each_its_own_place(scripted: Start) -> None:
    server = scripted({"agents": {"a*": [{"text": "I am {{ agent }}."}], "alice": [{"text": "The one."}]}})
    said = {}
    for name in ("a1", "a2", "alice"):
        agent = Agent(server.url, name=name)
        agent.say("Who?")
        said[name] = agent.text()
    assert said == {"a1": "I am a1.", "a2": "I am a2.", "alice": "The one."}
    server.assert_finished()
