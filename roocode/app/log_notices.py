"""Warnings of our own log as notices on the screen: what is written to standard error would tear it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from roocode.protocol.events import Event, Notice


@contextmanager
def log_shown_by(show: Callable[[Event], None]) -> Iterator[None]:
    """Inside, warnings and errors go to `show`, in the running loop, from whatever thread they come."""
    handler = _Notices(show, asyncio.get_running_loop())
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)


class _Notices(logging.Handler):
    def __init__(self, show: Callable[[Event], None], loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(logging.WARNING)
        self._show = show
        self._loop = loop

    def emit(self, record: logging.LogRecord) -> None:
        """Shows a record; one that comes after the end is lost."""
        notice = Notice(text=f"{record.name}: {record.getMessage()}", level="warning")
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._show, notice)
