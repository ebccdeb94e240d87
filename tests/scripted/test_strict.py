"""Strict mode: a good request passes, and each fault that a strict provider refuses is refused and noted."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from typing import Any

import pytest

from roocode.scripted.anthropic.dialect import Anthropic
from roocode.scripted.anthropic.strict import sign
from roocode.scripted.openai.dialect import OpenAIChat
from roocode.scripted.responses.dialect import OpenAIResponses
from roocode.scripted.server import ScriptedServer
from tests.scripted.talk import PATHS, post

Edit = Callable[[dict[str, Any]], object]
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
VERSION = {"anthropic-version": "2023-06-01"}

ANTHROPIC: dict[str, Any] = {
    "model": "m",
    "max_tokens": 10,
    "stream": False,
    "system": [{"type": "text", "text": "You work.", "cache_control": {"type": "ephemeral"}}],
    "tools": [{"name": "ReadFile", "description": "Reads.", "input_schema": SCHEMA}],
    "messages": [
        {"role": "user", "content": "Go."},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": sign("Hm.")},
                {"type": "text", "text": "I read."},
                {"type": "tool_use", "id": "c1", "name": "ReadFile", "input": {"path": "a"}},
                {"type": "tool_use", "id": "c2", "name": "ReadFile", "input": {"path": "b"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "one"},
                {"type": "tool_result", "tool_use_id": "c2", "content": [{"type": "text", "text": "two"}]},
                {"type": "text", "text": "It is late."},
            ],
        },
    ],
}

OPENAI: dict[str, Any] = {
    "model": "m",
    "max_completion_tokens": 10,
    "tools": [
        {
            "type": "function",
            "function": {"name": "ReadFile", "description": "Reads.", "parameters": SCHEMA},
        }
    ],
    "messages": [
        {"role": "system", "content": "You work."},
        {"role": "user", "content": [{"type": "text", "text": "Go."}]},
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "Hm.",
            "tool_calls": [
                {
                    "id": name,
                    "type": "function",
                    "function": {"name": "ReadFile", "arguments": '{"path": "a"}'},
                }
                for name in ("c1", "c2")
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "one"},
        {"role": "tool", "tool_call_id": "c2", "content": "two"},
        {"role": "user", "content": "It is late."},
    ],
}


RESPONSES: dict[str, Any] = {
    "model": "m",
    "max_output_tokens": 16,
    "store": False,
    "include": ["reasoning.encrypted_content"],
    "reasoning": {"effort": "low", "summary": "auto"},
    "instructions": "You work.",
    "tools": [{"type": "function", "name": "ReadFile", "parameters": SCHEMA, "strict": False}],
    "input": [
        {"role": "user", "content": [{"type": "input_text", "text": "Go."}]},
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": "Hm."}],
            "encrypted_content": sign("Hm."),
        },
        {"role": "assistant", "content": "I read.", "phase": "commentary"},
        *(
            {"type": "function_call", "call_id": name, "name": "ReadFile", "arguments": '{"path": "a"}'}
            for name in ("c1", "c2")
        ),
        {"type": "function_call_output", "call_id": "c2", "output": "two"},
        {"type": "function_call_output", "call_id": "c1", "output": "one"},
        {"role": "user", "content": "It is late."},
    ],
}


def said(body: dict[str, Any], message: int = 1) -> list[dict[str, Any]]:
    """The blocks of a message."""
    content: list[dict[str, Any]] = body["messages"][message]["content"]
    return content


def calls(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The calls of the OpenAI body."""
    found: list[dict[str, Any]] = body["messages"][2]["tool_calls"]
    return found


def again(body: dict[str, Any], first: int, last: int) -> None:
    """Appends a copy of the messages from `first` to `last`, so that ids come twice."""
    body["messages"] += copy.deepcopy(body["messages"][first : last + 1])


