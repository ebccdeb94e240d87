"""ListMcpResources and ReadMcpResource: what servers offer to read."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from importlib.resources import files

from roocode.protocol.decisions import Decision
from roocode.protocol.errors import RooCodeError
from roocode.protocol.messages import Arguments
from roocode.protocol.tools import Tool, ToolOutcome, ToolSpec, Touches
from roocode.tools.mcp.connection import Connection
from roocode.tools.mcp.content import Keep, resource_text
from roocode.tools.mcp.faults import in_words
from roocode.tools.mcp.offering import RemoteResource, cut

_SERVER = {"type": "string", "description": "The server's name."}


def resource_tools(connections: Mapping[str, Connection], keep: Keep) -> tuple[Tool, ...]:
    """Both tools over these connections."""
    return _List(connections), _Read(connections, keep)


def _spec(stem: str, properties: dict[str, object], required: list[str]) -> ToolSpec:
    text = (files(__package__) / f"{stem}.md").read_text(encoding="utf-8").strip()
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    name = "".join(word.capitalize() for word in stem.split("_"))
    return ToolSpec(name, text, schema | ({"required": required} if required else {}))


class _Simple:
    """What both have in common: arguments that are texts."""

    spec: ToolSpec

    def complaint(self, arguments: Arguments) -> str:
        """Which argument is missing, unknown or no text."""
        known = self.spec.parameters["properties"]
        for name in self.spec.parameters.get("required", ()):
            if name not in arguments:
                return f"{self.spec.name} also needs `{name}`"
        wrong = [name for name, value in arguments.items() if name not in known or not isinstance(value, str)]
        return f"`{wrong[0]}` is not known, or must be a string" if wrong else ""

    def runs_alongside(self, arguments: Arguments) -> bool:
        """Reading disturbs nobody here."""
        return True

    def preview(self, arguments: Arguments) -> str:
        """Server and address."""
        return " ".join(str(arguments[name]) for name in ("server", "uri") if name in arguments)


class _List(_Simple):
    """Lists what is known already: no server is asked."""

    def __init__(self, connections: Mapping[str, Connection]) -> None:
        self.spec = _spec("list_mcp_resources", {"server": _SERVER}, [])
        self._connections = connections

    def touches(self, arguments: Arguments) -> Touches:
        """Nothing."""
        return Touches()

    async def run(self, arguments: Arguments, decision: Decision) -> ToolOutcome:
        """One line a resource."""
        wanted = arguments.get("server")
        if wanted is not None and wanted not in self._connections:
            return _unknown(str(wanted), self._connections)
        lines = [
            line
            for name, connection in self._connections.items()
            if wanted in (None, name)
            for line in _lines(name, connection)
        ]
        return ToolOutcome("\n".join(lines) or "No server offers anything to read.")


class _Read(_Simple):
    """Asks a server, which may do anything then: so it counts as an effect that cannot be named."""

    def __init__(self, connections: Mapping[str, Connection], keep: Keep) -> None:
        uri = {"type": "string", "description": "The whole address, as ListMcpResources gives it."}
        self.spec = _spec("read_mcp_resource", {"server": _SERVER, "uri": uri}, ["server", "uri"])
        self._connections = connections
        self._keep = keep

    def touches(self, arguments: Arguments) -> Touches:
        """An effect on the server's side that nobody here can name."""
        return Touches(other=True)

    async def run(self, arguments: Arguments, decision: Decision) -> ToolOutcome:
        """Reads it."""
        server, uri = str(arguments["server"]), str(arguments["uri"])
        connection = self._connections.get(server)
        if connection is None:
            return _unknown(server, self._connections)
        try:
            async with asyncio.timeout(
                connection.config.call_timeout_s or connection.config.start_timeout_s * 2
            ):
                result = await connection.request(lambda client: client.read_resource(uri))
        except TimeoutError:
            return ToolOutcome(f"{server} did not send {uri} in time.", is_error=True)
        except RooCodeError as error:
            return ToolOutcome(str(error), is_error=True)
        except Exception as error:  # the SDK's own, of a dozen kinds
            return ToolOutcome(f"{server} could not send {uri}: {cut(in_words(error))}", is_error=True)
        return ToolOutcome(await asyncio.to_thread(resource_text, result, self._keep))


def _unknown(server: str, connections: Mapping[str, Connection]) -> ToolOutcome:
    return ToolOutcome(f"There is no server {server!r}. There are: {', '.join(connections)}.", is_error=True)


def _lines(name: str, connection: Connection) -> list[str]:
    if connection.status != "connected":
        return [f"{name}: not connected ({connection.status}) {connection.reason}".rstrip()]
    return [_line(name, resource) for resource in connection.offering.resources]


def _line(server: str, resource: RemoteResource) -> str:
    kind = f" ({resource.mime})" if resource.mime else ""
    described = cut(resource.description.replace("\n", " "), 200)
    template = " [template]" if resource.template else ""
    return f"{server}: {resource.uri}{template} {resource.name}{kind}{f': {described}' if described else ''}"
