"""Warnings of our log on the screen."""

from __future__ import annotations

import asyncio
import logging

import pytest

from roocode.app.log_notices import log_shown_by
from roocode.protocol.events import Event, Notice


@pytest.mark.asyncio
async def test_warnings_become_notices_from_whatever_thread_and_only_inside() -> None:
    shown: list[Event] = []
    came = asyncio.Event()

    def show(event: Event) -> None:
        shown.append(event)
        came.set()

    log = logging.getLogger("roocode.test")
    with log_shown_by(show):
        log.info("not this")
        await asyncio.to_thread(log.warning, "tool %s failed", "Bash")
        async with asyncio.timeout(10):
            await came.wait()
    log.warning("not this either")
    await asyncio.sleep(0)
    assert shown == [Notice(text="roocode.test: tool Bash failed", level="warning")]
