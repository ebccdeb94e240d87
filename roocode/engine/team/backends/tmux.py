"""Teammates in tmux panes: each pane's own process is the teammate, no shell and no typed keys between."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from roocode.engine.team.backends.backend import Launch
from roocode.engine.team.backends.tmux_server import SOCKET, TAG, TmuxServer
from roocode.engine.team.termination import end_process, is_running
from roocode.protocol.errors import HostError
from roocode.protocol.team import BackendName
from roocode.security.sandbox import process

SIZE = ("-x", "220", "-y", "50")
SERVER_ENV = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "TMUX_TMPDIR")


class TmuxBackend:
    """Panes beside the lead when it runs inside tmux; else a detached session on RooCode's own socket.

    A pane is ours only when it carries our tag: nothing else is ever ended. Members that another lead
    started are found on both servers. `program` is tmux's absolute path, else the first on PATH.
    """

    name: BackendName = "tmux"

    def __init__(self, env: Mapping[str, str], session: str, program: str | None = None) -> None:
        self._env = env
        self._session = session
        inside = env.get("TMUX", "").partition(",")[0]
        self._program = program or shutil.which("tmux", path=env.get("PATH"))
        self._own = TmuxServer(program=self._program)
        self._inside = TmuxServer(inside, self._program) if inside else None
        self._lead_pane = env.get("TMUX_PANE", "")
        self._starting = asyncio.Lock()

    async def start(self, launch: Launch) -> str:
        """Opens a pane that runs the member, tags it, and returns its id."""
        server = self._inside or self._own
        async with self._starting:
            pane_id = await self._open(launch)
            try:
                await server.tag(pane_id, self._session, launch.member)
            except BaseException:
                await server("kill-pane", "-t", pane_id, check=False)
                raise
            await self._tidy(server, pane_id, launch.member)
        return pane_id

    async def is_there(self, member: str) -> bool:
        """Whether there is a pane with its tag, in which its process lives."""
        panes = [pane for server in self._servers() for pane in await server.find(self._session, member)]
        return any(is_running(pane.pid) for pane in panes)

    async def end(self, member: str) -> None:
        """Ends the pane's process, with time to commit its work, and closes the pane."""
        for server in self._servers():
            for pane in await server.find(self._session, member):
                await end_process(pane.pid)
                await server("kill-pane", "-t", pane.id, check=False)

    async def close(self) -> None:
        """Ends the team's session on our own socket; inside the person's tmux there is none of ours."""
        await self._own("kill-session", "-t", f"={self._session}", check=False)

    def attach_command(self) -> str:
        """How a person sees the panes: empty inside tmux, where they stand beside the lead."""
        return "" if self._inside else f"tmux -L {SOCKET} attach -t {self._session}"

    def _servers(self) -> tuple[TmuxServer, ...]:
        return (self._own, self._inside) if self._inside else (self._own,)

    async def _open(self, launch: Launch) -> str:
        if self._inside:
            target = self._lead_pane or _pane_id(await self._inside("display-message", "-p", "#{pane_id}"))
            return await _split(self._inside, launch, target, ("-a", "-t", target))
        if await self._has_session():
            target = f"={self._session}:"
            return await _split(self._own, launch, target, ("-t", target))
        return await self._new_session(launch)

    async def _new_session(self, launch: Launch) -> str:
        """Starts the server, if need be, with a clean environment: every pane inherits what it has."""
        if self._program is None:
            raise HostError("there is no tmux program", "install tmux, or use --backend in-process")
        env = {name: self._env[name] for name in SERVER_ENV if name in self._env} | {"TERM": "xterm-256color"}
        server = (self._program, "-L", SOCKET, "-f", os.devnull)
        new = ("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", self._session, *SIZE, *_started(launch))
        done = await process.run((*server, *new), cwd=launch.cwd, env=env, timeout_s=20)
        if done.code != 0:
            raise HostError(f"tmux cannot open a session: {done.err.decode(errors='replace').strip()}")
        return _pane_id(done.out.decode().splitlines())

    async def _tidy(self, server: TmuxServer, pane_id: str, title: str) -> None:
        await server("select-pane", "-t", pane_id, "-T", title, check=False)
        await server("select-layout", "-t", pane_id, "tiled", check=False)
        if server is self._own:
            await server("set-option", "-w", "-t", pane_id, "pane-border-status", "top", check=False)
            border = f" #{{{TAG}}} "
            await server("set-option", "-w", "-t", pane_id, "pane-border-format", border, check=False)

    async def _has_session(self) -> bool:
        return self._session in await self._own("list-sessions", "-F", "#{session_name}", check=False)


def session_name(team_root: Path) -> str:
    """The session of a team on RooCode's own socket: teams of one name in two repositories differ."""
    mark = hashlib.sha256(str(team_root.resolve()).encode()).hexdigest()[:6]
    return f"roocode-{team_root.name}-{mark}"


async def _split(server: TmuxServer, launch: Launch, target: str, beside: tuple[str, ...]) -> str:
    """A new pane in the window of `target`; a window of its own, at `beside`, where no room is left."""
    printed = ("-d", "-P", "-F", "#{pane_id}")
    arguments = (*printed, "-t", target, *_started(launch))
    out = await server("split-window", "-h", *arguments, check=False)
    if not out:
        await server("select-layout", "-t", target, "tiled", check=False)
        out = await server("split-window", *arguments, check=False)
    return _pane_id(out or await server("new-window", *printed, *beside, *_started(launch)))


def _started(launch: Launch) -> tuple[str, ...]:
    env = tuple(part for name, value in launch.env.items() for part in ("-e", f"{name}={value}"))
    return ("-c", str(launch.cwd), *env, *launch.argv)


def _pane_id(lines: list[str]) -> str:
    if not lines or not lines[0].startswith("%"):
        raise HostError("tmux opened no pane", "look at its messages with `tmux show-messages`")
    return lines[0]
