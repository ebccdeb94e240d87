"""Waking an agent that waits for mail: a datagram that carries nothing, with two safety nets behind it."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import socket
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

from roocode.engine.team.mailbox import Mailbox
from roocode.engine.team.runtime import own_directory, runtime_directory
from roocode.protocol.errors import HostError

POLL_S = 1.0
WATCH_STEP_MS = 50


class WakeSocket:
    """A Unix datagram socket that anyone of this user may poke; made by `open`, ended by `close`.

    It has mode 0600 and lies in a private directory.
    `path` stands in the member's report. It is derived from the inbox, so that a restarted member takes the
    place of a killed one and nothing adds up.
    """

    def __init__(self, bound: socket.socket, path: Path) -> None:
        self.path = path
        self._socket = bound
        self._identity = os.stat(path)
        self._poked = asyncio.Event()
        self._watcher: asyncio.Task[None] | None = None
        asyncio.get_running_loop().add_reader(bound, self._drain)

    @classmethod
    def open(cls, inbox: Path, env: Mapping[str, str]) -> WakeSocket:
        """Binds the socket of an inbox, in a directory of our own under `env`'s runtime directory.

        Only the holder of the member's life lock may call this, in a running loop. Raises HostError.
        """
        path = socket_path(inbox, env)
        own_directory(path.parent)
        bound = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            bound.setblocking(False)
            path.unlink(missing_ok=True)
            os.fchmod(bound.fileno(), 0o600)
            bound.bind(str(path))
            path.chmod(0o600)
            return cls(bound, path)
        except OSError as error:
            bound.close()
            raise HostError(f"cannot listen on {path}: {error.strerror or error}") from error

    async def wait(self, timeout_s: float | None = None) -> bool:
        """Waits for a poke, also one that came before; False when `timeout_s` seconds passed without one."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._poked.wait()
        except TimeoutError:
            return False
        self._poked.clear()
        return True

    def watch(self, directory: Path) -> None:
        """From now on, a change in `directory` counts as a poke."""
        if self._watcher is None:
            self._watcher = asyncio.create_task(_on_change(directory, self._poked.set))

    async def close(self) -> None:
        """Stops listening and removes the socket, unless another has taken its place."""
        if self._watcher is not None:
            self._watcher.cancel()
            await asyncio.wait({self._watcher})
        asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(self._identity, os.stat(self.path)):
                self.path.unlink()

    def _drain(self) -> None:
        self._poked.set()
        with contextlib.suppress(BlockingIOError):
            while True:
                self._socket.recv(16)


def poke(path: Path | str) -> bool:
    """Wakes whoever listens on a socket; never waits. False where nobody was told.

    A full queue counts as told: its owner has not looked yet, and will.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.setblocking(False)
        try:
            sender.sendto(b"!", str(path))
        except BlockingIOError:
            return True
        except OSError:
            return False
    return True


async def wait_for_mail(mailbox: Mailbox, wake: WakeSocket, timeout_s: float | None = None) -> bool:
    """Waits until the mailbox holds something unread that wakes its owner; at once where it does already.

    False when `timeout_s` seconds passed without any. Datagrams can be lost with their socket's file, so a
    look every POLL_S seconds and, once a wait was in vain, the file system stand behind them.
    """
    clock = asyncio.get_running_loop().time
    began = clock()
    while not mailbox.waking():
        left = POLL_S if timeout_s is None else began + timeout_s - clock()
        if left <= 0:
            return False
        if not await wake.wait(min(POLL_S, left)):
            wake.watch(mailbox.new)
    return True


def socket_path(inbox: Path, env: Mapping[str, str]) -> Path:
    """Where the socket of an inbox lies: under XDG_RUNTIME_DIR where the path fits a socket address."""
    name = hashlib.sha256(str(inbox.resolve()).encode()).hexdigest()[:16] + ".sock"
    return runtime_directory(env) / name


def discard_socket(inbox: Path, env: Mapping[str, str]) -> None:
    """Removes what a killed member left behind, for the clean-up of its team."""
    path = socket_path(inbox, env)
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISSOCK(path.lstat().st_mode):
            path.unlink()


async def _on_change(directory: Path, act: Callable[[], None]) -> None:
    """Ends quietly where the system has no watches left: the slow look stands behind it."""
    from watchfiles import awatch

    with contextlib.suppress(OSError, RuntimeError):
        async for _ in awatch(directory, watch_filter=None, step=WATCH_STEP_MS, debounce=WATCH_STEP_MS):
            act()
