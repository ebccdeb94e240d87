"""`roocode mcp-probe URL`: our own client against one server, with nobody to ask, for conformance suites.

It lists all that there is and calls every tool with the plainest arguments that its schema takes. A form is
accepted as the server filled it in, and a login goes where the server sends it.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roocode.interaction.cli.extension_orders import McpProbe
from roocode.interaction.ui.safe_text import visible
from roocode.protocol.decisions import Decision
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen
from roocode.security.isolation.masking import unmasked
from roocode.tools.mcp.config import OAuthConfig, ServerConfig
from roocode.tools.services import Question

CONTEXT = "MCP_CONFORMANCE_CONTEXT"
SCENARIO = "MCP_CONFORMANCE_SCENARIO"
_METADATA_URL = "https://conformance-test.local/client-metadata.json"
"""The address of a client's description that the suite knows; RooCode itself has none."""
_LIMIT_S = 25.0
_LOOSEST = Decision("allow", "rules", "the probe was asked to")
_PLAIN: Mapping[str, Any] = {"integer": 2, "number": 2, "boolean": True, "array": [], "object": {}}


def probe(order: McpProbe) -> int:
    """Connects, uses what is there, and ends; 1 where that did not go through."""
    with tempfile.TemporaryDirectory(prefix="roocode-probe-") as folder:
        return asyncio.run(_probe(order.url, Path(folder)))


@frozen
class AsOffered:
    """Answers each question with the first thing that it offers: the server's own default."""

    async def ask(self, questions: tuple[Question, ...]) -> tuple[str, ...] | None:
        """The first option of each."""
        return tuple(question.options[0].label for question in questions)


async def _probe(url: str, folder: Path) -> int:
    from roocode.tools.mcp.content import Keep
    from roocode.tools.mcp.logins import Callback, Logins, provider
    from roocode.tools.mcp.ports import Host
    from roocode.tools.mcp.servers import Servers

    config = ServerConfig("probe", "http", "flag", url, url=url, oauth=_oauth(), start_timeout_s=_LIMIT_S)
    host = Host(
        root=folder,
        home=folder,
        state=folder,
        env={},
        mask=unmasked,
        roots=(folder,),
        asker=AsOffered(),
        tell=_say,
    )
    callback = await Callback.open()
    auth = provider(
        config, Logins(host.logins, config), address=callback.address, show=_visit, result=callback.result
    )
    servers = Servers([config], host)
    connection = servers.connections[config.name]
    servers.start(auth)
    try:
        await servers.settled(_LIMIT_S)
        if connection.status != "connected":
            _say(f"{connection.status}: {connection.reason}")
            return 1
        failed = 0
        for tool in servers.tools(connection, Keep(folder), _say):
            outcome = await tool.run(_arguments(tool.spec.parameters), _LOOSEST)
            _say(f"{tool.spec.name}: {'error: ' if outcome.is_error else ''}{outcome.content}")
            failed += outcome.is_error
        return int(failed > 0)
    finally:
        await servers.close()
        await callback.close()


def _say(text: str) -> None:
    print(visible(text), file=sys.stderr)


async def _visit(address: str) -> None:
    """Goes where a browser would, to the end of the redirects: the last of them leads back to us."""
    import httpx2

    async with httpx2.AsyncClient(follow_redirects=True, timeout=_LIMIT_S) as browser:
        await browser.get(address)


def _oauth() -> OAuthConfig:
    """The client that the suite has registered beforehand, if it says so. Raises UserError."""
    try:
        context = json.loads(os.environ.get(CONTEXT) or "{}")
    except ValueError as error:
        raise UserError(f"{CONTEXT} is not JSON: {error}") from error
    scenario = os.environ.get(SCENARIO, "")
    return OAuthConfig(
        client_id=str(context.get("client_id", "")),
        client_secret=str(context.get("client_secret", "")),
        client_metadata_url=_METADATA_URL if scenario == "auth/basic-cimd" else "",
        machine=scenario == "auth/client-credentials-basic",
    )


def _arguments(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The plainest input that a schema takes."""
    fields = schema.get("properties", {})
    return {name: _value(fields[name]) for name in schema.get("required", ()) if name in fields}


def _value(field: Mapping[str, Any]) -> Any:
    if "default" in field:
        return field["default"]
    if isinstance(field.get("enum"), list) and field["enum"]:
        return field["enum"][0]
    kind = field.get("type")
    if kind == "object":
        return _arguments(field)
    return _PLAIN.get(kind[0] if isinstance(kind, list) and kind else str(kind), "text")
