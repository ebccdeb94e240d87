"""Notes in the log which tools a request has, so that a change of the list is a break with a name."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Protocol

from roocode.engine.loop.limits import Tally
from roocode.protocol.messages import Break
from roocode.protocol.tools import ToolSpec
from roocode.security.guard import GuardedToolset


class Noting(Protocol):
    """A conversation, as far as the list of tools concerns it."""

    def offer(self, tools: str, change: Break) -> None:
        """Notes which tools each request has from here on."""
        ...


class Offering:
    """A step of the loop, the last before a request: all that lets the list grow has been done."""

    def __init__(self, conversation: Noting, toolset: GuardedToolset) -> None:
        self._conversation = conversation
        self._toolset = toolset
        self._noted: tuple[ToolSpec, ...] | None = None

    async def __call__(self, _tally: Tally) -> bool:
        """Notes a list that is another than before. Brings no outside input."""
        specs, before = self._toolset.specs, self._noted
        if specs is not before:
            grew = before is not None and specs[: len(before)] == before
            text = json.dumps([asdict(spec) for spec in specs], default=str)
            self._conversation.offer(text, "discovery" if grew else "tools")
            self._noted = self._toolset.sent = specs
        return False
