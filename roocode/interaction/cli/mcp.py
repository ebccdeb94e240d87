"""`roocode mcp`: servers of the Model Context Protocol; `roocode mcp-probe` is for conformance suites."""

from __future__ import annotations

from pathlib import Path

import click

from roocode.interaction.cli.config import local, project, scope_of
from roocode.interaction.cli.extension_orders import McpAdd, McpGet, McpList, McpProbe, McpRemove, McpTest
from roocode.interaction.cli.group import Group
from roocode.interaction.cli.options import as_json, in_directory

mcp = Group("mcp", help="Servers of the Model Context Protocol, whose tools the agents have.")

_given = click.option(
    "--mcp-config",
    multiple=True,
    metavar="FILE|JSON",
    help="Further servers: a file like .mcp.json, or its text.",
)


@mcp.command("list")
@as_json
@click.option("--check", is_flag=True, help="Connect to each server that is used, and say how that went.")
@_given
@in_directory
def list_(cwd: Path, json: bool, check: bool, mcp_config: tuple[str, ...]) -> McpList:
    """Every server that some file names: where it stands, and why one is not used. Starts none by itself."""
    return McpList(cwd, json, check, mcp_config)


@mcp.command("get")
@click.argument("name")
@as_json
@_given
@in_directory
def get(cwd: Path, name: str, json: bool, mcp_config: tuple[str, ...]) -> McpGet:
    """How one server is configured, without the values of its variables and headers."""
    return McpGet(cwd, name, json, mcp_config)


mcp.add_command(get, "show")


@mcp.command("test")
@click.argument("name")
@click.option("--login", is_flag=True, help="Log in to it, by a browser on this machine.")
@_given
@in_directory
def test(cwd: Path, name: str, login: bool, mcp_config: tuple[str, ...]) -> McpTest:
    """Start a server or connect to it, and show what it offers."""
    return McpTest(cwd, name, login, mcp_config)


@mcp.command("add")
@click.argument("name")
@click.argument("command", nargs=-1, required=True, metavar="[--] COMMAND [ARGS]… | URL")
@click.option(
    "-t",
    "--transport",
    type=click.Choice(("stdio", "http", "sse")),
    help="How it is spoken to; a URL means http, a command stdio.",
)
@click.option(
    "-e", "--env", multiple=True, metavar="NAME=VALUE", help="A variable for a server that is started."
)
@click.option("-H", "--header", multiple=True, metavar='"NAME: VALUE"', help="A header for one with a URL.")
@click.option("--always-load", is_flag=True, help="Its tools are always offered whole, never by name alone.")
@project
@local
@in_directory
def add(
    cwd: Path,
    name: str,
    command: tuple[str, ...],
    transport: str | None,
    env: tuple[str, ...],
    header: tuple[str, ...],
    always_load: bool,
    project: bool,
    local: bool,
) -> McpAdd:
    """Add a server to your own configuration, or with --project or --local to this directory's.

    Put -- before a command that has options of its own: roocode mcp add time -- uvx mcp-server-time --help
    """
    scope = scope_of(project, local)
    return McpAdd(
        cwd,
        name,
        command,
        transport,
        _pairs(env, "=", "--env"),
        _pairs(header, ":", "--header"),
        always_load,
        scope,
    )


@mcp.command("remove")
@click.argument("name")
@project
@local
@in_directory
def remove(cwd: Path, name: str, project: bool, local: bool) -> McpRemove:
    """Remove a server from the file that names it."""
    return McpRemove(cwd, name, scope_of(project, local) if project or local else None)


@click.command("mcp-probe")
@click.argument("url")
def mcp_probe(url: str) -> McpProbe:
    """Connect to the MCP server at URL, use what it offers, and end: for conformance suites.

    MCP_CONFORMANCE_SCENARIO, _CONTEXT and _PROTOCOL_VERSION say what is asked of it.
    """
    return McpProbe(url)


def _pairs(texts: tuple[str, ...], sign: str, option: str) -> tuple[tuple[str, str], ...]:
    pairs = []
    for text in texts:
        name, found, value = text.partition(sign)
        if not found or not name.strip():
            raise click.UsageError(f"{option} {text!r} is not NAME{sign}VALUE.")
        pairs.append((name.strip(), value.strip() if sign == ":" else value))
    return tuple(pairs)
