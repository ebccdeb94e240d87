"""Where a model is served, and what lets us in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen

WireName: TypeAlias = Literal["anthropic", "openai", "openai-responses"]
TransportName: TypeAlias = Literal["http", "sdk"]
Platform: TypeAlias = Literal["direct", "profile", "bedrock", "vertex", "azure"]

_SENDABLE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?")
_LOOPBACK = re.compile(r"localhost|127(?:\.\d{1,3}){3}|::1")


@frozen
class Endpoint:
    """A provider's address with its key: the two always travel together; no key (or ""), no header of it.

    `base_url` is without `/v1` for the anthropic protocol and with it for the two of OpenAI; it may be empty
    on a `platform` other than "direct", where the official SDK finds address and credentials by itself.
    `key_name` is the environment variable the key comes from, for messages. `bearer` sends an Anthropic
    key as `Authorization: Bearer` instead of `x-api-key`. Secrets do not appear in the representation.
    Raises UserError where the address or a header cannot be used.
    """

    provider: str
    protocol: WireName
    base_url: str
    api_key: str | None = field(default=None, repr=False)
    transport: TransportName = "http"
    extra_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    key_name: str = ""
    bearer: bool = False
    platform: Platform = "direct"

    def __post_init__(self) -> None:
        self._check_address()
        if self.api_key and not _SENDABLE.fullmatch(self.api_key):
            raise UserError(
                f"the key of provider {self.provider} has characters that cannot be sent in a header",
                f"Check {self.key_name or 'the key'} for spaces, quotes and line ends.",
            )
        for name, value in self.extra_headers.items():
            if not _SENDABLE.fullmatch(f"{name}: {value}"):
                raise UserError(
                    f"the header {name!r} of provider {self.provider} cannot be sent",
                    "Use printable ASCII characters.",
                )

    def _check_address(self) -> None:
        if not self.base_url and self.platform != "direct":
            return
        try:
            parts = urlsplit(self.base_url)
            sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            sound = False
        else:
            if "@" in parts.netloc or parts.query or parts.fragment:
                raise UserError(
                    f"the base URL of provider {self.provider} holds more than scheme, host, port and path",
                    "Keep the key in an environment variable and name it in api_key_env.",
                )
        if not sound:
            raise UserError(
                f"the base URL of provider {self.provider} is not an http or https address",
                f"Set providers.{self.provider}.base_url to one such as https://api.example.com/v1.",
            )

    @property
    def host(self) -> str:
        """The host of the base URL in lower case, or "" where the SDK chooses it."""
        return (urlsplit(self.base_url).hostname or "").lower()

    @property
    def place(self) -> str:
        """What messages call this endpoint: scheme, host and port."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc}" if self.base_url else f"{self.protocol} on {self.platform}"

    @property
    def loopback(self) -> bool:
        """Whether the server runs on this machine."""
        return _LOOPBACK.fullmatch(self.host) is not None

    def url(self, path: str) -> str:
        """The address of a path such as `/v1/messages`; a version that the base URL has is not repeated."""
        root = self.base_url.rstrip("/")
        version = "/v1"
        if path.startswith(f"{version}/") and root.endswith(version):
            path = path.removeprefix(version)
        return root + path
