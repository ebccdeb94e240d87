"""Another model in place of one that is overloaded: a wrapper around the clients of all of them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import cast

from roocode.protocol.errors import ProviderBusy, ProviderError, RooCodeError, StreamCut
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Break
from roocode.protocol.models import (
    AGENT_HEADER,
    Finished,
    ModelClient,
    ModelInfo,
    ModelRequest,
    Retrying,
    StreamEvent,
)


@frozen
class Rung:
    """A model and what connects to it: the first at once, the others when they are asked."""

    info: ModelInfo
    connect: Callable[[], ModelClient]


class FallbackClient:
    """Implements `ModelClient`: asks the first of its models, and the next where one has given up.

    Giving up is ProviderBusy or StreamCut, after the model's own tries. The next model answers until a prompt
    comes, then the first is asked again. `tell` hears of each change. `Finished` says which model answered,
    so that its price counts and its thinking goes back to no other provider; a request that goes to another
    model than the one before it names that break. `asked` are the models that agents had asked last, before.
    Raises what connecting to the first raises.
    """

    def __init__(
        self, rungs: Sequence[Rung], tell: Callable[[str], None], asked: Mapping[str, str] | None = None
    ) -> None:
        self._rungs = rungs
        self._tell = tell
        self._clients: dict[int, ModelClient] = {0: rungs[0].connect()}
        self._now = 0
        self._asked = dict(asked or {})

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent | Retrying, None]:
        """Yields the events of one response; `Retrying` where another model begins anew."""
        if is_prompt(request):
            self._now = 0
        while True:
            try:
                async with aclosing(self._ask(request)) as events:
                    async for event in events:
                        yield event
                return
            except (ProviderBusy, StreamCut) as error:
                failed = error
                if len(self._rungs) == 1:
                    raise
                if self._now + 1 >= len(self._rungs):
                    raise self._given_up(error) from error
            yield self._step_down(failed)

    async def close(self) -> None:
        """Closes connections."""
        for client in self._clients.values():
            await client.close()

    async def _ask(self, request: ModelRequest) -> AsyncGenerator[StreamEvent | Retrying, None]:
        info = self._rungs[self._now].info
        limit = min(request.max_tokens, info.max_output)
        sent = request if self._now == 0 else replace(request, model=info.name, max_tokens=limit)
        agent = request.headers.get(AGENT_HEADER, "")
        changed = self._asked.get(agent, info.full_name) != info.full_name
        self._asked[agent] = info.full_name
        breaks: tuple[Break, ...] = ("model",) if changed else ()
        sent = sent.broken(*breaks)
        source = cast("AsyncGenerator[StreamEvent | Retrying, None]", self._client().stream(sent))
        async with aclosing(source) as events:
            async for event in events:
                if isinstance(event, Finished):
                    yield replace(event, by=info.full_name, breaks=(*breaks, *event.breaks))
                else:
                    yield event

    def _client(self) -> ModelClient:
        if self._now not in self._clients:
            try:
                self._clients[self._now] = self._rungs[self._now].connect()
            except RooCodeError as error:
                raise ProviderBusy(error.what, error.mend) from error
        return self._clients[self._now]

    def _step_down(self, failed: ProviderError) -> Retrying:
        before = self._rungs[self._now].info.full_name
        self._now += 1
        after = self._rungs[self._now].info.full_name
        self._tell(f"{before} does not answer, so {after} does until your next prompt: {failed.what}")
        return Retrying(self._now, len(self._rungs) - 1, 0.0, f"{after} answers instead of {before}")

    def _given_up(self, error: ProviderError) -> ProviderError:
        names = ", ".join(rung.info.full_name for rung in self._rungs)
        what = f"{error.what} (no model of {names} answers)"
        return type(error)(what, error.mend, status=error.status, retry_after=error.retry_after)


def is_prompt(request: ModelRequest) -> bool:
    """Whether a request begins with new words of a person or an agent, and is not one in a run of calls."""
    last = request.messages[-1] if request.messages else None
    return last is not None and not last.results and bool(last.spoken or last.letters)
