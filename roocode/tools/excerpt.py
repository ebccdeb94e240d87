"""The part of a command's output that a model gets to see, in bounded memory."""

from __future__ import annotations

from pathlib import Path

from roocode.protocol.frozen import frozen
from roocode.tools.clip import clip, printable

INLINE = 30_000
_BYTES_A_CHARACTER = 4
_BINARY_SHARE = 0.3
_CONTINUING, _LEADING, _LEADING_OF_3, _LEADING_OF_4 = 0x80, 0xC0, 0xE0, 0xF0


@frozen
class Excerpt:
    """Text of an output; `whole` tells whether nothing is left out."""

    text: str
    whole: bool


def excerpt(path: Path, start: int = 0, end: int | None = None, limit: int = INLINE) -> Excerpt:
    """The output from byte `start` to `end`: all of it, or its head and tail with the file's path between."""
    room = limit * _BYTES_A_CHARACTER // 2
    with path.open("rb") as stream:
        size = (stream.seek(0, 2) if end is None else end) - start
        stream.seek(start)
        head = stream.read(size if size <= 2 * room else room)
        tail = b""
        if size > 2 * room:
            stream.seek(start + size - room)
            tail = stream.read(room)
    if _is_binary(head):
        return Excerpt(f"(binary output, {size:,} bytes: {path})", whole=False)
    first, last = (printable(part.decode(errors="replace")) for part in (head, tail))
    text = clip(first, last, max(0, size - len(head) - len(tail)), limit, str(path))
    return Excerpt(text.strip("\n"), whole=not tail and len(first) <= limit)


def whole_characters(path: Path, end: int) -> int:
    """The last byte before `end` at which no UTF-8 character is cut, for an output that still grows."""
    with path.open("rb") as stream:
        stream.seek(max(0, end - _BYTES_A_CHARACTER))
        last = stream.read(min(end, _BYTES_A_CHARACTER))
    for back in range(1, len(last) + 1):
        byte = last[-back]
        if byte >= _LEADING:
            needed = 2 + (byte >= _LEADING_OF_3) + (byte >= _LEADING_OF_4)
            return end - back if needed > back else end
        if byte < _CONTINUING:
            break
    return end


def _is_binary(data: bytes) -> bool:
    if b"\0" in data:
        return True
    lost = data.decode(errors="replace").count("�") - data.count("�".encode())
    return lost > _BINARY_SHARE * len(data)
