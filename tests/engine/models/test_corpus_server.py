"""Recorded responses of real providers, served by the scripted server and read by the real clients."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from roocode.engine.models.assemble import ReplyBuilder
from roocode.engine.models.connect import connect
from roocode.engine.models.endpoint import TransportName, WireName
from roocode.engine.models.retry import RetryPolicy
from roocode.protocol.errors import ProviderError
from roocode.protocol.messages import Reply, StopReason, Thinking
from roocode.protocol.models import ModelClient
from roocode.scripted.scenario import Scenario, Step
from roocode.scripted.server import ScriptedServer, running
from tests.engine.models.test_corpus_streams import (
    EXPLAINED,
    FAILS,
    FOLDERS,
    STREAMS,
    derived_summary,
    recordings,
    sidecar,
    summary,
)
from tests.engine.models.wires import endpoint, request

pytestmark = pytest.mark.skipif(not STREAMS.is_dir(), reason="the shared corpus is not here")

STOPS: dict[str | None, StopReason] = {
    "max_tokens": "max_tokens",
    "length": "max_tokens",
    "incomplete:max_output_tokens": "max_tokens",
    "refusal": "refusal",
    "content_filter": "refusal",
    "pause_turn": "pause",
    "stop_sequence": "stop_sequence",
}
ENDS_OTHERWISE: dict[str, StopReason] = {
    "openai-chat-openai-d2190629": "refusal",
    "openai-chat-openrouter-9c6ed482": "refusal",
}
"""Recordings whose reason says `stop` while their text is a refusal."""


def stated_stop(name: str, recorded: dict[str, Any], reply: Reply) -> StopReason:
    """What the recording's stop reason means; the calls count where it says end or tools."""
    if name in ENDS_OTHERWISE:
        return ENDS_OTHERWISE[name]
    return STOPS.get(recorded["stop_reason"], "tools" if reply.message.calls else "end")


def differences(name: str, recorded: dict[str, Any], reply: Reply) -> set[str]:
    """Which of text, thinking, calls, usage and stop are not what the recording says."""
    ours, theirs = summary(reply), derived_summary(recorded)
    if reply.usage.estimated and not (theirs["sent"] or theirs["received"]):
        theirs["sent"], theirs["received"] = ours["sent"], ours["received"]
    wrong = {key for key in ours if ours[key] != theirs[key]} if name not in EXPLAINED else set()
    head = recorded["derived"].get("thinking_head") or ""
    thinking = "".join(b.text for b in reply.message.blocks if isinstance(b, Thinking) and not b.redacted)
    if name not in EXPLAINED and not thinking.startswith(head):
        wrong.add("thinking")
    if name not in EXPLAINED and reply.stop != stated_stop(name, recorded, reply):
        wrong.add("stop")
    return wrong


async def ask(client: ModelClient, agent: str) -> Reply:
    builder = ReplyBuilder()
    async for event in client.stream(request(headers={"X-RooCode-Agent": agent})):
        builder.add(event)
    return builder.reply()


@pytest.mark.asyncio
@pytest.mark.parametrize("transport", ["http", "sdk"])
@pytest.mark.parametrize("folder", FOLDERS)
async def test_every_recording_comes_out_right_at_the_other_end(
    folder: str, transport: TransportName
) -> None:
    protocol: WireName = FOLDERS[folder]
    bodies = {path.stem: path.read_bytes() for path in recordings(folder)}
    steps = {name: (Step(raw_sse=body),) for name, body in bodies.items()}
    table: dict[str, list[str]] = defaultdict(list)
    wrong: dict[str, set[str]] = {}
    async with running(ScriptedServer(Scenario(agents=steps))) as server:
        root = server.url if protocol == "anthropic" else f"{server.url}/v1"
        client = connect(endpoint(protocol, root, transport=transport), RetryPolicy(tries=1))
        for path in recordings(folder):
            recorded = sidecar(path)
            table[recorded["provider"]].append(path.stem)
            if different := differences(path.stem, recorded, await ask(client, path.stem)):
                wrong[path.stem] = different
        await client.close()
        server.assert_finished()
    print(f"\n{protocol} over {transport}")
    for provider, names in sorted(table.items()):
        print(f"  {provider:<16} {sum(name not in wrong for name in names):>3} of {len(names):>3} right")
    assert wrong == {}
    assert len(bodies) >= 60


@pytest.mark.asyncio
async def test_recordings_that_are_no_answer_are_errors_at_the_other_end() -> None:
    steps = {
        name: (Step(raw_sse=(STREAMS / folder / f"{name}.sse").read_bytes()),)
        for name in FAILS
        for folder in FOLDERS
        if (STREAMS / folder / f"{name}.sse").exists()
    }
    async with running(ScriptedServer(Scenario(agents=steps))) as server:
        for name, kind in FAILS.items():
            protocol: WireName = "openai-responses" if name.startswith("openai-responses") else "openai"
            client = connect(endpoint(protocol, f"{server.url}/v1"), RetryPolicy(tries=1))
            with pytest.raises(ProviderError) as caught:
                await ask(client, name)
            assert type(caught.value) is kind
            await client.close()
