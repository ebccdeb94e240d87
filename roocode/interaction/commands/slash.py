"""What a slash command is."""

from __future__ import annotations

from collections.abc import Callable

from roocode.protocol.commands import Command
from roocode.protocol.frozen import frozen


@frozen
class Slash:
    """`/name arguments`: what it takes, what it does in one line, and the command that it gives."""

    name: str
    takes: str
    does: str
    make: Callable[[str], Command]
