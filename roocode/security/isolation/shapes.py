"""Texts that are secrets by their shape: the key formats of well-known services. Pure, in linear time.

Each expression begins with a literal, so that a text without it costs one search, and what it repeats is
bounded or possessive. The formats are those that the services publish for secret scanning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import TypeAlias

from roocode.protocol.frozen import frozen
from roocode.security.isolation.placeholders import is_default, is_place, is_placeholder, looks_random

Hide: TypeAlias = Callable[[str, str], str]
"""Gives the mask for a kind and the secret itself."""

_URL_PASSWORD = "password in URL"  # noqa: S105


@frozen
class Shape:
    """A kind of secret: the literals that a text with one holds, and an expression whose group 1 it is."""

    kind: str
    literals: tuple[str, ...]
    expression: str
    counts: Callable[[re.Match[str]], bool]


def _is_real(found: re.Match[str]) -> bool:
    return not is_placeholder(found[1])


def _is_random(found: re.Match[str]) -> bool:
    return not is_placeholder(found[1]) and looks_random(found[1])


def _is_chosen(found: re.Match[str]) -> bool:
    return not (is_default(found[1]) or is_placeholder(found[1]) or is_place(found[1]))


def _is_password(found: re.Match[str]) -> bool:
    user, password = found[1], found[2]
    return not (password == user or is_default(password) or is_placeholder(password))


def _prefixed(kind: str, prefixes: str, body: str, counts: Callable[[re.Match[str]], bool]) -> list[Shape]:
    """A shape for each prefix, where no word goes on before it; `body` reaches to the end of the word."""
    return [
        Shape(
            kind,
            (prefix,),
            rf"({re.escape(prefix)}(?<![\w-]{re.escape(prefix)}){body}(?![\w-]))",
            counts,
        )
        for prefix in prefixes.split()
    ]


def _tokens(kind: str, prefixes: str, body: str = r"[\w-]{16,}+") -> list[Shape]:
    return _prefixed(kind, prefixes, body, _is_real)


def _shapes() -> Iterator[Shape]:
    yield from _tokens("Anthropic key", "sk-ant-")
    yield from _tokens("OpenAI key", "sk-proj- sk-svcacct- sk-admin- sk-None-")
    yield from _tokens("OpenRouter key", "sk-or-")
    yield from _prefixed("API key", "sk-", r"[\w-]{20,}+", _is_random)
    yield from _tokens("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9]{30,}+")
    yield from _tokens("GitHub token", "github_pat_")
    yield from _tokens("GitLab token", "glpat- glptt- gldt- glrt- glcbt- glsoat- glft- glimt- glagent-")
    yield from _tokens("Slack token", "xoxb- xoxa- xoxp- xoxr- xoxs- xoxe- xoxc- xoxd- xapp-")
    yield from _tokens("Google key", "AIza", r"[\w-]{35}")
    yield from _tokens("Google token", "ya29.", r"[\w-]{16,}+(?:\.[\w-]{1,}+){0,8}+")
    yield from _tokens("Google secret", "GOCSPX-", r"[\w-]{20,}+")
    yield from _tokens("Stripe key", "sk_live_ rk_live_ sk_test_ rk_test_ whsec_", r"[A-Za-z0-9]{16,}+")
    yield from _prefixed("npm token", "npm_", r"[A-Za-z0-9]{36}", _is_random)
    yield from _tokens("PyPI token", "pypi-Ag", r"[\w-]{40,}+")
    yield from _prefixed("Hugging Face token", "hf_", r"[A-Za-z0-9]{30,}+", _is_random)
    yield from _tokens("SendGrid key", "SG.", r"[\w-]{16,}+\.[\w-]{16,}+")
    yield from _tokens("Twilio key", "SK", r"[0-9a-f]{32}")
    yield from _tokens("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{64}")
    yield from _tokens("AWS access key", "AKIA ASIA ABIA ACCA", r"[A-Z0-9]{16}")
    yield from _tokens("Groq key", "gsk_", r"[A-Za-z0-9]{40,}+")
    yield from _tokens("Replicate token", "r8_", r"[A-Za-z0-9]{36,}+")
    yield from _tokens("Databricks token", "dapi", r"[0-9a-f]{32}")
    yield from _tokens("Shopify token", "shpat_ shpca_ shppa_ shpss_", r"[0-9a-fA-F]{32}")
    yield from _tokens("Vault token", "hvs. hvb.", r"[\w-]{20,}+")
    yield from _tokens("age key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{50,}+")
    yield from _tokens("JWT", "eyJ", r"[\w-]{8,}+\.[\w-]{8,}+\.[\w-]{8,}+")
    yield Shape(
        "Slack webhook",
        ("hooks.slack.com/services/",),
        r"hooks\.slack\.com/services/([A-Z0-9]{6,20}/[A-Z0-9]{6,20}/[A-Za-z0-9]{16,40})",
        _is_real,
    )
    yield Shape(
        "authorization",
        ("uthorization", "UTHORIZATION"),
        (
            r"(?:uthorization|UTHORIZATION)[\"']?\s{0,3}[:=,]\s{0,3}[\"']?"
            r"(?:[Bb]earer|BEARER|[Bb]asic|BASIC|[Tt]oken|[Aa]pi[Kk]ey)\s{1,3}([A-Za-z0-9._~+/=-]{8,4000}+)"
        ),
        _is_real,
    )
    yield Shape(
        "API key",
        ("pi-key", "PI-KEY", "pi-Key", "PI-Key", "IVATE-TOKEN", "rivate-Token"),
        (
            r"(?:pi-key|PI-KEY|pi-Key|PI-Key|IVATE-TOKEN|rivate-Token)[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
            r"([A-Za-z0-9._~+/=-]{16,512}+)"
        ),
        _is_random,
    )
    yield Shape(
        "account key",
        ("AccountKey=", "SharedAccessKey=", "SharedAccessSignature="),
        r"(?:AccountKey|SharedAccessKey|SharedAccessSignature)=([A-Za-z0-9+/=%&._~-]{20,512}+)",
        _is_real,
    )
    yield Shape(
        "password",
        ("assword=", "ASSWORD=", "wd=", "WD="),
        r";\s?(?:[Pp]assword|PASSWORD|[Pp]wd|PWD)=([^;\s\"']{6,128})",
        _is_chosen,
    )
    yield Shape(
        "password",
        ("login ",),
        r"login\s{1,3}[^\s]{1,128}\s{1,3}password\s{1,3}([^\s]{6,256})",
        _is_chosen,
    )
    yield Shape(
        "registry login",
        ('"auth"',),
        r"\"auth\"\s{0,3}:\s{0,3}\"([A-Za-z0-9+/=]{12,2000}+)\"",
        _is_real,
    )


SHAPES = tuple(_shapes())
_LITERALS = tuple(literal for shape in SHAPES for literal in shape.literals)
"""Looked for in one go: nearly every text holds none of them, and every text passes here."""

_URL = re.compile(r"://([^\s/:@\"'<>`]{0,256}):([^\s/@\"'<>`{$\[][^\s/@\"'<>`]{2,255})@", re.ASCII)


def without_known_shapes(text: str, hide: Hide) -> str:
    """The text with each secret of a known format hidden; passwords in URLs alone, not the URLs."""
    if [literal for literal in _LITERALS if literal in text]:
        for shape in SHAPES:
            if any(literal in text for literal in shape.literals):
                text = _compiled(shape.expression).sub(partial(_hidden, shape, hide), text)
    if "://" in text:
        text = _URL.sub(lambda found: _without_password(found, hide), text)
    return text


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    """Compiled where a text may hold one: most processes need a few of them, or none."""
    return re.compile(expression, re.ASCII)


def _hidden(shape: Shape, hide: Hide, found: re.Match[str]) -> str:
    whole, start = found[0], found.start()
    if not shape.counts(found):
        return whole
    secret_at, secret_ends = found.start(1) - start, found.end(1) - start
    return f"{whole[:secret_at]}{hide(shape.kind, found[1])}{whole[secret_ends:]}"


def _without_password(found: re.Match[str], hide: Hide) -> str:
    return f"://{found[1]}:{hide(_URL_PASSWORD, found[2])}@" if _is_password(found) else found[0]
