from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from roocode.engine.models.retry import RetryingClient, RetryPolicy
from roocode.protocol.errors import ProviderBusy, ProviderError, ProviderRefused, StreamCut
from roocode.protocol.models import Finished, ModelRequest, Retrying, StreamEvent, TextDelta
from tests.engine.models.wires import request

OK = [TextDelta("ok"), Finished("end")]


class Script:
    """A client that fails as told, each time after some text, and then answers."""

    def __init__(self, *errors: ProviderError) -> None:
        self._errors = list(errors)
        self.open = 0

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamEvent]:
        self.open += 1
        try:
            if self._errors:
                yield TextDelta("half")
                raise self._errors.pop(0)
            for event in OK:
                yield event
        finally:
            self.open -= 1

    async def close(self) -> None:
        self.open = -1


async def run(script: Script, policy: RetryPolicy, chance: float = 0.5) -> tuple[list[object], list[float]]:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        assert script.open == 0
        slept.append(seconds)

    client = RetryingClient(script, policy, sleep=sleep, chance=lambda: chance)
    return [event async for event in client.stream(request())], slept


@pytest.mark.asyncio
async def test_a_good_answer_is_passed_on() -> None:
    assert await run(Script(), RetryPolicy()) == (OK, [])


@pytest.mark.asyncio
async def test_waits_double_up_to_the_cap() -> None:
    script = Script(*[StreamCut("cut")] * 5)
    events, slept = await run(script, RetryPolicy(tries=6, base_s=1, cap_s=6))
    assert slept == [0.5, 1, 2, 3, 3]
    assert next(event for event in events if isinstance(event, Retrying)) == Retrying(1, 6, 0.5, "cut")
    assert events[-2:] == OK


@pytest.mark.asyncio
async def test_a_try_is_void_before_the_wait() -> None:
    events, _ = await run(Script(ProviderBusy("busy")), RetryPolicy())
    assert events == [TextDelta("half"), Retrying(1, 5, 0.5, "busy"), *OK]


@pytest.mark.asyncio
async def test_tries_come_to_an_end() -> None:
    with pytest.raises(StreamCut, match=r"cut \(tried 3 times\)"):
        await run(Script(*[StreamCut("cut")] * 9), RetryPolicy(tries=3))


@pytest.mark.asyncio
async def test_refusals_are_final() -> None:
    with pytest.raises(ProviderRefused, match=r"^no$"):
        await run(Script(ProviderRefused("no")), RetryPolicy())


@pytest.mark.asyncio
async def test_retry_after_is_honoured() -> None:
    busy = ProviderBusy("busy", status=429, retry_after=20)
    _, slept = await run(Script(busy), RetryPolicy())
    assert slept == [21]
    assert (await run(Script(busy), RetryPolicy(), chance=0))[1] == [20]


@pytest.mark.asyncio
async def test_a_long_retry_after_is_left_to_the_person() -> None:
    busy = ProviderBusy("busy", "later", status=429, retry_after=3600)
    with pytest.raises(ProviderBusy) as caught:
        await run(Script(busy), RetryPolicy())
    assert "60 minutes" in caught.value.mend
    assert (caught.value.status, caught.value.retry_after) == (429, 3600)


@pytest.mark.asyncio
async def test_a_limit_without_a_time_is_tried_less_often() -> None:
    with pytest.raises(ProviderBusy, match="tried 3 times"):
        await run(Script(*[ProviderBusy("busy", status=429)] * 9), RetryPolicy(tries=9))


@pytest.mark.asyncio
async def test_leaving_early_closes_the_stream_within() -> None:
    script = Script()
    events = RetryingClient(script, RetryPolicy()).stream(request())
    await anext(events)
    assert script.open == 1
    await events.aclose()  # type: ignore[attr-defined]
    assert script.open == 0


@pytest.mark.asyncio
async def test_closing_closes_the_client_within() -> None:
    script = Script()
    await RetryingClient(script, RetryPolicy()).close()
    assert script.open == -1
