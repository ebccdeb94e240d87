"""What is known of a server before it is started: plain data that travels to a teammate's process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal, TypeAlias

from roocode.protocol.frozen import frozen

Transport: TypeAlias = Literal["stdio", "http", "sse"]
Owner: TypeAlias = Literal["flag", "local", "project", "user", "plugin"]

START_TIMEOUT_S = 30.0
IDLE_TIMEOUT_S = 300.0


@frozen
class OAuthConfig:
    """What a server's login needs that cannot be found out; empty where it registers by itself.

    With `machine` there is no person: id and secret are sent to the authorization server, to the one called
    `issuer` alone where that is set.
    """

    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    callback_port: int = 0
    scopes: str = ""
    client_metadata_url: str = ""
    machine: bool = False
    issuer: str = ""


@frozen
class ServerConfig:
    """One server. `place` says where it stands, in words; `owner` whose it is.

    `call_timeout_s` is the most that a call may take, None where only silence ends it (IDLE_TIMEOUT_S).
    `apart` starts it in the person's home, with the programs of no checkout on its PATH: what an untrusted
    directory brings must not run in the place of a server of the person's own or of a plugin.
    `legacy` leaves out the question for the newest protocol, which a silent old server answers with 10 s.
    """

    name: str
    transport: Transport
    owner: Owner
    place: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: str = ""
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    start_timeout_s: float = START_TIMEOUT_S
    call_timeout_s: float | None = None
    always_load: bool = False
    legacy: bool = False
    apart: bool = False
    oauth: OAuthConfig = field(default_factory=OAuthConfig)

    @property
    def argv(self) -> tuple[str, ...]:
        """The words that start it; none for one that is reached over the network."""
        return (self.command, *self.args) if self.transport == "stdio" else ()

    @property
    def act(self) -> dict[str, Any]:
        """What its start does, whole: the input of the act `__start_mcp__` that the guard judges."""
        return {
            "server": self.name,
            "command": list(self.argv),
            "env": dict(self.env),
            "cwd": self.cwd,
            "url": self.url,
            "headers": dict(self.headers),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> ServerConfig:
        """The inverse of `dataclasses.asdict`."""
        return cls(**{**value, "args": tuple(value["args"]), "oauth": OAuthConfig(**value["oauth"])})
