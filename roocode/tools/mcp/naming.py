"""Names for what a server offers: `mcp__server__tool`, for the model's providers and for rules. Pure.

A server's part never holds `__`, so that a rule for the server `a` cannot come to cover one named `a__b`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

LONGEST = 64
_LONGEST_SERVER = 30
_DIGITS = 6
_ODD = re.compile(r"[^A-Za-z0-9_-]+")
_RUN = re.compile(r"_{2,}")


class Names:
    """Gives names; one that was given stays for as long as this lives, and is never given to another."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], str] = {}
        self._servers: dict[str, str] = {}

    def settle(self, server: str, tools: Iterable[str]) -> None:
        """Gives names to all of a list, those first that need no change: so its order means nothing."""
        for tool in sorted(tools, key=lambda tool: (_ODD.search(tool) is not None, tool)):
            self.of(server, tool)

    @staticmethod
    def would_change(server: str) -> bool:
        """Whether a server's name cannot stand in the names of its tools as it is."""
        return bool(_ODD.search(server) or _RUN.search(server)) or server != server.strip("_")

    def server(self, server: str) -> str:
        """A server's part of its tools' names."""
        if server not in self._servers:
            plain = _RUN.sub("_", _ODD.sub("_", server)).strip("_")[:_LONGEST_SERVER].strip("_") or "server"
            taken = plain in self._servers.values()
            self._servers[server] = f"{plain}_{_digits(server)}" if taken else plain
        return self._servers[server]

    def of(self, server: str, tool: str) -> str:
        """The name of one of a server's tools or prompts."""
        key = (server, tool)
        if key not in self._given:
            self._given[key] = self._new(self.server(server), tool)
        return self._given[key]

    def _new(self, server: str, tool: str) -> str:
        head = f"mcp__{server}__"
        plain = _ODD.sub("_", tool) or "tool"
        name = head + plain
        if len(name) > LONGEST or name in self._given.values():
            room = LONGEST - len(head) - _DIGITS - 1
            name = f"{head}{plain[:room]}_{_digits(tool)}"
        return name


def _digits(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
