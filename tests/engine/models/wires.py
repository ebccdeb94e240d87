"""Builds server-sent events, parsers and requests for the tests of this folder."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from roocode.engine.models.anthropic_stream import AnthropicParser
from roocode.engine.models.call_ids import CallIds
from roocode.engine.models.endpoint import Endpoint, WireName
from roocode.engine.models.failures import Failures
from roocode.engine.models.openai_responses_stream import ResponsesParser
from roocode.engine.models.openai_stream import ChatParser
from roocode.engine.models.reader import ResponseReader
from roocode.engine.models.wire import Parser
from roocode.protocol.messages import user
from roocode.protocol.models import ModelRequest, StreamEvent
from roocode.protocol.tools import ToolSpec

READ_FILE = ToolSpec(
    "ReadFile", "Reads a file.", {"type": "object", "properties": {"path": {"type": "string"}}}
)


def endpoint(protocol: WireName, base_url: str = "http://127.0.0.1:1", **more: Any) -> Endpoint:
    name = "ANTHROPIC_API_KEY" if protocol == "anthropic" else "OPENAI_API_KEY"
    return Endpoint(protocol, protocol, base_url, **{"api_key": "sk-very-secret", "key_name": name, **more})


def request(**more: Any) -> ModelRequest:
    return ModelRequest(
        **{"model": "m-1", "system": "Be brief.", "messages": (user("hi"),), "tools": (READ_FILE,), **more}
    )


def anthropic_sse(*payloads: dict[str, Any]) -> bytes:
    return b"".join(f"event: {p['type']}\ndata: {json.dumps(p)}\n\n".encode() for p in payloads)


def chat_sse(*chunks: dict[str, Any], done: bool = True) -> bytes:
    events = b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks)
    return events + (b"data: [DONE]\n\n" if done else b"")


def responses_sse(*payloads: dict[str, Any]) -> bytes:
    return anthropic_sse(*payloads)


def reader(protocol: WireName, taken: frozenset[str] = frozenset(), turn: int = 0) -> ResponseReader:
    failures = Failures(endpoint(protocol), "m-1")
    parser: Parser
    match protocol:
        case "anthropic":
            parser = AnthropicParser(failures)
        case "openai":
            parser = ChatParser(failures)
        case "openai-responses":
            parser = ResponsesParser(failures)
    return ResponseReader(parser, failures, CallIds(taken, turn), request_bytes=400)


def read(protocol: WireName, pieces: Iterable[bytes], **more: Any) -> list[StreamEvent]:
    """All events of a body that comes in these pieces."""
    source = reader(protocol, **more)
    events = [event for piece in pieces for event in source.feed(piece)]
    return events + list(source.end())
