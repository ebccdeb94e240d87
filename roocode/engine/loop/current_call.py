"""Which call a tool was started by, for tools whose effect outlives their result."""

from __future__ import annotations

from contextvars import ContextVar

CURRENT_CALL: ContextVar[str] = ContextVar("current_call", default="")
"""The id of the call that the running task is about, empty outside of one."""
