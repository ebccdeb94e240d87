"""Teammates in tmux panes: each pane's own process is the teammate, no shell and no typed keys between."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Mapping
from typing import TYPE_CHECKING

from roocode.engine.team.backends.backend import Launch
from roocode.protocol.errors import HostError
from roocode.protocol.team import BackendName
from roocode.security.sandbox import process

if TYPE_CHECKING:
    from libtmux import Server

SOCKET = "roocode"
SIZE = ("-x", "220", "-y", "50")
TAG = "@roocode_member"
SERVER_ENV = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "TMUX_TMPDIR")


class TmuxBackend:
    """Panes beside the lead when it runs inside tmux; else a detached session on RooCode's own socket.

    Panes are addressed by id and are ours only when they carry our tag: nothing else is ever ended.
    """

    name: BackendName = "tmux"

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env
        self._inside = env.get("TMUX", "").partition(",")[0]
        self._lead_pane = env.get("TMUX_PANE", "") if self._inside else ""
        self._server: Server | None = None
        self._starting = asyncio.Lock()

    async def start(self, launch: Launch) -> str:
        """Opens a pane that runs the member, tags it, and returns its id."""
        async with self._starting:
            pane_id = await self._open(launch)
            await self._tmux("set-option", "-p", "-t", pane_id, TAG, f"{launch.team}/{launch.member}")
            await self._tmux("select-pane", "-t", pane_id, "-T", launch.member)
            await self._tidy(pane_id)
        return pane_id

    async def is_there(self, launch: Launch, pane_id: str | None) -> bool:
        """Whether the pane exists and carries our tag."""
        return await self._is_ours(launch.team, launch.member, pane_id)

    async def end(self, team: str, member: str, pane_id: str | None) -> None:
        """Closes the pane if it is still ours."""
        if pane_id and await self._is_ours(team, member, pane_id):
            await self._tmux("kill-pane", "-t", pane_id, check=False)

    async def close(self, team: str) -> None:
        """Ends the team's session on our own socket; inside the person's tmux there is none of ours."""
        if not self._inside:
            await self._tmux("kill-session", "-t", f"={session_name(team)}", check=False)

    def attach_command(self, team: str) -> str:
        """How a person sees the panes: empty inside tmux, where they stand beside the lead."""
        return "" if self._inside else f"tmux -L {SOCKET} attach -t {session_name(team)}"

    async def _open(self, launch: Launch) -> str:
        if self._inside:
            target = self._lead_pane or await self._current_pane()
            return await self._split(launch, target)
        session = session_name(launch.team)
        if await self._has_session(session):
            return await self._split(launch, f"={session}:")
        return await self._new_session(launch, session)

    async def _split(self, launch: Launch, target: str) -> str:
        arguments = ("-d", "-P", "-F", "#{pane_id}", "-t", target, *_started(launch))
        out = await self._tmux("split-window", "-h", *arguments, check=False)
        if not out:
            await self._tmux("select-layout", "-t", target, "tiled", check=False)
            out = await self._tmux("split-window", *arguments, check=False)
        if not out:
            out = await self._tmux("new-window", *arguments[:4], *_started(launch))
        return _pane_id(out)

    async def _new_session(self, launch: Launch, session: str) -> str:
        """Starts the server, if need be, with a clean environment: every pane inherits what it has."""
        tmux = shutil.which("tmux", path=self._env.get("PATH"))
        if tmux is None:
            raise HostError("there is no tmux program", "install tmux, or use --backend in-process")
        env = {name: self._env[name] for name in SERVER_ENV if name in self._env} | {"TERM": "xterm-256color"}
        server = (tmux, "-L", SOCKET, "-f", os.devnull)
        new = ("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", session, *SIZE, *_started(launch))
        done = await process.run((*server, *new), cwd=launch.cwd, env=env, timeout_s=20)
        if done.code != 0:
            raise HostError(f"tmux cannot open a session: {done.err.decode(errors='replace').strip()}")
        return _pane_id(done.out.decode().splitlines())

    async def _tidy(self, pane_id: str) -> None:
        await self._tmux("select-layout", "-t", pane_id, "tiled", check=False)
        if not self._inside:
            await self._tmux("set-option", "-w", "-t", pane_id, "pane-border-status", "top", check=False)
            border = f" #{{{TAG}}} "
            await self._tmux("set-option", "-w", "-t", pane_id, "pane-border-format", border, check=False)

    async def _current_pane(self) -> str:
        return _pane_id(await self._tmux("display-message", "-p", "#{pane_id}"))

    async def _has_session(self, session: str) -> bool:
        names = await self._tmux("list-sessions", "-F", "#{session_name}", check=False)
        return session in names

    async def _is_ours(self, team: str, member: str, pane_id: str | None) -> bool:
        rows = await self._tmux("list-panes", "-a", "-F", f"#{{pane_id}} #{{{TAG}}}", check=False)
        return f"{pane_id} {team}/{member}" in rows

    async def _tmux(self, *arguments: str, check: bool = True) -> list[str]:
        return await asyncio.to_thread(self._call, arguments, check)

    def _call(self, arguments: tuple[str, ...], check: bool) -> list[str]:
        from libtmux import Server
        from libtmux.exc import LibTmuxException

        if self._server is None:
            self._server = Server(socket_path=self._inside) if self._inside else Server(socket_name=SOCKET)
        try:
            answer = self._server.cmd(*arguments)
        except LibTmuxException as error:
            raise HostError(f"tmux {arguments[0]} failed: {error}", "is tmux installed?") from error
        if check and answer.returncode != 0:
            raise HostError(f"tmux {arguments[0]} failed: {' '.join(answer.stderr)}")
        return list(answer.stdout) if answer.returncode == 0 else []


def session_name(team: str) -> str:
    """The session of a team on RooCode's own socket."""
    return f"roocode-{team}"


def _started(launch: Launch) -> tuple[str, ...]:
    env = tuple(part for name, value in launch.env.items() for part in ("-e", f"{name}={value}"))
    return ("-c", str(launch.cwd), *env, *launch.argv)


def _pane_id(lines: list[str]) -> str:
    if not lines or not lines[0].startswith("%"):
        raise HostError("tmux opened no pane", "look at its messages with `tmux show-messages`")
    return lines[0]