ANTHROPIC_FAULTS: list[tuple[Edit, str]] = [
    (lambda b: b.pop("max_tokens"), "max_tokens: Field required"),
    (lambda b: b.update(max_tokens=0), "max_tokens: Field required"),
    (lambda b: b.update(max_tokens=True), "max_tokens: Field required"),
    (lambda b: b.update(model=""), "model: Field required"),
    (lambda b: b.update(stream="yes"), "stream: must be true or false"),
    (lambda b: b.update(max_output=1), "max_output: Extra inputs are not permitted"),
    (lambda b: b.update(system=1), "system: must be text"),
    (
        lambda b: b["system"].append({"type": "text", "text": ""}),
        "system.1: text content blocks must contain",
    ),
    (lambda b: b["system"].append({"type": "image"}), "system.1: must be a text block"),
    (lambda b: b.update(messages=[]), "messages: at least one message"),
    (lambda b: b["messages"].pop(0), 'messages: first message must use the "user" role'),
    (lambda b: b["messages"].append({"role": "assistant", "content": "So"}), "must end with a user message"),
    (lambda b: b["messages"][0].update(role="tool"), "role user or assistant"),
    (lambda b: b["messages"][0].update(name="x"), "messages.0.name: Extra inputs"),
    (lambda b: b["messages"][0].update(content=""), "messages.0.content: all messages must have non-empty"),
    (lambda b: b["messages"][0].update(content=[]), "messages.0.content: all messages must have non-empty"),
    (lambda b: said(b)[1].update(text=" \n"), "content.1: text content blocks must contain non-whitespace"),
    (lambda b: said(b)[1].update(kind="x"), "messages.1.content.1.kind: Extra inputs"),
    (lambda b: said(b)[1].update(type="tool_result"), "content.1.type: 'tool_result' is none of"),
    (lambda b: said(b)[0].update(thinking="Hmm."), "Invalid `signature` in `thinking` block"),
    (lambda b: said(b)[0].pop("signature"), "thinking and signature are required"),
    (lambda b: said(b)[2].update(input="{}"), "content.2.input: Input should be a valid dictionary"),
    (lambda b: said(b)[2].update(id="c 1"), "content.2.id: must match"),
    (lambda b: said(b)[2].update(name="Read File"), "content.2.name: must match"),
    (lambda b: said(b)[3].update(id="c1"), "ids must be unique, 'c1'"),
    (lambda b: again(b, 1, 2), "messages.3: `tool_use` ids must be unique, 'c1'"),
    (lambda b: said(b, 2).pop(0), "messages.2: `tool_use` ids without `tool_result` blocks immediately"),
    (lambda b: b["messages"].insert(2, {"role": "user", "content": "x"}), "immediately after: ['c1', 'c2']"),
    (lambda b: said(b, 2).insert(0, said(b, 2).pop()), "messages.2: tool_result blocks must come first"),
    (lambda b: said(b, 2).insert(0, dict(said(b, 2)[0])), "each tool_use must have a single result, 'c1'"),
    (lambda b: said(b, 2)[0].update(tool_use_id="c9"), "unexpected `tool_use_id` 'c9'"),
    (lambda b: said(b, 2)[0].update(content=""), "messages.2.content.0.content: is empty"),
    (
        lambda b: said(b, 2)[1].update(content=[{"type": "text", "text": ""}]),
        "content.1.content.0: text content",
    ),
    (lambda b: said(b, 2)[0].update(is_error="no"), "is_error: must be true or false"),
    (lambda b: b["tools"][0].update(name="x" * 65), "tools.0.name: must match"),
    (lambda b: b["tools"].append(b["tools"][0]), "tools.1.name: tool names must be unique"),
    (lambda b: b["tools"][0].update(parameters={}), "tools.0.parameters: Extra inputs"),
    (lambda b: b["tools"][0].pop("input_schema"), "tools.0.input_schema: a JSON schema is required"),
    (lambda b: b["tools"][0].update(input_schema={"type": "string"}), "input_schema.type: must be 'object'"),
    (lambda b: b["tools"][0].update(input_schema={**SCHEMA, "required": ["q"]}), "input_schema.required"),
    (lambda b: b.update(tool_choice="auto"), "tool_choice: must be an object"),
    (lambda b: b.update(tool_choice={"type": "tool", "name": "No"}), "tool_choice.name: 'No' is none"),
    (lambda b: b.update(tools=[], tool_choice={"type": "auto"}), "tool_choice: may only be specified while"),
    (lambda b: b.pop("tools"), "must define tools"),
    (lambda b: [x.update(cache_control={}) for x in (b, *said(b, 2), b["tools"][0])], "maximum of 4 blocks"),
]

