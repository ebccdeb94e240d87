"""The official SDKs take the server for the real thing, streaming and not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roocode.scripted.server import ScriptedServer

Start = Callable[..., ScriptedServer]
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
SCENARIO: dict[str, Any] = {
    "keys": ["secret"],
    "agents": {
        "main": [
            {"thinking": "Hm.", "text": "I read.", "calls": [{"tool": "ReadFile", "input": {"path": "a"}}]},
            {"text": "It says {{ result.ReadFile }}."},
        ]
    },
}


@pytest.mark.asyncio
async def test_anthropics_own_client(scripted: Start) -> None:
    import anthropic

    server = scripted(SCENARIO)
    tool: Any = {"name": "ReadFile", "description": "Reads.", "input_schema": SCHEMA}
    messages: list[Any] = [{"role": "user", "content": "Go."}]
    async with anthropic.AsyncAnthropic(api_key="secret", base_url=server.url) as client:
        asked: Any = {"model": "m", "max_tokens": 50, "tools": [tool], "messages": messages}
        async with client.messages.stream(**asked) as stream:
            first = await stream.get_final_message()
        call = first.content[2]
        assert (call.type, call.name, call.input) == ("tool_use", "ReadFile", {"path": "a"})
        messages.append(first.to_param())
        result = {"type": "tool_result", "tool_use_id": call.id, "content": "hello"}
        messages.append({"role": "user", "content": [result]})
        second = await client.messages.create(**asked)
    assert second.content[0].text == "It says hello."
    assert second.stop_reason == "end_turn"
    assert second.usage.cache_read_input_tokens > 0
    server.assert_finished()


@pytest.mark.asyncio
async def test_openais_own_client(scripted: Start) -> None:
    import openai

    server = scripted(SCENARIO)
    function = {"name": "ReadFile", "description": "Reads.", "parameters": SCHEMA}
    messages: list[Any] = [{"role": "user", "content": "Go."}]
    async with openai.AsyncOpenAI(api_key="secret", base_url=f"{server.url}/v1") as client:
        tools: Any = [{"type": "function", "function": function}]
        asked: Any = {"model": "m", "tools": tools, "messages": messages}
        async with client.chat.completions.stream(**asked) as stream:
            completion = await stream.get_final_completion()
        first = completion.choices[0].message
        call = first.tool_calls[0]
        assert call.function.arguments == '{"path": "a"}'
        own = {
            "id": call.id,
            "type": "function",
            "function": {"name": "ReadFile", "arguments": '{"path": "a"}'},
        }
        messages.append({"role": "assistant", "content": first.content, "tool_calls": [own]})
        messages.append({"role": "tool", "tool_call_id": call.id, "content": "hello"})
        second = await client.chat.completions.create(**asked)
    assert second.choices[0].message.content == "It says hello."
    assert second.choices[0].finish_reason == "stop"
    server.assert_finished()


@pytest.mark.asyncio
async def test_openais_own_client_in_the_responses_protocol(scripted: Start) -> None:
    import openai

    server = scripted(SCENARIO)
    said: list[Any] = [{"role": "user", "content": "Go."}]
    async with openai.AsyncOpenAI(api_key="secret", base_url=f"{server.url}/v1") as client:
        tool = {"type": "function", "name": "ReadFile", "parameters": SCHEMA, "strict": False}
        asked: Any = {"model": "m", "tools": [tool], "input": said, "store": False}
        async with client.responses.stream(**asked) as stream:
            first = await stream.get_final_response()
        thought, message, call = first.output
        assert [item.type for item in first.output] == ["reasoning", "message", "function_call"]
        assert message.content[0].text == "I read."
        assert call.arguments == '{"path": "a"}'
        said += [thought.to_dict(), {"role": "assistant", "content": "I read."}]
        said.append({"type": "function_call", "call_id": call.call_id, "name": "ReadFile", "arguments": "{}"})
        said.append({"type": "function_call_output", "call_id": call.call_id, "output": "hello"})
        second = await client.responses.create(**asked)
    assert second.output_text == "It says hello."
    assert second.status == "completed"
    assert second.usage.input_tokens_details.cached_tokens > 0
    server.assert_finished()


@pytest.mark.asyncio
async def test_their_errors_are_the_expected_classes(scripted: Start) -> None:
    import anthropic
    import openai

    server = scripted({**SCENARIO, "models": ["m"]})
    message: Any = [{"role": "user", "content": "Go."}]
    async with (
        anthropic.AsyncAnthropic(api_key="wrong", base_url=server.url) as one,
        openai.AsyncOpenAI(api_key="secret", base_url=f"{server.url}/v1") as other,
    ):
        with pytest.raises(anthropic.AuthenticationError):
            await one.messages.create(model="m", max_tokens=5, messages=message)
        with pytest.raises(openai.NotFoundError) as caught:
            await other.chat.completions.create(model="unknown", messages=message)
    assert caught.value.code == "model_not_found"
    assert [record.status for record in server.log] == [401, 404]
