"""Tests one model at one endpoint, and says what was found, what it means for requests, and what it cost."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from roocode.engine.models.assemble import ReplyBuilder
from roocode.engine.models.client import Patience, WireClient
from roocode.engine.models.connect import transport_of, wire_of
from roocode.engine.models.effort import form_for, thinks
from roocode.engine.models.endpoint import Endpoint
from roocode.engine.models.learned import differences
from roocode.engine.models.probe import questions
from roocode.engine.models.probe.symptoms import reasoning_field, symptoms
from roocode.engine.models.probe.window import Window, stated_window
from roocode.engine.models.probe.witness import Witness
from roocode.engine.models.profiles import Profile, profile_of
from roocode.engine.models.retry import RetryingClient, RetryPolicy
from roocode.engine.models.text_calls import printed_calls
from roocode.engine.models.wire import Wire
from roocode.protocol.errors import ProviderError, ProviderRefused
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message, Reply, Thinking, Usage
from roocode.protocol.models import AGENT_HEADER, Finished, ModelInfo, ModelRequest
from roocode.protocol.tools import ToolSpec

Status: TypeAlias = Literal["ok", "quirk", "problem"]

AGENT = "provider-test"
_ROOM = 2048
_CUT_SHARE = 0.7


@frozen
class Finding:
    """One thing that was looked at: a quirk is handled, a problem is not."""

    name: str
    status: Status
    detail: str


@frozen
class Report:
    """What a test found. `profile` is what of it later requests need, `window` in tokens, None if unknown."""

    findings: tuple[Finding, ...]
    profile: dict[str, object]
    window: int | None
    requests: int
    usage: Usage

    @property
    def usable(self) -> bool:
        """Whether an agent can work with this model there."""
        return all(finding.status != "problem" for finding in self.findings)


async def probe(endpoint: Endpoint, model: ModelInfo) -> Report:
    """Asks three tiny questions, and a fourth of some 6,000 tokens where a local server names no window.

    Raises what the first question raises: without an answer there is nothing to find.
    """
    run = _Run(endpoint, model)
    try:
        return await run.report()
    finally:
        await run.close()


class _Run:
    def __init__(self, endpoint: Endpoint, model: ModelInfo) -> None:
        self._endpoint = endpoint
        self._model = model
        self._known = profile_of(endpoint)
        self._wire: Wire = wire_of(endpoint, self._known, "low")
        self._witness = Witness(transport_of(endpoint))
        client = WireClient(endpoint, self._wire, self._witness, Patience())
        self._client = RetryingClient(client, RetryPolicy(tries=3))
        self._usage = Usage()
        self._printed = False
        self._field = ""

    async def close(self) -> None:
        await self._client.close()

    async def report(self) -> Report:
        findings: list[Finding] = []
        hello = await self._ask((questions.HELLO,))
        findings += self._answer(hello)
        findings += await self._tools()
        window, found = await self._window()
        findings += found
        after = self._learned()
        findings += self._adaptations(after)
        return Report(
            tuple(dict.fromkeys(findings)),
            differences(self._known, after),
            window,
            len(self._witness.heard),
            self._usage,
        )

    async def _ask(
        self, messages: tuple[Message, ...], tools: tuple[ToolSpec, ...] = questions.TOOLS
    ) -> Reply:
        builder = ReplyBuilder()
        request = ModelRequest(
            model=self._model.name,
            system=questions.SYSTEM,
            messages=messages,
            tools=tools,
            max_tokens=min(_ROOM, self._model.max_output),
            headers={AGENT_HEADER: AGENT},
        )
        async for event in self._client.stream(request):
            if isinstance(event, Finished):
                event = dataclasses.replace(event, by=self._model.full_name)
            builder.add(event)
        reply = builder.reply()
        self._usage += reply.usage
        body = self._witness.heard[-1].body
        self._field = self._field or reasoning_field(body)
        return reply

    def _answer(self, reply: Reply) -> Iterator[Finding]:
        said = reply.message.text.strip()
        if said:
            yield Finding("answer", "ok", f"{said[:60]!r}, as {reply.model or 'a model without a name'}")
        else:
            yield Finding("answer", "problem", f"no text came (it stopped with {reply.stop!r})")
        yield from self._seen(reply)

    async def _tools(self) -> Iterable[Finding]:
        """Whether it calls tools, and takes the results."""
        try:
            reply = await self._ask((questions.CALL,))
        except ProviderRefused as error:
            return [Finding("tools", "problem", f"a request with tools is refused: {error.what}")]
        except ProviderError as error:
            return [Finding("tools", "problem", error.what)]
        found = [*self._seen(reply), *self._called(reply)]
        if not reply.message.calls:
            return found
        try:
            after = await self._ask((questions.CALL, *questions.answered(reply)))
        except ProviderError as error:
            return [*found, Finding("results", "problem", f"a history with calls is refused: {error.what}")]
        return [*found, *self._seen(after), Finding("results", "ok", "calls and results are taken back")]

    def _called(self, reply: Reply) -> Iterator[Finding]:
        calls = reply.message.calls
        wanted = {questions.NOTE.name, questions.NOW.name}
        if not calls and printed_calls(reply.message.text, frozenset(wanted)):
            self._printed = True
            yield Finding("tools", "quirk", "calls are printed as text: they are read from it")
        elif not calls:
            yield Finding("tools", "problem", "no tool is called")
        elif broken := next((call for call in calls if call.arguments is None), None):
            yield Finding("tools", "problem", broken.complaint)
        elif len(calls) < len(wanted):
            yield Finding("tools", "ok", "tools are called, one at a time")
        else:
            yield Finding("tools", "ok", "tools are called, several in one answer")

    def _seen(self, reply: Reply) -> Iterator[Finding]:
        """What the bytes of the last answer show; whether usage came is seen from the answer itself."""
        found = symptoms(self._endpoint.protocol, self._witness.heard[-1].body)
        yield from (Finding(name, "quirk", what) for name, what in found)
        if reply.usage.estimated:
            yield Finding("usage", "quirk", "not reported: it is estimated")
        elif not any(name == "usage" for name, _ in found):
            yield Finding("usage", "ok", "reported")
        thought = any(isinstance(block, Thinking) and block.text for block in reply.message.blocks)
        if thought and not any(name == "reasoning" for name, _ in found):
            yield Finding("reasoning", "ok", "shown")

    async def _window(self) -> tuple[int | None, list[Finding]]:
        stated = await stated_window(self._endpoint, self._model.name, self._wire.headers())
        if stated is not None:
            return stated.tokens, [_sized(stated, self._model)]
        if not self._endpoint.loopback:
            return None, [Finding("window", "ok", _assumed(self._model))]
        try:
            reply = await self._ask((questions.canary(),), tools=())
        except ProviderError as error:
            return None, [Finding("window", "problem", f"it does not take 6,000 tokens: {error.what}")]
        used = reply.usage.input_tokens + reply.usage.cache_read_tokens + reply.usage.cache_write_tokens
        seen = questions.WORD in reply.message.text.lower()
        if seen or reply.usage.estimated or used > questions.CANARY_TOKENS * _CUT_SHARE:
            return None, [Finding("window", "ok", f"6,000 tokens are taken; {_assumed(self._model)}")]
        size = 1024 * max(1, round(used / 1024))
        return size, [Finding("window", "problem", f"prompts are cut at {used} tokens without a word")]

    def _learned(self) -> Profile:
        after = self._wire.asking.profile
        if self._printed:
            after = dataclasses.replace(after, text_calls=True)
        if self._field and after.reasoning_field:
            after = dataclasses.replace(after, reasoning_field=self._field)
        return after

    def _adaptations(self, after: Profile) -> Iterator[Finding]:
        before = self._known
        if before.include_usage and not after.include_usage:
            yield Finding("refused", "quirk", "stream_options: usage is not asked for")
        if before.limit_field != after.limit_field:
            yield Finding("refused", "quirk", f"{before.limit_field}: {after.limit_field} is sent instead")
        if before.reasoning_field and not after.reasoning_field:
            yield Finding("refused", "quirk", "earlier reasoning: it is not sent back")
        if before.signed_thinking and not after.signed_thinking:
            yield Finding("refused", "quirk", "its own sealed reasoning: it is not sent back")
        if after.reasoning_always and not before.reasoning_always:
            yield Finding("history", "quirk", "earlier reasoning must be sent back with every call")
        for name in sorted(after.dropped - before.dropped):
            yield Finding("refused", "quirk", f"{name}: it is left out")
        yield _effort(self._model.name, after)


def _effort(model: str, after: Profile) -> Finding:
    if thinks(model) == "never":
        return Finding("effort", "ok", "this model has none")
    form = form_for(model, after.efforts)
    if form is None:
        return Finding("effort", "quirk", "refused in every form: it is left out")
    return Finding("effort", "ok", f"taken as {form}")


def _assumed(model: ModelInfo) -> str:
    return f"the server names no window, so {model.window} tokens are taken for it"


def _sized(window: Window, model: ModelInfo) -> Finding:
    detail = f"{window.tokens} tokens, by {window.source}"
    if model.known and window.tokens < model.window:
        return Finding("window", "quirk", f"{detail}: less than the model's {model.window}")
    return Finding("window", "ok", detail)
