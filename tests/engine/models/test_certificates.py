from __future__ import annotations

import ipaddress
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from roocode.engine.models.connect import connect
from roocode.engine.models.retry import RetryPolicy
from roocode.protocol.errors import ProviderRefused
from tests.engine.models.raw_server import Plan, RawServer
from tests.engine.models.shapes_anthropic import HELLO, HELLO_EVENTS
from tests.engine.models.wires import endpoint, request

x509 = pytest.importorskip("cryptography.x509")


def self_signed(path: Path) -> ssl.SSLContext:
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(address, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM) + private)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


@pytest.mark.asyncio
async def test_a_certificate_that_is_not_trusted_is_refused_until_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = self_signed(tmp_path / "own.pem")
    async with RawServer(Plan([HELLO]), tls=context) as server:
        address = endpoint("anthropic", server.base_url)
        client = connect(address, RetryPolicy(tries=1))
        with pytest.raises(ProviderRefused, match="certificate") as caught:
            await anext(client.stream(request()))
        assert "SSL_CERT_FILE" in caught.value.mend
        await client.close()
        assert server.requests == []
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "own.pem"))
        client = connect(address, RetryPolicy(tries=1))
        assert [event async for event in client.stream(request())] == HELLO_EVENTS
        await client.close()
