"""What is sent is append-only in bytes, in every protocol, with thinking and calls: the server measures."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roocode.engine.models.assemble import ReplyBuilder
from roocode.engine.models.connect import connect
from roocode.engine.models.endpoint import Endpoint, WireName
from roocode.engine.models.fallback import FallbackClient, Rung
from roocode.engine.models.profiles import Profile, profile_of
from roocode.engine.models.retry import RetryPolicy
from roocode.protocol.messages import Message, ToolResult, results, user
from roocode.protocol.models import Effort, ModelInfo
from roocode.scripted.server import ScriptedServer
from tests.engine.models.wires import request

Start = Callable[..., ScriptedServer]
READ = {"tool": "ReadFile", "input": {"path": "é"}}
STEPS = [
    {"thinking": "Hm.", "text": "I look.", "calls": [READ, READ]},
    {"calls": [READ]},
    {"thinking": "Oh.", "text": "So."},
    {"thinking": "Again.", "calls": [READ]},
    {"text": "Done."},
]


@pytest.mark.asyncio
@pytest.mark.parametrize("effort", [None, "off", "high"])
@pytest.mark.parametrize("protocol", ["anthropic", "openai", "openai-responses"])
async def test_all_of_the_request_before_is_a_prefix(
    scripted: Start, protocol: WireName, effort: Effort | None
) -> None:
    server = scripted({"agents": {"main": STEPS}})
    address = Endpoint("own", protocol, server.url if protocol == "anthropic" else f"{server.url}/v1")
    known = profile_of(address)
    profile = Profile(**{name: getattr(known, name) for name in known.__slots__} | {"phases": True})  # type: ignore[attr-defined]
    info = ModelInfo("own", "m-1", 100_000, 8192)
    rung = Rung(info, lambda: connect(address, RetryPolicy(tries=1), effort=effort, profile=profile))
    client = FallbackClient([rung], lambda text: None)
    history: list[Message] = [user("go")]
    for _ in STEPS:
        builder = ReplyBuilder()
        sent = request(messages=tuple(history), headers={"X-RooCode-Session": "s-1"})
        async for event in client.stream(sent):
            builder.add(event)
        answer = builder.reply().message
        history.append(answer)
        outcomes = results(ToolResult(call.id, "", index == 1) for index, call in enumerate(answer.calls))
        history.append(outcomes if answer.calls else user("and on"))
    await client.close()
    assert [record.prefix_share for record in server.log] == [None, *[1.0] * (len(STEPS) - 1)]
    server.assert_finished()
