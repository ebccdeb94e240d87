"""OpenAI Chat Completions as a dialect."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from roocode.protocol.messages import Block, Message, Text, ToolCall, ToolResult
from roocode.scripted import prefix
from roocode.scripted.answer import Answer
from roocode.scripted.asked import Asked, Sender, merged
from roocode.scripted.openai import replies, strict

_SYSTEM = ("system", "developer")


class OpenAIChat:
    """Implements `Dialect` for `POST /v1/chat/completions`.

    The protocol has no error flag: a result that begins with `Error:` is one.
    """

    name = "openai"
    history = "messages"

    def complaints(
        self, body: Mapping[str, Any], headers: Mapping[str, str], known: int = 0
    ) -> Iterator[str]:
        return strict.complaints(body, known)

    def read(self, body: Mapping[str, Any], sender: Sender) -> Asked:
        messages = body.get("messages", [])
        return Asked(
            sender=sender,
            model=body.get("model", ""),
            system="\n\n".join(_text(message) for message in messages if message.get("role") in _SYSTEM),
            messages=merged(_message(message) for message in messages if message.get("role") not in _SYSTEM),
            offered=tuple(tool["function"]["name"] for tool in body.get("tools", [])),
            tool_choice=_choice(body.get("tool_choice", "auto")),
            stream=bool(body.get("stream")),
            wants_usage=bool(body.get("stream_options", {}).get("include_usage")),
        )

    def prompt(self, body: Mapping[str, Any]) -> bytes:
        messages = body.get("messages", [])
        system = [message for message in messages if message.get("role") in _SYSTEM]
        rest = [message for message in messages if message.get("role") not in _SYSTEM]
        return prefix.canonical(body.get("tools", []), system, rest)

    def events(self, answer: Answer, *, usage: bool) -> list[bytes]:
        return replies.events(answer, usage=usage)

    def whole(self, answer: Answer) -> dict[str, Any]:
        return replies.whole(answer)

    def error(self, status: int, message: str, kind: str = "") -> dict[str, Any]:
        return replies.error(status, message, kind)

    def error_event(self, status: int, message: str, kind: str = "") -> bytes:
        return replies.error_event(status, message, kind)


def _choice(choice: object) -> str:
    """The kind of choice, in Anthropic's words."""
    return (
        {"auto": "auto", "none": "none", "required": "any"}.get(choice, "auto")
        if isinstance(choice, str)
        else "tool"
    )


def _message(message: Mapping[str, Any]) -> Message:
    text = _text(message)
    match message.get("role"):
        case "assistant":
            said: tuple[Block, ...] = (Text(text),) if text else ()
            return Message("assistant", said + tuple(_call(call) for call in message.get("tool_calls") or ()))
        case "tool":
            return Message("user", (ToolResult(message["tool_call_id"], text, text.startswith("Error:")),))
        case _:
            return Message("user", (Text(text),))


def _call(call: Mapping[str, Any]) -> ToolCall:
    function = call["function"]
    raw = function["arguments"]
    try:
        return ToolCall(call["id"], function["name"], json.loads(raw), raw)
    except json.JSONDecodeError as error:
        return ToolCall(call["id"], function["name"], None, raw, str(error))


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part.get("type") == "text")
