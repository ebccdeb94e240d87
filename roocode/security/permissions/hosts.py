"""The host of a URL: parsed, never matched as text (CVE-2026-24052), and whether it may be fetched at all."""

from __future__ import annotations

import ipaddress
import socket
from functools import lru_cache
from typing import TypeAlias
from urllib.parse import urlsplit

from roocode.security.permissions.wildcard import like

_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_HERE = """
    localhost localhost6 localhost.localdomain localhost6.localdomain6 ip6-localhost ip6-loopback
    host.docker.internal host.containers.internal
    metadata metadata.google.internal metadata.goog instance-data instance-data.ec2.internal
"""
_OWN_NAMES = frozenset(_HERE.split())
"""This machine, a container's host, and the clouds' metadata services."""

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_V4_COMPATIBLE = ipaddress.IPv6Network("::/96")


def host_of(url: str) -> str | None:
    """The host that every client would connect to, in ASCII and lower case; None where they may disagree.

    Causes are credentials, backslashes, blanks, control characters, and schemes other than http and https.
    """
    if "\\" in url or any(character <= " " or character == "\x7f" for character in url):
        return None
    try:
        parts = urlsplit(url)
        host = parts.hostname
        _ = parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not host or "@" in parts.netloc or "%" in host:
        return None
    return _ascii(host)


def possible_hosts(url: str) -> frozenset[str]:
    """Every host that some client might connect to: what a deny rule is held against."""
    found: set[str] = set()
    for spelling in (url, url.replace("\\", "/"), url.replace("\\", "")):
        try:
            host = urlsplit(spelling if "://" in spelling else f"http://{spelling}").hostname
        except ValueError:
            continue
        plain = _ascii(host) if host else None
        if plain:
            found.add(plain)
    return frozenset(found)


def domain_covers(pattern: str, host: str) -> bool:
    """Whether a `domain:` pattern covers a host: by labels, case and a final dot ignored.

    `*.example.org` is any depth below and not example.org itself; another `*` stays within its label, and
    `*` alone is every host.
    """
    labels = _labels(pattern)
    return labels == ("*",) or _labels_cover(labels, host.split("."))


def complaint(spec: str) -> str:
    """Why the pattern of a WebFetch rule can match no host, or ""."""
    domain = spec.removeprefix("domain:").strip()
    if domain == spec or not domain or domain.startswith("."):
        host = possible_hosts(domain.lstrip(".")) if "." in domain else frozenset()
        example = min(host, default="host")
        return f"expected WebFetch(domain:{example})"
    if set(domain) & set("/:@?# \\") or any(not label for label in domain.rstrip(".").split(".")):
        return f"{domain} is no host: a rule names the host alone, without scheme, port or path"
    return ""


def refusal(url: str) -> str:
    """Why a URL must not be fetched: a private or local address, in any notation; or ""."""
    host = host_of(url)
    if host is None:
        return ""
    if host in _OWN_NAMES or host.endswith(".localhost"):
        return f"{host} is an address of this machine or network"
    address = _address(host)
    if address is not None and not _is_public(address):
        return f"{host} is an address of this machine or network"
    return ""


def _is_public(address: _Address) -> bool:
    return address.is_global and not (address.is_multicast or address.is_reserved)


def _address(host: str) -> _Address | None:
    try:
        address: _Address = ipaddress.ip_address(host)
    except ValueError:
        try:
            address = ipaddress.IPv4Address(socket.inet_aton(host))
        except (OSError, ValueError):
            return None
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is None and (address in _NAT64 or address in _V4_COMPATIBLE):
            inner = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
        return inner or address
    return address


def _ascii(host: str) -> str | None:
    host = host.rstrip(".")
    if host.isascii():
        return host.lower() or None
    try:
        return host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return None


@lru_cache(maxsize=256)
def _labels(pattern: str) -> tuple[str, ...]:
    labels = pattern.strip().rstrip(".").split(".")
    return tuple(label.lower() if label.isascii() else _ascii(label) or label for label in labels)


def _labels_cover(pattern: tuple[str, ...], labels: list[str]) -> bool:
    if pattern[0] == "*" and len(pattern) > 1:
        tail = pattern[1:]
        return len(labels) > len(tail) and _labels_cover(tail, labels[-len(tail) :])
    if len(pattern) != len(labels):
        return False
    return all(like(wanted, label) for wanted, label in zip(pattern, labels, strict=True))
