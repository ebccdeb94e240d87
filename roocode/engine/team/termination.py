"""Ends a process that does not end when it is asked to."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable

from roocode.engine.team.store.life_lock import LifeLock
from roocode.security.sandbox.descendants import look_up
from roocode.security.sandbox.process import until

GRACE_S = 5.0


async def end_process(pid: int, *, gone: Callable[[], bool] | None = None, grace_s: float = GRACE_S) -> bool:
    """Sends TERM, which lets it commit its work, then KILL, each with `grace_s` seconds; True once `gone`.

    By default it is gone when there is no process with this pid.
    """
    is_gone = gone or (lambda: not is_running(pid))
    for number in (signal.SIGTERM, signal.SIGKILL):
        if is_gone():
            return True
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
        if await until(is_gone, grace_s):
            return True
    return False


async def end_holder(lock: LifeLock, *, grace_s: float = GRACE_S) -> bool:
    """Ends the process that lives under a lock; True once nobody does. This process itself is never ended."""
    pid = lock.holder()
    if pid is None or pid == os.getpid():
        return not lock.is_held()
    return await end_process(pid, gone=lambda: not lock.is_held(), grace_s=grace_s)


def is_running(pid: int) -> bool:
    """Whether a process lives. A zombie does not: tmux (3.3a) at times misses that a pane's process ended."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    entry = look_up(pid)
    return entry is None or not entry.zombie
