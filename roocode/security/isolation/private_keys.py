"""Blocks of private keys as PEM, OpenSSH and PGP write them, whole or cut off: pure, in linear time."""

from __future__ import annotations

import re
import string

from roocode.security.isolation.shapes import Hide

BEGIN = "-----BEGIN"
END = "-----END"
DASHES = "-----"
LONGEST = 32 * 1024
"""Characters between a key's two marks."""
_KIND = "private key"
_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_LONGEST_LINE = 400
_LONGEST_MARK = 80
_SHORTEST_LINE = 16
_OF_BASE64 = string.ascii_letters + string.digits + "+/="
_BODY = re.compile(r"[A-Za-z0-9+/]{20}")
_HEADER = re.compile(r"[^\n]{0,40}(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash): ")
_LAST = re.compile(r"\s*(?:\d+\s)?\s*[A-Za-z0-9+/=]{4,16}")
_ESCAPED = re.compile(r"(?:\\{1,2}[nr]|[A-Za-z0-9+/=])*+")


def without_private_keys(text: str, hide: Hide) -> str:
    """The text with each private key hidden, its marks included; marks without a key between them stay."""
    if "PRIVATE KEY" not in text:
        return text
    pieces: list[str] = []
    end = next_end = 0
    for begin in _BEGIN.finditer(text):
        if begin.start() < end:
            continue
        if 0 <= next_end < begin.end():
            next_end = text.find(END, begin.end())
        stop = _behind(text, next_end) if 0 <= next_end - begin.end() <= LONGEST else _torn(text, begin.end())
        if not _BODY.search(text, begin.end(), stop):
            continue
        pieces += [text[end : begin.start()], hide(_KIND, text[begin.end() : stop])]
        end = stop
    return "".join([*pieces, text[end:]]) if pieces else text


def _behind(text: str, mark: int) -> int:
    """Where the closing mark ends."""
    dashes = text.find(DASHES, mark + len(END), mark + _LONGEST_MARK)
    return dashes + len(DASHES) if dashes >= 0 else mark


def _torn(text: str, start: int) -> int:
    """Where a key without a closing mark ends: behind the last line that looks like a part of one.

    Before its part of the key, a line may have what a tool puts there: a number, a file's name.
    """
    stop = start
    while stop - start < LONGEST and text[stop : stop + 1] in ("\n", "\r"):
        newline = text.find("\n", stop + 1, stop + _LONGEST_LINE)
        end = newline if newline >= 0 else min(len(text), stop + _LONGEST_LINE)
        line = text[stop + 1 : end].rstrip("\r\"',")
        part = len(line) - len(line.rstrip(_OF_BASE64))
        if part < _SHORTEST_LINE and line.strip() and not (_LAST.fullmatch(line) or _HEADER.match(line)):
            break
        stop = end
    if stop == start and (found := _ESCAPED.match(text, start)):
        stop = found.end()
    return stop