OPENAI_FAULTS: list[tuple[Edit, str]] = [
    (lambda b: b.pop("model"), "model: you must provide"),
    (lambda b: b.update(max_tokens=5), "cannot both be set"),
    (lambda b: b.update(max_completion_tokens=0), "max_completion_tokens: must be a whole number"),
    (lambda b: b.update(stream_options={"include_usage": True}), "stream_options: is only allowed"),
    (lambda b: b.update(tools=[]), "tools: must be an array and not empty"),
    (lambda b: (b.pop("tools"), b.update(tool_choice="auto")), "tool_choice: is only allowed when tools"),
    (lambda b: b.update(tool_choice="any"), "tool_choice: must be auto, none, required"),
    (lambda b: b["tools"].append(b["tools"][0]), "tools.1.function.name: tool names must be unique"),
    (lambda b: b["tools"][0].pop("type"), "tools.0: must be an object with type function"),
    (lambda b: b["tools"][0]["function"].update(input_schema={}), "function.input_schema: Extra inputs"),
    (lambda b: b["tools"][0]["function"].pop("parameters"), "parameters: a JSON schema is required"),
    (lambda b: b["tools"][0]["function"].update(name="a.b"), "tools.0.function.name: must match"),
    (lambda b: b.update(messages=[]), "messages: at least one message"),
    (lambda b: b["messages"][1].update(role="human"), "messages: each must be an object with role"),
    (lambda b: b["messages"].pop(1), "the first message after the system's must be the user's"),
    (lambda b: b["messages"].append(b["messages"].pop(0)), "system messages must stand at the beginning"),
    (lambda b: b["messages"].append({"role": "assistant", "content": "So"}), "last message must not be"),
    (lambda b: b["messages"][5].update(content=""), "messages.5.content: must not be empty"),
    (
        lambda b: b["messages"][1].update(content=[{"type": "text", "text": ""}]),
        "content.0.text: must not be",
    ),
    (lambda b: b["messages"][1].update(content=[{"type": "tool_use"}]), "content.0.type: must be one of"),
    (lambda b: b["messages"][2].update(content=""), "messages.2.content: must not be empty; with tool_calls"),
    (
        lambda b: b["messages"][2].update(tool_calls=[]),
        "messages.2.tool_calls: must be an array and not empty",
    ),
    (lambda b: b["messages"][2].update(calls=[]), "messages.2.calls: Extra inputs"),
    (lambda b: calls(b)[0]["function"].update(arguments={"path": "a"}), "a string that holds a JSON object"),
    (lambda b: calls(b)[0]["function"].update(arguments="[1]"), "a string that holds a JSON object"),
    (lambda b: calls(b)[0]["function"].update(arguments='{"path": '), "a string that holds a JSON object"),
    (lambda b: calls(b)[0]["function"].update(name=""), "tool_calls.0.function.name: must match"),
    (lambda b: calls(b)[0].pop("type"), "tool_calls.0: must be an object with type function"),
    (lambda b: calls(b)[0].update(id="x" * 41), "tool_calls.0.id: must be text of 1 to 40"),
    (lambda b: calls(b)[1].update(id="c1"), "ids of tool_calls must be unique, 'c1'"),
    (lambda b: again(b, 2, 5), "messages.6: ids of tool_calls must be unique, 'c1'"),
    (
        lambda b: b["messages"].pop(4),
        "messages.4: tool_calls must be followed by tool messages, there is none",
    ),
    (lambda b: b.update(messages=b["messages"][:4]), "there is none for ['c2']"),
    (lambda b: b["messages"].insert(3, {"role": "user", "content": "x"}), "there is none for ['c1', 'c2']"),
    (lambda b: b["messages"][4].update(tool_call_id="c1"), "messages.4: 'c1' is no open call"),
    (lambda b: b["messages"][3].update(content=""), "messages.3.content: must not be empty"),
    (lambda b: b["messages"][3].update(is_error=True), "messages.3.is_error: Extra inputs"),
]


