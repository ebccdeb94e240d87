"""Another model answers in place of one that is overloaded, over real sockets and the strict server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from roocode.engine.models import catalog
from roocode.engine.models.assemble import ReplyBuilder
from roocode.engine.models.connect import connect
from roocode.engine.models.endpoint import Endpoint, WireName
from roocode.engine.models.fallback import FallbackClient, Rung
from roocode.engine.models.retry import RetryPolicy
from roocode.protocol.errors import HostError, ProviderBusy, ProviderRefused, StreamCut
from roocode.protocol.messages import Message, Reply, Text, Thinking, ToolResult, reminder, results, user
from roocode.protocol.models import Effort, Retrying
from roocode.scripted.server import ScriptedServer
from tests.engine.models.wires import request

Start = Callable[..., ScriptedServer]
ONCE = RetryPolicy(tries=1)
READ = {"tool": "ReadFile", "input": {"path": "a"}, "id": "read_1"}


def rung(server: ScriptedServer, provider: str, protocol: WireName, effort: Effort | None = None) -> Rung:
    root = server.url if protocol == "anthropic" else f"{server.url}/v1"
    address = Endpoint(provider, protocol, root)
    return Rung(catalog.lookup(provider, f"{provider}-m"), lambda: connect(address, ONCE, effort=effort))


class Talk:
    """A conversation with a client, and what it told."""

    def __init__(self, *rungs: Rung) -> None:
        self.told: list[str] = []
        self.client = FallbackClient(rungs, self.told.append)
        self.history: list[Message] = []
        self.retries: list[Retrying] = []

    async def ask(self, message: Message, *, closing: bool = False) -> Reply:
        self.history.append(message)
        builder = ReplyBuilder()
        asked = request(model="first-m", messages=tuple(self.history), headers={"X-RooCode-Agent": "main"})
        async for event in self.client.stream(asked):
            builder.add(event)
            if isinstance(event, Retrying):
                self.retries.append(event)
        reply = builder.reply()
        self.history.append(reply.message)
        return reply

    async def answer(self, reply: Reply) -> Reply:
        return await self.ask(results([ToolResult(call.id, "x") for call in reply.message.calls]))


def play(*steps: Mapping[str, Any]) -> dict[str, Any]:
    return {"agents": {"main": list(steps)}}


PROTOCOLS: tuple[WireName, ...] = ("anthropic", "openai", "openai-responses")


@pytest.mark.asyncio
@pytest.mark.parametrize("first", PROTOCOLS)
@pytest.mark.parametrize("second", PROTOCOLS)
async def test_it_answers_until_the_next_prompt(scripted: Start, first: WireName, second: WireName) -> None:
    theirs = READ["id"] if first == "anthropic" else "functions.read:0"
    one = scripted(
        play(
            {"thinking": "Hm.", "calls": [{**READ, "id": theirs}]},
            {"error": 529},
            {"text": "Back.", "thinking": "I see."},
        )
    )
    other = scripted(play({"thinking": "So.", "calls": [{**READ, "id": "other_1"}]}, {"text": "Done."}))
    talk = Talk(rung(one, "first", first, "low"), rung(other, "second", second, "low"))
    called = await talk.ask(user("go"))
    assert called.by == "first/first-m"
    stepped = await talk.answer(called)
    assert stepped.by == "second/second-m"
    done = await talk.answer(stepped)
    assert (done.by, done.message.text) == ("second/second-m", "Done.")
    back = await talk.ask(user("and now"))
    assert (back.by, back.message.text) == ("first/first-m", "Back.")
    await talk.client.close()
    assert len(talk.retries) == len(talk.told) == 1
    assert "first/first-m does not answer, so second/second-m does" in talk.told[0]
    assert "529" in talk.told[0]
    assert [record.model for record in other.log] == ["second-m", "second-m"]
    assert len({call.id for message in talk.history for call in message.calls}) == 2


@pytest.mark.asyncio
async def test_no_signature_ever_reaches_another_provider(scripted: Start) -> None:
    one = scripted(play({"thinking": "Hm.", "text": "One.", "calls": [READ]}, {"error": 529}))
    other = scripted(play({"text": "Done."}))
    talk = Talk(rung(one, "first", "anthropic"), rung(other, "second", "anthropic"))
    called = await talk.ask(user("go"))
    signature = next(b.signature for b in called.message.blocks if isinstance(b, Thinking))
    assert signature
    await talk.answer(called)
    await talk.client.close()
    assert signature not in other.log[0].raw.decode()
    assert signature in one.log[1].raw.decode()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "fault",
    [{"error": 500}, {"error": 429}, {"text": "One.", "cut_after": 1}],
)
async def test_what_the_tries_of_the_first_cannot_mend(scripted: Start, fault: dict[str, Any]) -> None:
    one, other = scripted(play(fault)), scripted(play({"text": "Two."}))
    talk = Talk(rung(one, "first", "openai"), rung(other, "second", "openai"))
    assert (await talk.ask(user("go"))).message.text == "Two."
    await talk.client.close()


@pytest.mark.asyncio
async def test_a_refusal_is_no_reason(scripted: Start) -> None:
    one, other = scripted(play({"error": 401})), scripted(play())
    talk = Talk(rung(one, "first", "openai"), rung(other, "second", "openai"))
    with pytest.raises(ProviderRefused):
        await talk.ask(user("go"))
    await talk.client.close()
    assert other.log == []


@pytest.mark.asyncio
async def test_where_none_answers_all_are_named(scripted: Start) -> None:
    one = scripted(play({"error": 529}, {"error": 529}, {"error": 529}))
    talk = Talk(*(rung(one, name, "openai") for name in ("first", "second", "third")))
    with pytest.raises(ProviderBusy, match=r"no model of first/first-m, second/second-m, third/third-m"):
        await talk.ask(user("go"))
    await talk.client.close()
    assert [retry.attempt for retry in talk.retries] == [1, 2]


@pytest.mark.asyncio
async def test_one_model_alone_keeps_its_words(scripted: Start) -> None:
    one = scripted(play({"text": "x", "cut_after": 1}))
    talk = Talk(rung(one, "first", "openai"))
    with pytest.raises(StreamCut) as caught:
        await talk.ask(user("go"))
    await talk.client.close()
    assert "no model of" not in caught.value.what
    assert caught.value.__cause__ is not caught.value
    assert talk.told == []


@pytest.mark.asyncio
async def test_a_fallback_that_cannot_be_set_up_leaves_an_error_that_is_worth_a_try(scripted: Start) -> None:
    one = scripted(play({"error": 529}))

    def broken() -> Any:
        raise HostError("the SDK needs a package", "install it")

    talk = Talk(rung(one, "first", "openai"), Rung(catalog.lookup("second", "m"), broken))
    with pytest.raises(ProviderBusy, match="the SDK needs a package"):
        await talk.ask(user("go"))
    await talk.client.close()


@pytest.mark.asyncio
async def test_reminders_alone_are_no_prompt(scripted: Start) -> None:
    one = scripted(play({"error": 529}))
    other = scripted(play({"text": "Two."}, {"text": "Three."}))
    talk = Talk(rung(one, "first", "openai"), rung(other, "second", "openai"))
    await talk.ask(user("go"))
    assert (await talk.ask(Message("user", (reminder("hand over"),)))).by == "second/second-m"
    await talk.client.close()


@pytest.mark.asyncio
async def test_the_output_limit_is_the_answering_models(scripted: Start) -> None:
    one, other = scripted(play({"error": 529})), scripted(play({"text": "Two."}))
    small = catalog.lookup("second", "m")
    address = Endpoint("second", "openai", f"{other.url}/v1")
    talk = Talk(rung(one, "first", "openai"), Rung(small, lambda: connect(address, ONCE)))
    talk.history.append(Message("user", (Text("go"),)))
    asked = request(max_tokens=30_000, messages=tuple(talk.history))
    events = [event async for event in talk.client.stream(asked)]
    await talk.client.close()
    assert events
    assert (one.log[0].body["max_tokens"], other.log[0].body["max_tokens"]) == (30_000, small.max_output)


def test_an_overloaded_provider_is_tried_less_where_another_can_answer() -> None:
    policy = RetryPolicy(overload_tries=2)
    busy = ProviderBusy("x", status=529)
    assert policy.delay(1, busy, 0.5) is not None
    assert policy.delay(2, busy, 0.5) is None
    assert policy.delay(2, ProviderBusy("x", status=500), 0.5) is not None
    assert RetryPolicy().delay(4, busy, 0.5) is not None
