"""Reads one server's entry as people write it: by our names, and by those of other programs' files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen
from roocode.tools.mcp.config import START_TIMEOUT_S, OAuthConfig, Owner, ServerConfig, Transport
from roocode.tools.mcp.expansion import Expansion

_CAPITAL = re.compile(r"(?<=[a-z0-9])[A-Z]")
_TRANSPORTS: Mapping[str, Transport] = {
    "stdio": "stdio",
    "local": "stdio",
    "http": "http",
    "streamable-http": "http",
    "streamable_http": "http",
    "streamablehttp": "http",
    "remote": "http",
    "sse": "sse",
}
_UNSUPPORTED = {
    "ws": "websockets are no transport of the protocol, and its SDK has none: use type http",
    "websocket": "websockets are no transport of the protocol, and its SDK has none: use type http",
}
_SYNONYMS = {
    "transport_type": "type",
    "transport": "type",
    "http_url": "url",
    "server_url": "url",
    "working_directory": "cwd",
    "environment": "env",
    "connect_timeout": "start_timeout",
    "startup_timeout": "start_timeout",
}
_SILENT = frozenset({"description", "name", "title", "icon", "docs", "comment", "enabled", "disabled"})
_GRANTS = frozenset({"auto_approve", "always_allow", "approve_tools", "alwaysallow", "trust"})
_KNOWN = frozenset(
    {
        *("type", "command", "args", "env", "cwd", "url", "headers", "oauth"),
        *("timeout", "start_timeout", "always_load", "protocol"),
    }
)
_LOGIN = frozenset(
    {
        *("client_id", "client_secret", "client_metadata_url", "callback_port"),
        *("scopes", "scope", "grant", "issuer"),
    }
)
_SHORTEST_MS = 1000


@frozen
class Entry:
    """A server as an entry describes it, and what in the entry has no effect; `off` by its own word."""

    config: ServerConfig
    notes: tuple[str, ...] = ()
    off: bool = False


def read_entry(
    name: str, data: object, *, owner: Owner, place: str, expand: Expansion, milliseconds: bool
) -> Entry:
    """Reads an entry; `milliseconds` says what its times count. Raises UserError that says what is wrong."""
    if not isinstance(data, Mapping):
        raise UserError(f"the server {name!r} is not an object of settings")
    if not name.strip():
        raise UserError("a server has no name")
    fields = _renamed(data)
    notes: list[str] = list(_unheeded(data))
    transport = _transport(name, fields, notes)
    texts = _Texts(name, fields, expand)
    config = ServerConfig(
        name=name,
        transport=transport,
        owner=owner,
        place=place,
        command=_command(name, texts) if transport == "stdio" else "",
        args=texts.many("args") if transport == "stdio" else (),
        env=texts.named("env") if transport == "stdio" else {},
        cwd=texts.one("cwd") if transport == "stdio" else "",
        url=_url(name, texts) if transport != "stdio" else "",
        headers=texts.named("headers") if transport != "stdio" else {},
        start_timeout_s=_seconds(fields, "start_timeout", milliseconds, notes) or START_TIMEOUT_S,
        call_timeout_s=_seconds(fields, "timeout", milliseconds, notes),
        always_load=fields.get("always_load") is True,
        legacy=fields.get("protocol") == "legacy",
        oauth=_oauth(fields.get("oauth"), expand, notes),
    )
    notes += [f"${{{unset}}} {why} and stays as it is written" for unset, why in expand.unset.items()]
    return Entry(config, tuple(notes), _is_off(fields))


def _renamed(data: Mapping[Any, Any]) -> dict[str, Any]:
    return {_our_name(str(key)): value for key, value in data.items()}


def _our_name(key: str) -> str:
    snake = _CAPITAL.sub(lambda match: f"_{match[0]}", key).lower().replace("-", "_").lstrip("_")
    return _SYNONYMS.get(snake, snake)


def _is_off(fields: Mapping[str, Any]) -> bool:
    return fields.get("disabled") is True or fields.get("enabled") is False


def _unheeded(data: Mapping[Any, Any]) -> Iterator[str]:
    for key in map(str, data):
        name = _our_name(key)
        if name in _GRANTS:
            yield f"{key} is not honoured: no server's entry allows calls; write a rule for mcp__server__tool"
        elif name == "headers_helper":
            yield f"{key} is not honoured: no command is run for headers; use ${{VAR}} in headers"
        elif name not in _KNOWN and name not in _SILENT:
            yield f"{key} is not honoured: RooCode has no such setting of a server"


def _transport(name: str, fields: Mapping[str, Any], notes: list[str]) -> Transport:
    said, command, url = fields.get("type"), fields.get("command"), fields.get("url")
    if said is not None:
        word = str(said).lower()
        if word in _UNSUPPORTED:
            raise UserError(f"the server {name!r} has type {said}: {_UNSUPPORTED[word]}")
        if word not in _TRANSPORTS:
            raise UserError(f"the server {name!r} has type {said!r}", "known are stdio, http and sse")
        return _TRANSPORTS[word]
    if command and url:
        raise UserError(f"the server {name!r} has both command and url", "say which by type: stdio or http")
    if command:
        return "stdio"
    if not url:
        raise UserError(f"the server {name!r} has neither command nor url", "give it one of them")
    path = str(url).partition("?")[0].rstrip("/")
    guessed: Transport = "sse" if path.endswith("/sse") else "http"
    notes.append(f"it has a url and no type: taken for type {guessed}")
    return guessed


class _Texts:
    """Takes texts out of an entry, with variables put in."""

    def __init__(self, name: str, fields: Mapping[str, Any], expand: Expansion) -> None:
        self._name = name
        self._fields = fields
        self._expand = expand

    def one(self, key: str) -> str:
        """A text, empty where it is absent."""
        value = self._fields.get(key)
        if value is None:
            return ""
        if not isinstance(value, str) or "\0" in value:
            raise UserError(f"the server {self._name!r}: {key} is not a text")
        return self._expand(value)

    def many(self, key: str) -> tuple[str, ...]:
        """A list of texts; numbers count as what they look like."""
        value = self._fields.get(key) or []
        if not isinstance(value, list | tuple):
            raise UserError(f"the server {self._name!r}: {key} is not a list", "write one text for each word")
        return tuple(self._text(key, item) for item in value)

    def named(self, key: str) -> dict[str, str]:
        """Texts by name; one without a value is left out."""
        value = self._fields.get(key) or {}
        if not isinstance(value, Mapping):
            raise UserError(f"the server {self._name!r}: {key} is not an object of names and texts")
        return {str(name): self._text(key, item) for name, item in value.items() if item is not None}

    def _text(self, key: str, item: object) -> str:
        if isinstance(item, bool):
            return str(item).lower()
        if not isinstance(item, str | int | float) or "\0" in str(item):
            raise UserError(f"the server {self._name!r}: {key} holds something that is not a text")
        return self._expand(str(item))


def _command(name: str, texts: _Texts) -> str:
    command = texts.one("command")
    if not command.strip():
        raise UserError(f"the server {name!r} of type stdio has no command", "say what starts it")
    return command


def _url(name: str, texts: _Texts) -> str:
    url = texts.one("url")
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and not re.search(r"\s", url)
    except ValueError:
        sound = False
    if not sound:
        raise UserError(
            f"the server {name!r}: the url {url!r} is not one", "write https://HOST/PATH, without blanks"
        )
    return url


def _seconds(fields: Mapping[str, Any], key: str, milliseconds: bool, notes: list[str]) -> float | None:
    value = fields.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        notes.append(f"{key} is not honoured: it is not a number above 0")
        return None
    if milliseconds and value < _SHORTEST_MS:
        notes.append(f"{key}: {value:g} is taken as seconds, since so few milliseconds cannot be meant")
        return float(value)
    return value / 1000 if milliseconds else float(value)


def _oauth(value: object, expand: Callable[[str], str], notes: list[str]) -> OAuthConfig:
    if value is None or value is True or value is False:
        return OAuthConfig()
    if not isinstance(value, Mapping):
        notes.append("oauth is not honoured: it is not an object")
        return OAuthConfig()
    fields = _renamed(value)
    scopes, port = fields.get("scopes", fields.get("scope", "")), fields.get("callback_port", 0)
    notes += [
        f"oauth.{key} is not honoured: RooCode has no such setting of a login"
        for key in fields
        if key not in _LOGIN
    ]
    return OAuthConfig(
        client_id=expand(str(fields.get("client_id") or "")),
        client_secret=expand(str(fields.get("client_secret") or "")),
        callback_port=port if isinstance(port, int) and 0 < port < 65_536 else 0,
        machine=fields.get("grant") == "client_credentials",
        issuer=expand(str(fields.get("issuer") or "")),
        client_metadata_url=expand(str(fields.get("client_metadata_url") or "")),
        scopes=" ".join(map(str, scopes)) if isinstance(scopes, list) else str(scopes or ""),
    )
