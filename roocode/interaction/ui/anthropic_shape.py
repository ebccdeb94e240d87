"""Messages in the shape that stream-json clients of this family read: Anthropic's."""

from __future__ import annotations

from typing import Any, assert_never

from roocode.protocol.messages import Block, Reply, Text, Thinking, ToolCall, ToolResult, Usage

STOP_REASONS = {
    "end": "end_turn",
    "tools": "tool_use",
    "max_tokens": "max_tokens",
    "refusal": "refusal",
    "stop_sequence": "stop_sequence",
    "pause": "pause_turn",
    "window": "model_context_window_exceeded",
}


def block(value: Block) -> dict[str, Any]:
    """One content block."""
    match value:
        case Text(text):
            return {"type": "text", "text": text}
        case Thinking(text, signature, redacted, _):
            if redacted:
                return {"type": "redacted_thinking", "data": text}
            return {"type": "thinking", "thinking": text, "signature": signature or ""}
        case ToolCall():
            arguments = {} if value.arguments is None else dict(value.arguments)
            return {"type": "tool_use", "id": value.id, "name": value.name, "input": arguments}
        case ToolResult():
            return result(value.call_id, value.content, is_error=value.is_error)
        case _:
            assert_never(value)


def result(call_id: str, content: str, *, is_error: bool) -> dict[str, Any]:
    """The result of a call."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": is_error}


def usage(value: Usage) -> dict[str, int]:
    """Token counts under Anthropic's names."""
    return {
        "input_tokens": value.input_tokens,
        "output_tokens": value.output_tokens,
        "cache_creation_input_tokens": value.cache_write_tokens,
        "cache_read_input_tokens": value.cache_read_tokens,
    }


def reply(value: Reply) -> dict[str, Any]:
    """A whole answer as a Message object."""
    return {
        "type": "message",
        "role": "assistant",
        "model": value.model,
        "content": [block(part) for part in value.message.blocks],
        "stop_reason": STOP_REASONS[value.stop],
        "usage": usage(value.usage),
    }
