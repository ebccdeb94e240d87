"""A server that wants a login says so; after one the token is kept, and used until it is worth nothing."""

from __future__ import annotations

import json
from pathlib import Path

import httpx2
import pytest

from roocode.tools.mcp.connection import Connection
from roocode.tools.mcp.logins import Callback, Logins, provider
from roocode.tools.mcp.servers import Servers
from tests.tools.mcp.conftest import WITHIN_S, Opener
from tests.tools.mcp.test_servers import at, free_port, over_http

pytestmark = pytest.mark.asyncio
PATIENT = {"pauses_s": (0.2,) * 500}


async def visit(address: str) -> None:
    """A browser whose owner agrees to everything."""
    async with httpx2.AsyncClient(follow_redirects=True, timeout=WITHIN_S) as browser:
        await browser.get(address)


async def logged_in(servers: Servers, connection: Connection, folder: Path) -> None:
    callback = await Callback.open()
    try:
        logins = Logins(folder, connection.config)
        auth = provider(
            connection.config, logins, address=callback.address, show=visit, result=callback.result
        )
        servers.start(auth)
        await servers.settled(WITHIN_S)
    finally:
        await callback.close()


async def test_a_login_is_asked_for_made_kept_and_used(connected: Opener, tmp_path: Path) -> None:
    port = free_port()
    with over_http(port, "oauth_server.py"):
        async with connected(at(port), **PATIENT) as run:
            await run.until(lambda: run.connection().status == "needs-auth")
            assert "it wants you to log in: roocode mcp test it --login" in run.connection().reason

        async with connected(at(port), begin=False) as run:
            await logged_in(run.servers, run.connection(), tmp_path / "state" / "mcp-logins")
            assert run.connection().status == "connected"

        (kept,) = (tmp_path / "state" / "mcp-logins").iterdir()
        assert kept.stat().st_mode & 0o777 == 0o600
        assert kept.parent.stat().st_mode & 0o777 == 0o700

        async with connected(at(port)) as run:
            assert (await run.call("mcp__it__hello")).content == "hello, whoever you are"

        content = json.loads(kept.read_text())
        content["tokens"]["access_token"] = "worth nothing"
        kept.write_text(json.dumps(content))
        async with connected(at(port)) as run:
            assert run.connection().status == "needs-auth"


async def test_what_was_kept_for_one_address_is_not_for_another(tmp_path: Path) -> None:
    assert Logins(tmp_path, at(1)).path != Logins(tmp_path, at(2)).path


async def test_a_refused_login_says_why() -> None:
    from roocode.protocol.errors import HostError

    callback = await Callback.open()
    try:
        await visit(f"{callback.address}?error=access_denied&error_description=not+you")
        with pytest.raises(HostError, match="the login was refused: not you"):
            await callback.result()
    finally:
        await callback.close()
