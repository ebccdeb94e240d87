"""Ends a run on SIGINT, SIGTERM and SIGHUP: the work is cancelled, and what it has done is kept."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

from roocode.protocol.errors import Interrupted

T = TypeVar("T")
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


async def until_signalled(work: Coroutine[Any, Any, T]) -> T:
    """Runs the work; a signal cancels it and becomes Interrupted with the signal's exit code.

    Only the first one counts: a terminal that closes sends several, and they must not cut short how the
    work is put away. What that waits for has deadlines of its own.
    """
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)
    caught: list[int] = []

    def end(number: int) -> None:
        if not caught:
            task.cancel()
        caught.append(CODES[signal.Signals(number)])

    for number in CODES:
        loop.add_signal_handler(number, end, number)
    try:
        return await task
    except asyncio.CancelledError:
        if caught:
            raise Interrupted("interrupted", exit_code=caught[0]) from None
        raise
    finally:
        for number in CODES:
            loop.remove_signal_handler(number)
