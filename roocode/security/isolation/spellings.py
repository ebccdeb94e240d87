"""The ways in which a known secret can stand in a text: as it is, escaped, and as base64. Pure."""

from __future__ import annotations

from collections.abc import Iterator

_SHORTEST_ENCODED = 12
_SHORTEST_LINE = 16


def spellings(value: str) -> tuple[str, ...]:
    """All spellings of a value, the longest first; also of each long line where it has several."""
    lines = [line.strip() for line in value.splitlines()]
    parts = {
        value,
        value.strip(),
        *(line for line in lines if len(lines) > 1 and len(line) >= _SHORTEST_LINE),
    }
    found = {spelled for part in parts for spelled in _spelled(part)}
    return tuple(sorted(found, key=lambda text: (-len(text), text)))


def _spelled(value: str) -> Iterator[str]:
    import json
    from urllib.parse import quote, quote_plus

    yield value
    if not value.isalnum():
        yield json.dumps(value)[1:-1]
        yield json.dumps(value, ensure_ascii=False)[1:-1]
        yield repr(value)[1:-1]
        if value.isprintable():
            yield quote(value, safe="")
            yield quote(value)
            yield quote_plus(value)
            yield value.replace("'", "'\"'\"'")
            yield value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    yield from _in_base64(value)


def _in_base64(value: str) -> Iterator[str]:
    """What base64 makes of the value wherever it begins: the characters that its neighbours do not change."""
    from base64 import b64encode

    data = value.encode("utf-8", "surrogatepass")
    for before, torn in ((0, 0), (1, 2), (2, 3)):
        whole = (before + len(data)) * 8 // 6
        text = b64encode(b"\0" * before + data).decode()[torn:whole]
        if len(text) >= _SHORTEST_ENCODED:
            yield text
            yield text.replace("+", "-").replace("/", "_")
