"""An answer of the model, ready to be put on a wire, and what every wire protocol can do with it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from roocode.protocol.frozen import frozen
from roocode.protocol.messages import StopReason, Usage
from roocode.scripted.asked import Asked, Sender


@frozen
class Call:
    """A tool call; `arguments` is what goes over the wire, JSON or not."""

    id: str
    tool: str
    arguments: str


@frozen
class Answer:
    """A whole answer. `chunk` is the most characters of a delta; `interleave` mixes the calls' deltas."""

    id: str
    model: str
    stop: StopReason
    usage: Usage
    text: str = ""
    thinking: str = ""
    calls: tuple[Call, ...] = ()
    chunk: int = 64
    interleave: bool = False


class Dialect(Protocol):
    """One wire protocol. A body is the parsed JSON object of a request, `history` its member that grows."""

    name: str
    history: str

    def complaints(
        self, body: Mapping[str, Any], headers: Mapping[str, str], known: int = 0
    ) -> Iterator[str]:
        """What a strict provider refuses in this request; the first `known` messages were good before."""
        ...

    def read(self, body: Mapping[str, Any], sender: Sender) -> Asked:
        """The request as the scenario sees it."""
        ...

    def prompt(self, body: Mapping[str, Any]) -> bytes:
        """The canonical bytes of the prompt, see prefix.py."""
        ...

    def events(self, answer: Answer, *, usage: bool) -> list[bytes]:
        """The answer as server-sent events, each with its blank line; usage where it was asked for."""
        ...

    def whole(self, answer: Answer) -> dict[str, Any]:
        """The answer as the body of a response that does not stream."""
        ...

    def error(self, status: int, message: str, kind: str = "") -> dict[str, Any]:
        """The body of an error response; `kind` is the provider's own, by default the status's."""
        ...

    def error_event(self, status: int, message: str, kind: str = "") -> bytes:
        """An error in the middle of a stream."""
        ...


def chunked(text: str, size: int) -> list[str]:
    """The text in pieces of at most `size` characters; none where it is empty."""
    return [text[start : start + size] for start in range(0, len(text), size)]


def arguments(value: Mapping[str, Any]) -> str:
    """Arguments as models write them: JSON with a blank after comma and colon."""
    return json.dumps(value, ensure_ascii=False)


def data_line(value: Mapping[str, Any]) -> str:
    """The `data:` line of a server-sent event."""
    return "data: " + json.dumps(value, ensure_ascii=False, separators=(",", ":"))
