"""Anthropic Messages as a dialect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from roocode.protocol.messages import Block, Message, Text, Thinking, ToolCall, ToolResult
from roocode.scripted import prefix
from roocode.scripted.answer import Answer
from roocode.scripted.anthropic import replies, strict
from roocode.scripted.asked import Asked, Sender, merged


class Anthropic:
    """Implements `Dialect` for `POST /v1/messages`."""

    name = "anthropic"
    history = "messages"

    def complaints(
        self, body: Mapping[str, Any], headers: Mapping[str, str], known: int = 0
    ) -> Iterator[str]:
        return strict.complaints(body, headers, known)

    def read(self, body: Mapping[str, Any], sender: Sender) -> Asked:
        return Asked(
            sender=sender,
            model=body.get("model", ""),
            system="\n\n".join(block["text"] for block in _blocks(body.get("system", ""))),
            messages=merged(_message(message) for message in body.get("messages", [])),
            offered=tuple(tool["name"] for tool in body.get("tools", [])),
            tool_choice=body.get("tool_choice", {}).get("type", "auto"),
            stream=bool(body.get("stream")),
        )

    def prompt(self, body: Mapping[str, Any]) -> bytes:
        tools = [prefix.unmarked(tool) for tool in body.get("tools", [])]
        system = [prefix.unmarked(block) for block in _blocks(body.get("system", ""))]
        return prefix.canonical(tools, system, [_plain(message) for message in body.get("messages", [])])

    def events(self, answer: Answer, *, usage: bool) -> list[bytes]:
        return replies.events(answer)

    def whole(self, answer: Answer) -> dict[str, Any]:
        return replies.whole(answer)

    def error(self, status: int, message: str, kind: str = "") -> dict[str, Any]:
        return replies.error(status, message, kind)

    def error_event(self, status: int, message: str, kind: str = "") -> bytes:
        return replies.error_event(status, message, kind)


def _plain(message: Mapping[str, Any]) -> list[object]:
    """A message's role and blocks, alike whether its text stands alone or in a marked block."""
    blocks = _blocks(message.get("content", ""))
    return [message.get("role"), *(prefix.unmarked(block) for block in blocks)]


def _blocks(content: Any) -> list[dict[str, Any]]:
    """Text alone is short for one text block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content)


def _message(message: Mapping[str, Any]) -> Message:
    role: Literal["user", "assistant"] = "assistant" if message.get("role") == "assistant" else "user"
    blocks = (_block(block) for block in _blocks(message.get("content", "")))
    return Message(role, tuple(block for block in blocks if block is not None))


def _block(block: Mapping[str, Any]) -> Block | None:
    """Images and other kinds have no words, so no condition can look at them."""
    match block.get("type"):
        case "text":
            return Text(block["text"])
        case "thinking":
            return Thinking(block["thinking"], block.get("signature"))
        case "tool_use":
            return ToolCall(block["id"], block["name"], block["input"])
        case "tool_result":
            content = block.get("content", "")
            text = "\n".join(part["text"] for part in _blocks(content) if part.get("type") == "text")
            return ToolResult(block["tool_use_id"], text, bool(block.get("is_error")))
        case _:
            return None
