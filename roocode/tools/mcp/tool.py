"""A server's tool as one of ours: judged by the guard like any other, whatever the server says of it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

from roocode.protocol.decisions import Decision
from roocode.protocol.errors import RooCodeError
from roocode.protocol.messages import Arguments
from roocode.protocol.tools import ToolOutcome, ToolSpec, Touches
from roocode.tools.mcp.config import IDLE_TIMEOUT_S
from roocode.tools.mcp.connection import Connection
from roocode.tools.mcp.content import Keep, result_text
from roocode.tools.mcp.faults import in_words
from roocode.tools.mcp.offering import RemoteTool, cut

_PROGRESS_EVERY_S = 1.0
_MOST_PROGRESS = 100
_LOOK_EVERY_S = 1.0
_LONGEST_PREVIEW = 4_000


class McpTool:
    """One tool of a server. `keep` takes what is no text, `tell` hears how far a call is.

    What a server says of its tool (`readOnlyHint`, …) is a stranger's word: each call counts as an effect
    that cannot be named.
    """

    def __init__(
        self, name: str, remote: RemoteTool, connection: Connection, keep: Keep, tell: Callable[[str], None]
    ) -> None:
        described = (
            remote.description or f"The tool {remote.name} of the MCP server {connection.config.name}."
        )
        self.spec = ToolSpec(name, described, remote.schema)
        self.remote = remote
        self._connection = connection
        self._keep = keep
        self._tell = tell

    def complaint(self, arguments: Arguments) -> str:
        """What is missing; the server itself judges the rest."""
        required = self.spec.parameters.get("required", ())
        missing = [name for name in required if name not in arguments]
        return f"{self.spec.name} also needs {', '.join(f'`{name}`' for name in missing)}" if missing else ""

    def touches(self, arguments: Arguments) -> Touches:
        """An effect that nobody here can name."""
        return Touches(other=True)

    def runs_alongside(self, arguments: Arguments) -> bool:
        """Never: what one call does to another is not known."""
        return False

    def preview(self, arguments: Arguments) -> str:
        """The server, its tool, and the whole input."""
        given = json.dumps(dict(arguments), ensure_ascii=False, indent=2, default=str)
        return cut(f"{self._connection.config.name}: {self.remote.name}\n{given}", _LONGEST_PREVIEW)

    async def run(self, arguments: Arguments, decision: Decision) -> ToolOutcome:
        """Calls it; what goes wrong there is a result for the model."""
        offered = {tool.name for tool in self._connection.offering.tools}
        if self._connection.status == "connected" and self.remote.name not in offered:
            text = f"The server {self._connection.config.name} no longer has {self.remote.name}."
            return ToolOutcome(text, is_error=True)
        try:
            result = await self._called(arguments)
        except TimeoutError as error:
            return ToolOutcome(str(error), is_error=True)
        except RooCodeError as error:
            return ToolOutcome(str(error), is_error=True)
        except Exception as error:  # the SDK's own, of a dozen kinds
            said = cut(in_words(error))
            return ToolOutcome(f"{self.spec.name} failed: {said}", is_error=True)
        text = await asyncio.to_thread(result_text, result, self._keep)
        return ToolOutcome(text, is_error=bool(result.is_error))

    async def _called(self, arguments: Arguments) -> Any:
        clock = _Clock(self._connection)
        progress = _Progress(self._connection.config.name, self.remote.name, clock, self._tell)
        calling = asyncio.ensure_future(
            self._connection.request(
                lambda client: client.call_tool(self.remote.name, dict(arguments), progress_callback=progress)
            )
        )
        try:
            while not calling.done():
                await asyncio.wait({calling}, timeout=_LOOK_EVERY_S)
                if not calling.done() and (over := clock.over()):
                    raise TimeoutError(f"{self.spec.name} was stopped: {over}")
            return calling.result()
        finally:
            if not calling.done():
                calling.cancel()
                await asyncio.wait({calling})


class _Clock:
    """How long a call may go on; while a person is asked, no time passes."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._limit = connection.config.call_timeout_s
        self._spent = 0.0
        self._silent = 0.0
        self._looked = time.monotonic()

    def heard(self) -> None:
        """The server gave a sign of life."""
        self._silent = 0.0

    def over(self) -> str:
        """Why it is too long now; empty while it is not."""
        now = time.monotonic()
        passed, self._looked = now - self._looked, now
        if not self._connection.waiting.questions:
            self._spent += passed
            self._silent += passed
        if self._limit is not None and self._spent > self._limit:
            return f"it took more than {self._limit:g} s (`timeout` of the server's entry)"
        if self._limit is None and self._silent > IDLE_TIMEOUT_S:
            return f"the server gave no sign of life for {IDLE_TIMEOUT_S:g} s"
        return ""


class _Progress:
    """Tells how far a call is, not too often."""

    def __init__(self, server: str, tool: str, clock: _Clock, tell: Callable[[str], None]) -> None:
        self._name = f"{server} {tool}"
        self._clock = clock
        self._tell = tell
        self._told = 0
        self._last = 0.0

    async def __call__(self, done: float, total: float | None, message: str | None) -> None:
        """Called by the SDK."""
        self._clock.heard()
        now = time.monotonic()
        if now - self._last < _PROGRESS_EVERY_S or self._told >= _MOST_PROGRESS:
            return
        self._last, self._told = now, self._told + 1
        of = f" of {total:g}" if total else ""
        said = f": {cut(message, 200)}" if message else ""
        self._tell(f"{self._name}: {done:g}{of}{said}")