RESPONSES_FAULTS: list[tuple[Edit, str]] = [
    (lambda b: b.pop("model"), "model: you must provide"),
    (lambda b: b.pop("store"), "store: nothing is kept here"),
    (lambda b: b.update(messages=[]), "messages: Extra inputs"),
    (lambda b: b.update(stream=1), "stream: must be true or false"),
    (lambda b: b.update(max_output_tokens=15), "max_output_tokens: must be a whole number of at least 16"),
    (lambda b: b.update(instructions=" "), "instructions: must be text"),
    (lambda b: b.update(include=["reasoning"]), "include: must be an array of"),
    (lambda b: b.update(reasoning={"effort": "much"}), "reasoning.effort: must be one of"),
    (lambda b: b.update(reasoning={"summary": "long"}), "reasoning.summary: must be"),
    (lambda b: b.update(reasoning={"budget": 1}), "reasoning.budget: Extra inputs"),
    (lambda b: b.update(reasoning=1), "reasoning: must be an object"),
    (lambda b: b.update(tools={}), "tools: must be an array"),
    (lambda b: (b.pop("tools"), b.update(tool_choice="auto")), "tool_choice: is only allowed when tools"),
    (lambda b: b.update(tool_choice="any"), "tool_choice: must be auto, none, required"),
    (lambda b: b["tools"].append(b["tools"][0]), "tools.1.name: tool names must be unique"),
    (lambda b: b["tools"][0].update(type="custom"), "tools.0: must be an object with type function"),
    (lambda b: b["tools"][0].pop("strict"), "tools.0.strict: must be false"),
    (lambda b: b["tools"][0].update(function={}), "tools.0.function: Extra inputs"),
    (lambda b: b.update(input=[]), "input: at least one item"),
    (lambda b: b["input"].pop(0), "the first item must be a message of the user's"),
    (lambda b: b["input"].append({"role": "assistant", "content": "So"}), "the last item must be"),
    (lambda b: b["input"][0].update(role="tool"), "input.0.role: must be one of"),
    (lambda b: b["input"][0].update(content=""), "input.0.content: must not be empty"),
    (lambda b: b["input"][0]["content"][0].update(type="text"), "input.0.content.0.type: must be one of"),
    (lambda b: b["input"][0]["content"][0].update(text=""), "input.0.content.0.text: must not be empty"),
    (lambda b: b["input"][0].update(phase="commentary"), "input.0.phase: must be commentary or final_answer"),
    (lambda b: b["input"][1].update(encrypted_content="E"), "encrypted content could not be verified"),
    (lambda b: b["input"][1].update(summary=None), "input.1.summary: must be an array of texts"),
    (lambda b: b["input"][1].pop("id"), "input.1.id: is required"),
    (lambda b: b["input"].insert(7, b["input"][1]), "was provided without its required following item"),
    (lambda b: b["input"][3].update(call_id=""), "input.3.call_id: must be text"),
    (lambda b: b["input"][3].update(call_id="c" * 65), "input.3.call_id: must be text"),
    (lambda b: b["input"][3].update(name="Read File"), "input.3.name: must match"),
    (lambda b: b["input"][3].update(arguments={}), "input.3.arguments: must be a string"),
    (lambda b: b["input"][3].update(arguments='{"path"'), "input.3.arguments: must be a string"),
    (lambda b: b["input"][3].update(call_id="c2"), "call ids must be unique, 'c2'"),
    (lambda b: b["input"][3].update(type="custom_tool_call"), "input.3: must be an object with type"),
    (lambda b: b["input"][5].update(output=" "), "input.5.output: must not be empty"),
    (lambda b: b["input"].pop(5), "No tool output found for function call c2"),
    (lambda b: b.update(input=b["input"][:6]), "input: No tool output found for function call c1"),
    (
        lambda b: b["input"][5].update(call_id="c9"),
        "No tool call found for function call output with call_id c9",
    ),
]


def test_good_requests_pass() -> None:
    assert list(OpenAIResponses().complaints(RESPONSES, {})) == []
    assert list(Anthropic().complaints(ANTHROPIC, VERSION)) == []
    assert list(OpenAIChat().complaints(OPENAI, {})) == []


@pytest.mark.parametrize(("spoil", "complaint"), ANTHROPIC_FAULTS, ids=range(len(ANTHROPIC_FAULTS)))
def test_what_anthropic_refuses(spoil: Edit, complaint: str) -> None:
    body = copy.deepcopy(ANTHROPIC)
    spoil(body)
    assert complaint in "\n".join(Anthropic().complaints(body, VERSION))


@pytest.mark.parametrize(("spoil", "complaint"), OPENAI_FAULTS, ids=range(len(OPENAI_FAULTS)))
def test_what_strict_openai_servers_refuse(spoil: Edit, complaint: str) -> None:
    body = copy.deepcopy(OPENAI)
    spoil(body)
    assert complaint in "\n".join(OpenAIChat().complaints(body, {}))


@pytest.mark.parametrize(("spoil", "complaint"), RESPONSES_FAULTS, ids=range(len(RESPONSES_FAULTS)))
def test_what_openais_responses_refuse(spoil: Edit, complaint: str) -> None:
    body = copy.deepcopy(RESPONSES)
    spoil(body)
    assert complaint in "\n".join(OpenAIResponses().complaints(body, {}))


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"thinking": {"type": "on"}}, "thinking.type: must be enabled"),
        ({"thinking": {"type": "enabled", "budget_tokens": 1023}}, "budget_tokens: must be at least 1024"),
        ({"thinking": {"type": "enabled", "budget_tokens": 4000}}, "max_tokens: must be greater than"),
        ({"output_config": {"effort": "much"}}, "output_config.effort: must be low"),
        (
            {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2000},
            "must start with a thinking",
        ),
    ],
)
def test_thinking_that_anthropic_refuses(options: dict[str, Any], complaint: str) -> None:
    body = {**copy.deepcopy(ANTHROPIC), **options}
    said(body).pop(0)
    assert complaint in "\n".join(Anthropic().complaints(body, VERSION))


