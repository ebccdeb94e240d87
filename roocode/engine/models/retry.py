"""Tries again what is worth it: a wrapper around any client."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable

from roocode.protocol.errors import ProviderBusy, ProviderError, StreamCut
from roocode.protocol.frozen import frozen
from roocode.protocol.models import ModelClient, ModelRequest, Retrying, StreamEvent

_TOO_MANY_REQUESTS = 429
_OVERLOADED = (503, 529)


@frozen
class RetryPolicy:
    """How often and how long, in tries and seconds.

    The wait is chosen at random up to a bound that doubles from `base_s` to `cap_s` ("full jitter": AWS
    Architecture Blog, "Exponential Backoff And Jitter"). A server's retry-after counts instead, with up to
    a tenth of it on top so that a team does not come back at once; one above `longest_wait_s` is not waited
    for. A 429 that names no time is tried `blind_tries` times, and an overloaded provider (503, 529)
    `overload_tries`: few where another model can answer.
    """

    tries: int = 5
    base_s: float = 1
    cap_s: float = 30
    longest_wait_s: float = 300
    blind_tries: int = 3
    overload_tries: int = 5

    def delay(self, failed: int, error: ProviderError, chance: float) -> float | None:
        """Seconds before the next try after `failed` ones, None to give up; `chance` is in [0, 1)."""
        if failed >= self.tries or (error.status in _OVERLOADED and failed >= self.overload_tries):
            return None
        if error.retry_after is not None:
            wait = error.retry_after * (1 + chance / 10)
            return wait if error.retry_after <= self.longest_wait_s else None
        if error.status == _TOO_MANY_REQUESTS and failed >= self.blind_tries:
            return None
        bound = self.base_s * 2.0 ** (failed - 1)
        return chance * min(self.cap_s, bound)


class RetryingClient:
    """Implements `ModelClient`: tries again on ProviderBusy and StreamCut, after a `Retrying`.

    A try that failed is void, and so no tool has run for it. Raises the last error and says how often it
    tried.
    """

    def __init__(
        self,
        client: ModelClient,
        policy: RetryPolicy,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._client = client
        self._policy = policy
        self._sleep = sleep
        self._chance = chance

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamEvent | Retrying]:
        """Yields the events of one response, and `Retrying` where what came before is void."""
        failed = 0
        while True:
            events = self._client.stream(request)
            try:
                async for event in events:
                    yield event
            except (ProviderBusy, StreamCut) as error:
                failed += 1
                delay = self._policy.delay(failed, error, self._chance())
                if delay is None:
                    raise self._given_up(error, failed) from error
                reason = error.what
            else:
                return
            finally:
                if isinstance(events, AsyncGenerator):
                    await events.aclose()
            yield Retrying(failed, self._policy.tries, delay, reason)
            await self._sleep(delay)

    async def close(self) -> None:
        """Closes connections."""
        await self._client.close()

    def _given_up(self, error: ProviderBusy | StreamCut, failed: int) -> ProviderError:
        what = error.what if failed == 1 else f"{error.what} (tried {failed} times)"
        mend = error.mend
        if error.retry_after is not None and error.retry_after > self._policy.longest_wait_s:
            mend = (
                f"It asks to wait {error.retry_after / 60:.0f} minutes: try again then, or set another model."
            )
        return type(error)(what, mend, status=error.status, retry_after=error.retry_after)
