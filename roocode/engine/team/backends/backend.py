"""What every backend does: start a member, say whether it is still there, end what is left of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Protocol

from roocode.protocol.frozen import frozen
from roocode.protocol.team import BackendName


@frozen
class Launch:
    """What is needed to start one member.

    `argv` runs as it is, without a shell. `env` is added to the process; keys are never in it: those come
    with the handshake, a private file at `handshake`.
    """

    member: str
    argv: tuple[str, ...]
    cwd: Path
    handshake: Path
    env: Mapping[str, str] = field(default_factory=dict)


class Backend(Protocol):
    """Starts and ends the members of one team. It knows places (panes, tasks), never what a member does."""

    @property
    def name(self) -> BackendName:
        """As it stands in the roster."""
        ...

    async def start(self, launch: Launch) -> str | None:
        """Starts a member and returns its pane id, where it has one. Raises HostError."""
        ...

    async def is_there(self, member: str) -> bool:
        """Whether its place still exists. Whether the member lives is asked of its lock."""
        ...

    async def end(self, member: str) -> None:
        """Ends what is in a member's place, with time to commit its work, and removes the place."""
        ...

    async def close(self) -> None:
        """Removes what the backend itself made for the team (a session, a window)."""
        ...

    def attach_command(self) -> str:
        """The command with which a person sees the team; empty where there is nothing to see."""
        ...
