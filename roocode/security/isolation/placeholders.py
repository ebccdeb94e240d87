"""Tells a secret from what only stands in its place in examples, defaults and code: pure."""

from __future__ import annotations

import re

_STANDS_IN = re.compile(
    r"\A\[secret:|\.\.\.|…|\*\*\*|x{4}|X{4}|0{8}|EXAMPLE"
    r"|(?<![a-z0-9])(?:your|my|example|placeholder|dummy|fake|redacted|changeme|insert|replace|sample|here)"
    r"(?![a-z0-9])",
)
_STANDS_IN_SLOWLY = re.compile(r"1234567890|0123456789|abcdefgh", re.IGNORECASE)
_KNOWN_TO_ALL = """
    password passwd passw0rd password1 password12 password123 password1234 secret secret123 secretkey
    mysecret mysecretpassword postgres postgresql postgrespassword mysql rootroot admin admin123 adminadmin
    administrator changeme changeit change-me changethis default example test1234 testing testtest
    test123 testpass testpassword test-password guest letmein welcome qwerty123 localhost minioadmin
    rabbitmq elastic development production undefined disabled required optional none null true false
"""
_DEFAULTS = frozenset(_KNOWN_TO_ALL.split())
_KINDS = (re.compile(r"[a-z]"), re.compile(r"[A-Z]"), re.compile(r"[0-9]"))
_RUN = re.compile(r"[A-Za-z0-9]{16,}")
_PLACE = re.compile(
    r"(?:~|\.{1,2}|/(?:home|etc|usr|var|run|tmp|opt|root|mnt|srv|dev|proc|data|work|workspace|app|secrets|Users"
    r"|private))/"
)
_WORD_LENGTH = 12
_FEWEST_CHARACTERS = 5


def is_placeholder(text: str) -> bool:
    """Whether a text only shows what a key would look like (`sk-...`, AWS's EXAMPLE keys), or is a mask."""
    if len(set(text)) < _FEWEST_CHARACTERS:
        return True
    if _STANDS_IN.search(text) or _STANDS_IN.search(text.lower()):
        return True
    return bool(_STANDS_IN_SLOWLY.search(text)) and len(set(text)) < len(text) // 2 + 4


def is_default(text: str) -> bool:
    """Whether a password is one that everybody knows, or that code puts in: `postgres`, `$PASSWORD`."""
    return text.casefold() in _DEFAULTS or text[:1] in "$<{%(" or "${" in text


def is_plain_word(text: str) -> bool:
    """Whether a text is so plain that it stands in other texts by chance: a short word, a number."""
    if text.casefold() in _DEFAULTS:
        return True
    return len(text) < _WORD_LENGTH and (
        text.isdigit() or (text.isalpha() and (text.islower() or text.isupper()))
    )


def is_place(text: str) -> bool:
    """Whether a text is the path of a file: variables that name a key file are no secret."""
    return bool(_PLACE.match(text))


def looks_random(text: str) -> bool:
    """Whether a text is made like a key: a long run of letters and digits with several digits in it."""
    return any(sum(map(str.isdigit, run)) >= 2 and not run.isdigit() for run in _RUN.findall(text))


def has_all_kinds(text: str) -> bool:
    """Whether a text has small letters, capitals and digits."""
    return all(kind.search(text) for kind in _KINDS)
