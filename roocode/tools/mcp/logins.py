"""Logging in to a server by OAuth, as the SDK does it: the browser comes back to a port of this machine."""

from __future__ import annotations

import asyncio
import hashlib
import json
import warnings
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from roocode.protocol.errors import HostError
from roocode.security.isolation.private_paths import make_private, require_own
from roocode.security.sandbox.replacing import replace_path
from roocode.tools.mcp.config import ServerConfig
from roocode.tools.mcp.faults import login_needed

_WAIT_S = 300.0
_MOST_WAITING = 4
_LONGEST_REQUEST = 16_384
_PAGE = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"
    b"You are logged in, as far as the browser goes. Go back to RooCode; this page can be closed.\n"
)


class Logins:
    """What logins to one address gave: a file for its owner alone."""

    def __init__(self, folder: Path, config: ServerConfig) -> None:
        digest = hashlib.sha256(f"{config.url}\n{config.oauth.client_id}".encode()).hexdigest()
        self.path = folder / f"{digest[:24]}.json"

    @property
    def is_known(self) -> bool:
        """Whether there was a login."""
        return "tokens" in self._read()

    def forget(self) -> bool:
        """Removes it; False where there was none."""
        known = self.path.exists()
        self.path.unlink(missing_ok=True)
        return known

    async def get_tokens(self) -> OAuthToken | None:
        """Called by the SDK."""
        value = self._read().get("tokens")
        return OAuthToken.model_validate(value) if value else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Called by the SDK."""
        self._write("tokens", tokens.model_dump(mode="json", exclude_none=True))

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """Called by the SDK."""
        value = self._read().get("client")
        return OAuthClientInformationFull.model_validate(value) if value else None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Called by the SDK."""
        self._write("client", client_info.model_dump(mode="json", exclude_none=True))

    def _read(self) -> dict[str, Any]:
        try:
            require_own(self.path)
            value = json.loads(self.path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise HostError(f"{self.path} cannot be read: {error}", "remove it and log in again") from error
        return value if isinstance(value, dict) else {}

    def _write(self, key: str, value: Any) -> None:
        make_private(self.path.parent)
        content = json.dumps({**self._read(), key: value}).encode()
        replace_path(self.path, content, mode=0o600)


class Callback:
    """A port of the loopback interface that the browser is sent back to, open for one login."""

    def __init__(self, server: asyncio.Server, port: int) -> None:
        self.address = f"http://127.0.0.1:{port}/callback"
        self._server = server
        self._came: asyncio.Queue[AuthorizationCodeResult | HostError] = asyncio.Queue(_MOST_WAITING)

    @classmethod
    async def open(cls, port: int = 0) -> Callback:
        """Listens. Raises HostError where the port is taken."""
        waiting: list[Callback] = []

        async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await waiting[0]._take(reader, writer)

        try:
            server = await asyncio.start_server(take, "127.0.0.1", port)
        except OSError as error:
            raise HostError(
                f"port {port} cannot be listened on: {error.strerror}", "choose another"
            ) from error
        waiting.append(cls(server, server.sockets[0].getsockname()[1]))
        return waiting[0]

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            line = await asyncio.wait_for(reader.readline(), 10)
            target = line[:_LONGEST_REQUEST].split(b" ")[1].decode("ascii", "replace")
            given = parse_qs(urlsplit(target).query)
            writer.write(_PAGE)
            await writer.drain()
        except (IndexError, ValueError, OSError, TimeoutError):
            return
        finally:
            writer.close()
        if self._came.full() or not urlsplit(target).path.startswith("/callback"):
            return
        if "code" in given:
            values = {name: given[name][0] for name in ("code", "state", "iss") if name in given}
            self._came.put_nowait(AuthorizationCodeResult(**values))
        else:
            said = given.get("error_description", given.get("error", ["no code came back"]))[0]
            self._came.put_nowait(HostError(f"the login was refused: {said[:200]}"))

    async def result(self) -> AuthorizationCodeResult:
        """Waits for the browser."""
        try:
            came = await asyncio.wait_for(self._came.get(), _WAIT_S)
        except TimeoutError:
            raise HostError("nobody logged in within five minutes", "try again") from None
        if isinstance(came, HostError):
            raise came
        return came

    async def close(self) -> None:
        """Listens no more."""
        self._server.close()
        await self._server.wait_closed()


def provider(
    config: ServerConfig,
    logins: Logins,
    *,
    address: str = "http://127.0.0.1/callback",
    show: Callable[[str], Awaitable[None]] | None = None,
    result: Callable[[], Awaitable[AuthorizationCodeResult]] | None = None,
) -> Any:
    """Authorises requests with what a login gave; `show` gets the address of a new one.

    Without it, a login that has become necessary raises LoginNeeded.
    """

    async def refuse(*_: object) -> Any:
        raise login_needed(config.name)

    if config.oauth.machine:
        return _by_itself(config, logins)
    metadata = OAuthClientMetadata(
        client_name="RooCode",
        redirect_uris=[address],
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
        scope=config.oauth.scopes or None,
    )
    return OAuthClientProvider(
        server_url=config.url,
        client_metadata=metadata,
        storage=_Preset(logins, config, address),
        redirect_handler=show or refuse,
        callback_handler=result or refuse,
        client_metadata_url=config.oauth.client_metadata_url or None,
    )


def _by_itself(config: ServerConfig, logins: Logins) -> Any:
    """A login of the machine, without a person."""
    from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider

    with warnings.catch_warnings():
        # It warns where no issuer is named: that is the person's to decide.
        warnings.simplefilter("ignore")
        return ClientCredentialsOAuthProvider(
            server_url=config.url,
            storage=logins,
            client_id=config.oauth.client_id,
            client_secret=config.oauth.client_secret,
            scope=config.oauth.scopes or None,
            issuer=config.oauth.issuer or None,
        )


class _Preset:
    """The logins of an address, with the client that an entry names where none registered itself."""

    def __init__(self, logins: Logins, config: ServerConfig, address: str) -> None:
        self.get_tokens = logins.get_tokens
        self.set_tokens = logins.set_tokens
        self.set_client_info = logins.set_client_info
        self._logins = logins
        self._config = config
        self._address = address

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """The client that is known, if its redirect address is still ours."""
        oauth = self._config.oauth
        if oauth.client_id:
            return OAuthClientInformationFull(
                client_id=oauth.client_id,
                client_secret=oauth.client_secret or None,
                redirect_uris=[self._address],
                token_endpoint_auth_method="client_secret_basic" if oauth.client_secret else "none",
            )
        return await self._logins.get_client_info()
