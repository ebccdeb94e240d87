"""A server that wants a login, and the authorization server that gives one to whoever asks."""

from __future__ import annotations

import secrets
import sys
import time
from typing import Any

from mcp.server.auth.provider import AccessToken, AuthorizationCode, RefreshToken, construct_redirect_uri
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthToken

PORT = int(sys.argv[1])
HERE = f"http://127.0.0.1:{PORT}"


class Provider:
    """Keeps everything in memory: a restarted one knows nobody."""

    def __init__(self) -> None:
        self.clients: dict[str, Any] = {}
        self.codes: dict[str, Any] = {}
        self.access: dict[str, Any] = {}

    async def get_client(self, identifier: str) -> Any:
        return self.clients.get(identifier)

    async def register_client(self, client: Any) -> None:
        self.clients[client.client_id] = client

    async def authorize(self, client: Any, asked: Any) -> str:
        code = secrets.token_hex(8)
        self.codes[code] = AuthorizationCode(
            code=code,
            client_id=client.client_id,
            scopes=asked.scopes or ["user"],
            expires_at=time.time() + 60,
            code_challenge=asked.code_challenge,
            redirect_uri=asked.redirect_uri,
            redirect_uri_provided_explicitly=asked.redirect_uri_provided_explicitly,
            resource=asked.resource,
        )
        return construct_redirect_uri(str(asked.redirect_uri), code=code, state=asked.state)

    async def load_authorization_code(self, _client: Any, code: str) -> Any:
        return self.codes.get(code)

    async def exchange_authorization_code(self, client: Any, code: Any) -> OAuthToken:
        self.codes.pop(code.code)
        token = secrets.token_hex(16)
        self.access[token] = AccessToken(
            token=token,
            client_id=client.client_id,
            scopes=code.scopes,
            expires_at=int(time.time()) + 3600,
            resource=code.resource,
        )
        return OAuthToken(access_token=token, expires_in=3600, scope=" ".join(code.scopes))

    async def load_refresh_token(self, _client: Any, _token: str) -> RefreshToken | None:
        return None

    async def exchange_refresh_token(self, *_: Any) -> OAuthToken:
        raise NotImplementedError

    async def load_access_token(self, token: str) -> Any:
        return self.access.get(token)

    async def revoke_token(self, _token: Any) -> None:
        return None


provider = Provider()
server = MCPServer(
    "guarded",
    log_level="CRITICAL",
    auth_server_provider=provider,
    auth=AuthSettings(
        issuer_url=HERE,
        resource_server_url=f"{HERE}/mcp",
        required_scopes=["user"],
        validate_token_resource=True,
        client_registration_options=ClientRegistrationOptions(
            enabled=True, valid_scopes=["user"], default_scopes=["user"]
        ),
    ),
)


@server.tool()
def hello() -> str:
    """Says hello."""
    return "hello, whoever you are"


server.run("streamable-http", host="127.0.0.1", port=PORT)
