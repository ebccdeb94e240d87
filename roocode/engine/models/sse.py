"""Server-sent events out of bytes that arrive in any pieces.

The format is that of the HTML standard, section "Server-sent events", but an event that the end of the
stream leaves without its blank line still counts: servers cut there after a last event that is whole.
"""

from __future__ import annotations

from typing import NamedTuple

_BOM = b"\xef\xbb\xbf"
_COLON = ord(":")


class ServerSentEvent(NamedTuple):
    """One event: its name ("" without an `event:` line) and its data lines joined by line feeds."""

    name: str
    data: str


class EventDecoder:
    """Collects lines that end in LF, CR or CRLF into events; comments and unknown fields are passed over."""

    def __init__(self) -> None:
        self._partial: list[bytes] = []
        self._after_cr = False
        self._first = True
        self._name = b""
        self._data: list[bytes] = []

    def feed(self, piece: bytes) -> list[ServerSentEvent]:
        """The events that this piece completes."""
        if self._after_cr and piece:
            self._after_cr = False
            piece = piece.removeprefix(b"\n")
        if not piece:
            return []
        if b"\r" in piece:
            self._after_cr = piece.endswith(b"\r")
            piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if b"\n" not in piece:
            self._partial.append(piece)
            return []
        self._partial.append(piece)
        *lines, rest = b"".join(self._partial).split(b"\n")
        self._partial = [rest]
        return [event for line in lines if (event := self._line(line))]

    def close(self) -> list[ServerSentEvent]:
        """The event that the end of the stream left open, if there is one."""
        last = self._line(b"".join(self._partial)) or self._dispatch()
        self._partial = []
        return [last] if last else []

    def _line(self, line: bytes) -> ServerSentEvent | None:
        if self._first:
            self._first = False
            line = line.removeprefix(_BOM)
        if not line:
            return self._dispatch()
        if line[0] == _COLON:
            return None
        field, _, value = line.partition(b":")
        if field == b"data":
            self._data.append(value.removeprefix(b" "))
        elif field == b"event":
            self._name = value.removeprefix(b" ")
        return None

    def _dispatch(self) -> ServerSentEvent | None:
        name, data = self._name, self._data
        self._name, self._data = b"", []
        if not data:
            return None
        return ServerSentEvent(name.decode("utf-8", "replace"), b"\n".join(data).decode("utf-8", "replace"))
