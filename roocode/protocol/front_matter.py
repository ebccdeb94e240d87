"""Splits a Markdown file into front matter and body, and reads the front matter as people write it.

Skills, agents and commands are written by hand, for programs that were never strict: one in thirty is no
valid YAML. What one key spoils costs that key's structure, never the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from textwrap import dedent
from typing import Any

from roocode.protocol.frozen import frozen

LONGEST = 64 * 1024
"""Characters of front matter; the longest of 7,800 real files has a tenth of it."""

_TOP_KEY = re.compile(r"([A-Za-z_$][\w.$-]*)[ \t]*:(?:[ \t]+(.*)|[ \t]*)")
_SIMPLE = re.compile(r"([A-Za-z][\w-]*): ([1-9]\d{0,8}|[A-Za-z](?:[^:#]*[^:# ])?)")
_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "y", "n", "null"})
"""Words that YAML may take for something else than themselves."""
_UNCLOSED = re.compile(r"---[ \t]*\n[A-Za-z_$][\w.$-]*[ \t]*:")


@frozen
class FrontMatter:
    """What stands at the head of a file, and its body.

    `slips` name the keys that are no valid YAML and were taken as plain text. `error` says why nothing could
    be read of a head that is there.
    """

    fields: Mapping[str, Any] = field(default_factory=dict)
    body: str = ""
    slips: tuple[str, ...] = ()
    error: str = ""


def split(text: str) -> tuple[str, str]:
    """Returns (front matter without its fences, body); the first is empty where there is none.

    Byte order marks, CRLF or CR endings, blanks behind the fences and blank lines before a key do not hide
    them.
    """
    text = text.lstrip("\ufeff").replace("\r\n", "\n")
    text = text if "\n" in text else text.replace("\r", "\n")
    if _UNCLOSED.match(below := text.lstrip()):
        text = below
    opening = re.match(r"---[ \t]*\n", text)
    if opening is None:
        return "", text
    closing = re.compile(r"^---[ \t]*$\n?", re.MULTILINE).search(text, opening.end())
    if closing is None:
        return "", text
    return text[opening.end() : closing.start()].removesuffix("\n"), text[closing.end() :].lstrip("\n")


def read(text: str) -> FrontMatter:
    """Reads a whole file; raises nothing."""
    head, body = split(text)
    if not head:
        return FrontMatter(
            {}, body, error="its front matter has no closing ---" if _UNCLOSED.match(body) else ""
        )
    if len(head) > LONGEST:
        return FrontMatter({}, body, error=f"its front matter is longer than {LONGEST:,} characters")
    whole = _mapping(head)
    if whole is not None:
        return FrontMatter(whole, body)
    fields: dict[str, Any] = {}
    slips: list[str] = []
    for key, lines in _entries(dedent(head)):
        value = _mapping("\n".join(lines))
        if value is None:
            slips.append(key)
            fields[key] = _plain(lines)
        else:
            fields |= value
    return FrontMatter(
        fields, body, tuple(slips), "" if fields else "its front matter is not `key: value` lines"
    )


def simple(text: str) -> dict[str, str | bool | int] | None:
    """The mapping in a YAML text of `key: words or number` lines alone, None for any other: needs no parser.

    Files that ship are written so, and a run that reads no others does not pay for one.
    """
    fields: dict[str, str | bool | int] = {}
    for line in text.split("\n"):
        match = _SIMPLE.fullmatch(line)
        if match is None or not line.isprintable() or match[1].lower() in _WORDS:
            return None
        word = match[2].lower()
        if word in _WORDS and match[2] not in ("true", "false"):
            return None
        fields[match[1]] = word == "true" if word in _WORDS else int(word) if word.isdecimal() else match[2]
    return fields


def _mapping(text: str) -> dict[str, Any] | None:
    """The mapping in a YAML text; None where it is none, or uses anchors, which can unfold without bound."""
    if (plain := simple(text)) is not None:
        return dict(plain)
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        if any(
            isinstance(token, yaml.AliasToken | yaml.TagToken) for token in yaml.scan(text, Loader=loader)
        ):
            return None
        value = yaml.load(text, Loader=loader)  # noqa: S506 # a safe loader
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return {str(key): each for key, each in value.items()} if isinstance(value, dict) else None


def _entries(head: str) -> Iterator[tuple[str, list[str]]]:
    """Each top-level key with its lines; what stands before the first key belongs to none."""
    key, lines = "", list[str]()
    for line in head.split("\n"):
        match = _TOP_KEY.fullmatch(line)
        if match is None:
            lines.append(line)
            continue
        if key:
            yield key, lines
        key, lines = match[1], [line]
    if key:
        yield key, lines


def _plain(lines: list[str]) -> str:
    """The text behind a key, with the lines below it, without quotes around it and without block marks."""
    match = _TOP_KEY.fullmatch(lines[0])
    first = (match[2] or "").strip() if match is not None else ""
    rest = [line.strip() for line in lines[1:]]
    text = "\n".join(rest if first in ("|", ">", "|-", ">-", "|+", ">+") else [first, *rest]).strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" and text[0] not in text[1:-1]:
        return text[1:-1]
    return text
