"""One tmux server, RooCode's own or the person's, and the panes on it that carry our tag."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roocode.protocol.errors import HostError
from roocode.protocol.frozen import frozen
from roocode.security.sandbox.process import find_program, outermost_checkout

if TYPE_CHECKING:
    from libtmux import Server

SOCKET = "roocode"
TAG = "@roocode_member"
OWNER = "@roocode_team"


@frozen
class Pane:
    """A pane of ours: its id, and the pid of its own process."""

    id: str
    pid: int


def find_tmux(env: Mapping[str, str], project: Path) -> str | None:
    """The absolute path of tmux, which no project brings (P29); None where there is none."""
    return find_program("tmux", env, outside=outermost_checkout(project))


class TmuxServer:
    """Speaks to a server by libtmux, in a thread. `path` is the person's socket, "" RooCode's own.

    `program` is tmux's absolute path (`find_tmux`); None leaves the search to libtmux.
    """

    def __init__(self, path: str = "", program: str | None = None) -> None:
        self._path = path
        self._program = program
        self._server: Server | None = None

    async def __call__(self, *arguments: str, check: bool = True) -> list[str]:
        """The lines that a command answers; with `check` False a failure answers none. Raises HostError."""
        return await asyncio.to_thread(self._call, arguments, check)

    async def tag(self, pane_id: str, team: str, member: str) -> None:
        """Marks a pane as a member's."""
        await self("set-option", "-p", "-t", pane_id, OWNER, team)
        await self("set-option", "-p", "-t", pane_id, TAG, member)

    async def find(self, team: str, member: str) -> list[Pane]:
        """The panes that carry this member's tag: more than one where that of an earlier life is left."""
        rows = await self(
            "list-panes", "-a", "-F", f"#{{pane_id}} #{{pane_pid}} #{{{OWNER}}} #{{{TAG}}}", check=False
        )
        split = (row.split(" ") for row in rows)
        return [Pane(pane_id, int(pid)) for pane_id, pid, *tagged in split if tagged == [team, member]]

    def _call(self, arguments: tuple[str, ...], check: bool) -> list[str]:
        from libtmux import Server
        from libtmux.exc import LibTmuxException

        if self._server is None:
            place: dict[str, Any] = {"socket_path": self._path} if self._path else {"socket_name": SOCKET}
            self._server = Server(**place, tmux_bin=self._program)
        try:
            answer = self._server.cmd(*arguments)
        except LibTmuxException as error:
            raise HostError(f"tmux {arguments[0]} failed: {error}", "is tmux installed?") from error
        if check and answer.returncode != 0:
            raise HostError(f"tmux {arguments[0]} failed: {' '.join(answer.stderr)}")
        return list(answer.stdout) if answer.returncode == 0 else []
