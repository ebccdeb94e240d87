"""A model behind a wire protocol and a transport: one request, one stream of events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace

from roocode.engine.models.adapting import changes_history
from roocode.engine.models.call_ids import CallIds
from roocode.engine.models.endpoint import Endpoint
from roocode.engine.models.failures import Failures
from roocode.engine.models.reader import ResponseReader
from roocode.engine.models.transport import Answer, Transport
from roocode.engine.models.wire import Wire
from roocode.protocol.errors import ProviderError, ProviderRefused, StreamCut
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Break
from roocode.protocol.models import Finished, ModelRequest, StreamEvent

_MOST_ADAPTATIONS = 5
_MENDABLE = (400, 422)


@frozen
class Patience:
    """How long to wait, in seconds: any byte starts the count anew.

    `begin_s` for the first piece of an answer (a model may read or think for minutes before it), `idle_s`
    between pieces, `rest_s` in all for what follows a whole answer: usage, and the end of the response.
    """

    begin_s: float = 300
    idle_s: float = 90
    rest_s: float = 2


class WireClient:
    """Implements `ModelClient`; a request that is refused for an optional field is sent again without it.

    `tell` hears that an effort, for which a person may have asked, is left out.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        wire: Wire,
        transport: Transport,
        patience: Patience,
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._endpoint = endpoint
        self._wire = wire
        self._transport = transport
        self._patience = patience
        self._tell = tell

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent, None]:
        """Yields the events of one response. Raises ProviderRefused, ProviderBusy or StreamCut."""
        broken: tuple[Break, ...] = ()
        for tries in range(_MOST_ADAPTATIONS + 1):
            begun = False
            try:
                async with aclosing(self._attempt(request.broken(*broken))) as events:
                    async for event in events:
                        begun = True
                        yield replace(event, breaks=broken) if isinstance(event, Finished) else event
            except ProviderRefused as refusal:
                before = self._wire.asking.profile
                mendable = refusal.status in _MENDABLE and not begun and tries < _MOST_ADAPTATIONS
                if not mendable or not self._wire.asking.adapt(refusal):
                    raise
                if changes_history(before, self._wire.asking.profile):
                    broken = ("endpoint",)
                if before.efforts and not self._wire.asking.profile.efforts:
                    self._tell(
                        f"{self._endpoint.provider} takes no effort for {request.model}: it is left out"
                    )
            else:
                return

    async def close(self) -> None:
        """Closes connections."""
        await self._transport.close()

    async def _attempt(self, request: ModelRequest) -> AsyncGenerator[StreamEvent, None]:
        failures = Failures(self._endpoint, request.model)
        body = self._wire.body(request)
        headers = {**self._wire.headers(), **request.headers}
        ids = CallIds(self._wire.asking.call_ids, turn=len(request.messages))
        reader = ResponseReader(self._wire.parser(failures), failures, ids, len(body))
        async with AsyncExitStack() as stack:
            try:
                async with asyncio.timeout(self._patience.begin_s):
                    answer = await stack.enter_async_context(
                        self._transport.send(self._wire.path, body, headers, failures)
                    )
            except TimeoutError:
                raise failures.unreachable(f"no answer in {self._patience.begin_s:g} seconds") from None
            if not 200 <= answer.status < 300:
                raise failures.of_status(answer.status, answer.headers, await self._start(answer))
            async with aclosing(self._pieces(answer, reader, failures)) as pieces:
                async for piece in pieces:
                    for event in reader.feed(piece):
                        yield event
            if not reader.complete:
                for event in reader.end():
                    yield event

    async def _pieces(
        self, answer: Answer, reader: ResponseReader, failures: Failures
    ) -> AsyncGenerator[bytes, None]:
        """The body until it or the answer ends; nothing can fail an answer that is settled."""
        clock = asyncio.get_running_loop()
        deadline: float | None = None
        while True:
            if reader.settled and deadline is None:
                deadline = clock.time() + self._patience.rest_s
            wait = self._patience.idle_s if reader.began else self._patience.begin_s
            try:
                async with asyncio.timeout_at(deadline or clock.time() + wait):
                    piece = await anext(answer.pieces, None)
            except TimeoutError:
                if not reader.settled:
                    raise failures.cut(f"nothing came for {wait:g} seconds") from None
                return
            except StreamCut:
                if not reader.settled:
                    raise
                return
            if piece is None:
                return
            if not reader.complete:
                yield piece

    async def _start(self, answer: Answer) -> bytes:
        """The start of an error's body, as far as it comes in time."""
        start = b""
        try:
            async with asyncio.timeout(self._patience.rest_s):
                async for piece in answer.pieces:
                    start += piece
        except (TimeoutError, ProviderError):
            pass
        return start
