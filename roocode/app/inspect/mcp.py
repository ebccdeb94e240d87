"""`roocode mcp`: which servers there are, where from, what keeps one from being used; added and removed."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, Literal, TypeAlias, assert_never

from roocode.app.mcp.checking import Checked, check, log_in
from roocode.app.written_secrets import known_settings
from roocode.interaction.cli.extension_orders import (
    McpAdd,
    McpGet,
    McpList,
    McpOrder,
    McpProbe,
    McpRemove,
    McpTest,
)
from roocode.interaction.config.change import remove_server, set_server
from roocode.interaction.config.places import SCOPES, find_places
from roocode.interaction.config.settings import Settings
from roocode.interaction.mcp.found import PROJECT_FILE, FoundServer, find_servers
from roocode.interaction.ui.safe_text import visible
from roocode.protocol.errors import UsageError, UserError
from roocode.security.isolation.secrets import Secrets

Status: TypeAlias = Literal["ok", "warning"]


def mcp_order(order: McpOrder, secrets: Secrets) -> int:
    """Carries out one `roocode mcp` command; 1 where a server could not be reached."""
    match order:
        case McpList():
            settings = known_settings(order.cwd, secrets)
            return _list(settings, find_servers(settings, os.environ, order.given), order, secrets)
        case McpGet():
            return _get(order, secrets)
        case McpTest():
            return _test(order, secrets)
        case McpAdd():
            return _add(order)
        case McpRemove():
            return _remove(order, secrets)
        case McpProbe():
            raise UsageError("mcp-probe is a command of its own")
        case _:
            assert_never(order)


def mcp_findings(settings: Settings) -> Iterator[tuple[str, Status, str, str]]:
    """What the doctor says of servers: name, status, detail and mend. None is started."""
    for found in find_servers(settings, os.environ):
        name = f"mcp {found.name}".strip()
        why = _why_not(found)
        if why:
            mend = "roocode trust" if "not trusted" in why else ""
            yield name, "warning" if found.error else "ok", f"{found.place}: not used: {why}", mend
        elif (missing := _missing_program(found)) is not None:
            yield name, "warning", f"{found.place}: {missing} is not installed", f"install {missing}"
        else:
            yield name, "ok", f"{found.place}: {_what(found)}", f"roocode mcp test {found.name}"
        for note in found.notes:
            yield name, "ok" if why else "warning", f"{found.place}: {note}", ""


def _why_not(found: FoundServer) -> str:
    return found.error or (f"{found.shadowed_by} is used" if found.shadowed_by else "")


def _missing_program(found: FoundServer) -> str | None:
    """The program of a server that is not there; one with a relative path is not looked for."""
    command = found.config.command if found.config else ""
    if not command or ("/" in command and not command.startswith("/")):
        return None
    return None if shutil.which(command) else command


def _what(found: FoundServer) -> str:
    if found.config is None:
        return ""
    return shlex.join(found.config.argv) or f"{found.config.transport} {found.config.url}"


def _list(settings: Settings, found: tuple[FoundServer, ...], order: McpList, secrets: Secrets) -> int:
    checked: dict[str, Checked] = {}
    if order.check:
        usable = tuple(each for each in found if each.is_used)
        checked = asyncio.run(check(settings, usable, os.environ, secrets))
    rows = [_row(each, checked.get(each.name) if each.is_used else None) for each in found]
    if order.json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        for line in _lines(found, checked):
            print(visible(line).replace("\n", "\\n"))
        if not found:
            print("no servers are configured: `roocode mcp add NAME -- COMMAND`", file=sys.stderr)
    return int(any(each.status != "connected" for each in checked.values()))


def _row(found: FoundServer, checked: Checked | None) -> dict[str, Any]:
    row: dict[str, Any] = {"name": found.name, "source": found.owner, "path": found.place}
    if found.config is not None:
        row |= {"transport": found.config.transport, "runs": _what(found)}
    row |= {key: value for key in ("error", "shadowed_by") if (value := getattr(found, key))}
    row |= {"notes": list(found.notes)} if found.notes else {}
    if checked is not None:
        row |= {"status": checked.status, "tools": len(checked.tools)}
        row |= {"reason": checked.reason} if checked.reason else {}
    return row


def _lines(found: tuple[FoundServer, ...], checked: dict[str, Checked]) -> Iterator[str]:
    width = max((len(each.name) for each in found), default=0)
    for each in found:
        why = _why_not(each)
        state = f"   not used: {why}" if why else ""
        if each.is_used and (seen := checked.get(each.name)):
            about = f"{len(seen.tools)} tools" if seen.status == "connected" else seen.reason
            state = f"   {seen.status}: {about}"
        yield f"{each.name:{width}}  {each.owner:7}  {each.place}  {_what(each)}{state}"
        yield from (f"{'':{width}}  {note}" for note in each.notes)


def _named(name: str, found: tuple[FoundServer, ...]) -> FoundServer:
    """The server of this name, the used one before others. Raises UserError."""
    matching = [each for each in found if each.name == name]
    if not matching:
        near = get_close_matches(name, {each.name for each in found}, n=1)
        mend = f"did you mean {near[0]!r}?" if near else "`roocode mcp list` shows what there is"
        raise UserError(f"there is no MCP server {name!r}", mend)
    return next((each for each in matching if each.is_used), matching[0])


def _get(order: McpGet, secrets: Secrets) -> int:
    settings = known_settings(order.cwd, secrets)
    found = _named(order.name, find_servers(settings, os.environ, order.given))
    shown = _row(found, None) | _details(found)
    if order.json:
        print(json.dumps(shown, indent=2, ensure_ascii=False))
        return 0
    for key, value in shown.items():
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        print(visible(f"{key}: {text}").replace("\n", "\\n"))
    return 0


def _details(found: FoundServer) -> dict[str, Any]:
    """The rest of a configuration; of variables and headers the names alone."""
    config = found.config
    if config is None:
        return {}
    details: dict[str, Any] = {
        "env": sorted(config.env),
        "headers": sorted(config.headers),
        "cwd": config.cwd,
        "start_timeout": config.start_timeout_s,
        "timeout": config.call_timeout_s,
        "always_load": config.always_load,
        "protocol": "legacy" if config.legacy else "",
    }
    return {key: value for key, value in details.items() if value}


def _test(order: McpTest, secrets: Secrets) -> int:
    settings = known_settings(order.cwd, secrets)
    found = _named(order.name, find_servers(settings, os.environ, order.given))
    if not found.is_used:
        trust = "`roocode trust` shows what would take effect" if "not trusted" in found.error else ""
        raise UserError(f"{found.place}: {found.name} is not used: {_why_not(found)}", trust)
    for note in found.notes:
        print(visible(f"{found.place}: {note}"), file=sys.stderr)
    if order.login:
        checked = asyncio.run(log_in(settings, found, os.environ, secrets, _show_address))
    else:
        checked = asyncio.run(check(settings, (found,), os.environ, secrets))[found.name]
    for line in _report(found, checked):
        print(visible(line))
    return int(checked.status != "connected")


def _show_address(address: str) -> None:
    print(f"Open this address in a browser on this machine to log in:\n\n  {visible(address)}\n", flush=True)


def _report(found: FoundServer, checked: Checked) -> Iterator[str]:
    yield f"{found.name}: {checked.status}{f': {checked.reason}' if checked.reason else ''}"
    yield f"  {_what(found)}"
    if checked.log:
        yield f"  its own words are in {checked.log}"
    if checked.status != "connected":
        return
    yield f"  protocol {checked.version}, {len(checked.tools)} tools, {len(checked.resources)} resources"
    yield from (f"  {name}  {described}" for name, described in checked.tools)
    yield from (f"  /{name}  {described}" for name, described in checked.prompts)
    yield from (f"  {uri}" for uri in checked.resources)
    yield from (f"  left out: {note}" for note in checked.notes)


def _add(order: McpAdd) -> int:
    places = find_places(order.cwd, os.environ)
    entry = _entry(order)
    changed = set_server(places, order.scope, order.name, entry)
    print(f"{order.name} is in {places.shown(changed.path)}", file=sys.stderr)
    if not changed.counts:
        print("it has no effect until the directory is trusted: roocode trust", file=sys.stderr)
    return 0


def _entry(order: McpAdd) -> dict[str, Any]:
    """The entry that a command line means. Raises UsageError."""
    first, rest = order.command[0], order.command[1:]
    is_url = first.startswith(("http://", "https://"))
    transport = order.transport or ("http" if is_url else "stdio")
    if transport == "stdio":
        if is_url:
            raise UsageError(f"{first} is no command", "leave out --transport, or say --transport http")
        if order.headers:
            raise UsageError("--header is for a server with a URL", "use --env for one with a command")
        entry: dict[str, Any] = {"command": first}
        entry |= {"args": list(rest)} if rest else {}
        entry |= {"env": dict(order.env)} if order.env else {}
    else:
        if not is_url or rest:
            raise UsageError(f"{' '.join(order.command)!r} is no URL", "it begins with https:// or http://")
        if order.env:
            raise UsageError("--env is for a server with a command", "use --header for one with a URL")
        entry = {"type": transport, "url": first}
        entry |= {"headers": dict(order.headers)} if order.headers else {}
    return entry | ({"always_load": True} if order.always_load else {})


def _remove(order: McpRemove, secrets: Secrets) -> int:
    settings = known_settings(order.cwd, secrets)
    places = settings.places
    scopes = [
        scope
        for scope in SCOPES
        for each in settings.account
        if each.key == ("mcp_servers", order.name) and each.tier == scope and order.scope in (None, scope)
    ]
    if not scopes:
        found = [each for each in find_servers(settings, os.environ) if each.name == order.name]
        if found and found[0].place.startswith(PROJECT_FILE):
            raise UserError(f"{order.name} stands in {found[0].place}", "remove it there by hand")
        raise UserError(f"no configuration of yours names a server {order.name!r}", "see `roocode mcp list`")
    if len(scopes) > 1:
        raise UserError(f"{order.name} stands in several files", "say which: --project or --local")
    changed = remove_server(places, scopes[0], order.name)
    print(f"{order.name} is no longer in {places.shown(changed.path)}", file=sys.stderr)
    return 0
