"""Request bodies in bytes: what never changes is encoded once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

from roocode.protocol.messages import Message

T = TypeVar("T")

_KEPT_MESSAGES = 4096


def encode_json(value: Any) -> bytes:
    """Compact UTF-8 JSON; half a surrogate pair, which UTF-8 cannot hold, becomes a question mark."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=dict)
    return text.encode("utf-8", "replace")


def encode_object(members: Iterable[tuple[str, bytes | list[bytes]]]) -> bytes:
    """A JSON object out of names and values that are encoded already, in this order; a list is an array.

    Empty items of an array vanish. A long history is copied once only.
    """
    parts = [b"{"]
    for name, value in members:
        parts += (encode_json(name), b":")
        if isinstance(value, bytes):
            parts.append(value)
        else:
            parts += (b"[", *_separated(value), b"]")
        parts.append(b",")
    parts[-1] = b"}"
    return b"".join(parts)


def _separated(items: list[bytes]) -> Iterator[bytes]:
    separator = b""
    for item in items:
        if item:
            yield separator
            yield item
            separator = b","


class Once(Generic[T]):
    """Encodes a value anew only when it is another one than last time."""

    def __init__(self, encode: Callable[[T], bytes]) -> None:
        self._encode = encode
        self._last: tuple[T, bytes] | None = None

    def __call__(self, value: T) -> bytes:
        """The bytes of this value."""
        if self._last is None or (self._last[0] is not value and self._last[0] != value):
            self._last = (value, self._encode(value))
        return self._last[1]


class MessageBytes:
    """Encodes each message once: messages never change, so a turn costs what it adds.

    `call_ids` holds the id of every call that was ever encoded.
    """

    def __init__(self, encode: Callable[[Message], bytes]) -> None:
        self._encode = encode
        self._known: dict[int, tuple[Message, bytes]] = {}
        self.call_ids: set[str] = set()

    def __call__(self, messages: tuple[Message, ...]) -> list[bytes]:
        """The bytes of each message, in order."""
        known = self._known
        encoded = [
            found[1] if (found := known.get(id(message))) else self._new(message) for message in messages
        ]
        if len(self._known) > max(_KEPT_MESSAGES, 4 * len(messages)):
            self._known = {id(message): self._known[id(message)] for message in messages}
        return encoded

    def forget(self) -> None:
        """Encodes every message anew from now on: the endpoint wants another form."""
        self._known = {}

    def _new(self, message: Message) -> bytes:
        encoded = self._encode(message)
        self._known[id(message)] = (message, encoded)
        self.call_ids.update(call.id for call in message.calls)
        return encoded
