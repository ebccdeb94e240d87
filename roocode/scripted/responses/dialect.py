"""OpenAI Responses as a dialect."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from roocode.protocol.messages import Block, Message, Text, Thinking, ToolCall, ToolResult
from roocode.scripted import prefix
from roocode.scripted.answer import Answer
from roocode.scripted.asked import Asked, Sender, merged
from roocode.scripted.openai import replies as chat
from roocode.scripted.responses import replies, strict

_CHOICES = {"auto": "auto", "none": "none", "required": "any"}


class OpenAIResponses:
    """Implements `Dialect` for `POST /v1/responses`.

    The protocol has no error flag: an output that begins with `Error:` is one.
    """

    name = "openai-responses"
    history = "input"

    def complaints(
        self, body: Mapping[str, Any], headers: Mapping[str, str], known: int = 0
    ) -> Iterator[str]:
        return strict.complaints(body, known)

    def read(self, body: Mapping[str, Any], sender: Sender) -> Asked:
        choice = body.get("tool_choice", "auto")
        return Asked(
            sender=sender,
            model=body.get("model", ""),
            system=body.get("instructions") or "",
            messages=merged(_message(item) for item in body.get("input", [])),
            offered=tuple(tool["name"] for tool in body.get("tools", [])),
            tool_choice=_CHOICES.get(choice, "auto") if isinstance(choice, str) else "tool",
            stream=bool(body.get("stream")),
        )

    def prompt(self, body: Mapping[str, Any]) -> bytes:
        system = [body["instructions"]] if body.get("instructions") else []
        return prefix.canonical(body.get("tools", []), system, body.get("input", []))

    def events(self, answer: Answer, *, usage: bool) -> list[bytes]:
        return replies.events(answer)

    def whole(self, answer: Answer) -> dict[str, Any]:
        return replies.whole(answer)

    def error(self, status: int, message: str, kind: str = "") -> dict[str, Any]:
        return chat.error(status, message, kind)

    def error_event(self, status: int, message: str, kind: str = "") -> bytes:
        return replies.error_event(status, message, kind)


def _message(item: Mapping[str, Any]) -> Message:
    """One item as a message; kinds without words give an empty one of the model's."""
    match item.get("type", "message"):
        case "function_call":
            return Message("assistant", (_call(item),))
        case "function_call_output":
            text = _text(item.get("output"))
            return Message("user", (ToolResult(item["call_id"], text, text.startswith("Error:")),))
        case "reasoning":
            words = "\n\n".join(part["text"] for part in item.get("summary") or item.get("content") or ())
            return Message("assistant", (Thinking(words, item.get("encrypted_content")),))
        case "message":
            words = _text(item.get("content"))
            said: tuple[Block, ...] = (Text(words),) if words else ()
            return Message("assistant" if item.get("role") == "assistant" else "user", said)
        case _:
            return Message("assistant", ())


def _call(item: Mapping[str, Any]) -> ToolCall:
    raw = item["arguments"]
    try:
        return ToolCall(item["call_id"], item["name"], json.loads(raw), raw)
    except json.JSONDecodeError as error:
        return ToolCall(item["call_id"], item["name"], None, raw, str(error))


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part["text"] for part in parts if isinstance(part.get("text"), str))
