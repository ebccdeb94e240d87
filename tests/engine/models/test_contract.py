"""Both transports and both protocols, over real sockets: the same bytes give the same whole event lists."""

from __future__ import annotations

import asyncio

import pytest

from roocode.engine.models.client import Patience
from roocode.engine.models.connect import connect
from roocode.engine.models.endpoint import TransportName, WireName
from roocode.engine.models.retry import RetryPolicy
from roocode.protocol.errors import ProviderError
from roocode.protocol.models import Retrying, StreamEvent
from tests.engine.models.raw_server import Plan, RawServer
from tests.engine.models.shapes import Shape
from tests.engine.models.shapes_anthropic import ANTHROPIC
from tests.engine.models.shapes_openai import OPENAI
from tests.engine.models.shapes_responses import RESPONSES
from tests.engine.models.wires import endpoint, request

Outcome = tuple[list[StreamEvent | Retrying], type[ProviderError] | None]


async def play(shapes: list[Shape], protocol: WireName, transport: TransportName) -> list[Outcome]:
    plans = [Plan(shape.pieces, headers={"content-type": shape.content_type}) for shape in shapes]
    outcomes: list[Outcome] = []
    async with RawServer(*plans) as server:
        address = endpoint(protocol, server.base_url, transport=transport)
        client = connect(address, RetryPolicy(tries=1), Patience(begin_s=20, idle_s=20))
        for _ in shapes:
            events: list[StreamEvent | Retrying] = []
            error = None
            try:
                async for event in client.stream(request()):
                    events.append(event)
            except ProviderError as raised:
                error = type(raised)
            outcomes.append((events, error))
        await client.close()
    return outcomes


@pytest.mark.parametrize("protocol", ["anthropic", "openai", "openai-responses"])
@pytest.mark.parametrize("transport", ["http", "sdk"])
def test_every_shape_gives_its_events(protocol: WireName, transport: TransportName) -> None:
    shapes = {"anthropic": ANTHROPIC, "openai": OPENAI, "openai-responses": RESPONSES}[protocol]
    outcomes = asyncio.run(play(shapes, protocol, transport))
    expected = {shape.name: (list(shape.events), shape.error) for shape in shapes}
    assert len(expected) == len(shapes) >= 20
    assert dict(zip(expected, outcomes, strict=True)) == expected