def test_a_run_of_calls_in_a_budget_begins_with_thinking() -> None:
    def step(name: str, *before: dict[str, Any], words: str = "") -> list[dict[str, Any]]:
        call = {"type": "tool_use", "id": name, "name": "ReadFile", "input": {"path": "a"}}
        result = {"type": "tool_result", "tool_use_id": name, "content": "one"}
        said = [{"type": "text", "text": words}] if words else []
        answer = {"role": "assistant", "content": [*before, call]}
        return [answer, {"role": "user", "content": [result, *said]}]

    def complains(*steps: list[dict[str, Any]]) -> bool:
        budget = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2000}
        prompt = {"role": "user", "content": "Go."}
        body = {**ANTHROPIC, **budget, "messages": [prompt, *itertools.chain(*steps)]}
        found = list(Anthropic().complaints(body, VERSION))
        assert all("must start with a thinking block" in each for each in found)
        return bool(found)

    thought = {"type": "thinking", "thinking": "Hm.", "signature": sign("Hm.")}
    assert not complains(step("a", thought), step("b"), step("c"))
    assert complains(step("a"), step("b", thought))
    assert complains(step("a", thought, words="Soon."), step("b"))
    assert not complains(step("a", thought, words="Soon."), step("b", thought, words="Now."))
    assert complains(step("a", words="Soon."))
    prompt = {"role": "user", "content": "And?"}
    done = {"role": "assistant", "content": "Done."}
    assert not complains(step("a"), [done, prompt], step("b", thought))


def test_a_missing_version_header_is_refused() -> None:
    assert next(Anthropic().complaints(ANTHROPIC, {})) == "anthropic-version: header is required"


def test_signatures_of_other_servers_are_let_through() -> None:
    body = copy.deepcopy(ANTHROPIC)
    said(body)[0].update(signature="EqQBCgIYAhIM", thinking="Anything.")
    assert list(Anthropic().complaints(body, VERSION)) == []


@pytest.mark.parametrize(("protocol", "good"), [("anthropic", ANTHROPIC), ("openai", OPENAI)])
def test_a_refusal_has_the_providers_shape_and_is_noted(
    scripted: Callable[..., ScriptedServer], protocol: str, good: dict[str, Any]
) -> None:
    server = scripted({"agents": {"main": [{"text": "Never."}]}}, expects_failures=True)
    body = {**good, "messages": []}
    response = post(server.url, PATHS[protocol], body, VERSION)
    assert response.status == 400
    error = response.json["error"]
    assert error["type"] == "invalid_request_error"
    assert "at least one message is required" in error["message"]
    assert ("code" in error) == (protocol == "openai")
    assert "at least one message is required" in server.failures[0]
    assert server.log[0].outcome == "refused"
    assert server.unplayed() == ["main step 1"]


@pytest.mark.parametrize(("protocol", "good"), [("anthropic", ANTHROPIC), ("openai", OPENAI)])
def test_a_fault_in_the_part_that_was_sent_before_is_seen_too(
    scripted: Callable[..., ScriptedServer], protocol: str, good: dict[str, Any]
) -> None:
    server = scripted({"agents": {"main": [{"always": True, "text": "Yes."}]}}, expects_failures=True)
    assert post(server.url, PATHS[protocol], good, VERSION).status == 200
    spoiled = copy.deepcopy(good)
    first = 1 if protocol == "openai" else 0
    spoiled["messages"][first]["content"] = ""
    assert post(server.url, PATHS[protocol], spoiled, VERSION).status == 400
    assert f"messages.{first}.content" in server.failures[0]


def test_a_lenient_scenario_takes_what_a_strict_one_refuses(scripted: Callable[..., ScriptedServer]) -> None:
    server = scripted({"strict": False, "agents": {"main": [{"text": "Yes."}]}})
    body = copy.deepcopy(OPENAI)
    calls(body)[0]["function"]["arguments"] = '{"path": '
    assert post(server.url, PATHS["openai"], body).status == 200
