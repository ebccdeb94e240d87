"""Messages as JSON values and back: the shape of the records in a session's log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never, cast, get_args

from roocode.protocol.messages import (
    BREAKS,
    Block,
    Message,
    Reply,
    StopReason,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)


def block_to_json(block: Block) -> dict[str, Any]:
    """One block as a JSON object with a `type`."""
    match block:
        case Text(text):
            return {"type": "text", "text": text}
        case Thinking(text, signature, redacted, origin):
            thinking = {"type": "thinking", "text": text, "signature": signature, "redacted": redacted}
            return thinking | ({"origin": origin} if origin else {})
        case ToolCall():
            call: dict[str, Any] = {"type": "call", "id": block.id, "name": block.name}
            if block.arguments is None:
                return call | {"arguments": None, "raw": block.raw, "complaint": block.complaint}
            return call | {"arguments": dict(block.arguments)}
        case ToolResult(call_id, content, is_error):
            return {"type": "result", "callId": call_id, "content": content, "isError": is_error}
        case _:
            assert_never(block)


def block_from_json(value: dict[str, Any]) -> Block:
    """The inverse of `block_to_json`. Raises KeyError, TypeError or ValueError on a foreign shape."""
    match value["type"]:
        case "text":
            return Text(str(value["text"]))
        case "thinking":
            return Thinking(
                str(value["text"]),
                _optional(value.get("signature")),
                bool(value.get("redacted")),
                str(value.get("origin", "")),
            )
        case "call":
            return ToolCall(
                str(value["id"]),
                str(value["name"]),
                _arguments(value["arguments"]),
                str(value.get("raw", "")),
                str(value.get("complaint", "")),
            )
        case "result":
            return ToolResult(str(value["callId"]), str(value["content"]), bool(value["isError"]))
        case other:
            raise ValueError(f"unknown block type {other!r}")


def _arguments(value: Any) -> Mapping[str, Any] | None:
    if value is not None and not isinstance(value, dict):
        raise ValueError("the arguments of a call are no object")
    return value


def _optional(value: Any) -> str | None:
    return None if value is None else str(value)


def message_to_json(message: Message) -> dict[str, Any]:
    """One message as a JSON object."""
    return {"role": message.role, "blocks": [block_to_json(block) for block in message.blocks]}


def message_from_json(value: dict[str, Any]) -> Message:
    """The inverse of `message_to_json`. Raises KeyError, TypeError or ValueError on a foreign shape."""
    role = value["role"]
    if role not in ("user", "assistant"):
        raise ValueError(f"unknown role {role!r}")
    return Message(role, tuple(block_from_json(block) for block in value["blocks"]))


def usage_to_json(usage: Usage) -> dict[str, Any]:
    """Token counts under the names that the log uses."""
    return {
        "input": usage.input_tokens,
        "output": usage.output_tokens,
        "cacheRead": usage.cache_read_tokens,
        "cacheWrite": usage.cache_write_tokens,
        "estimated": usage.estimated,
    }


def usage_from_json(value: dict[str, Any]) -> Usage:
    """The inverse of `usage_to_json`."""
    return Usage(
        int(value["input"]),
        int(value["output"]),
        int(value["cacheRead"]),
        int(value["cacheWrite"]),
        bool(value.get("estimated")),
    )


def reply_to_json(reply: Reply) -> dict[str, Any]:
    """A reply with its message, stop reason, usage and model."""
    return {
        "message": message_to_json(reply.message),
        "stop": reply.stop,
        "usage": usage_to_json(reply.usage),
        "model": reply.model,
    } | {name: value for name, value in (("by", reply.by), ("breaks", list(reply.breaks))) if value}


def reply_from_json(value: dict[str, Any]) -> Reply:
    """The inverse of `reply_to_json`. Raises KeyError, TypeError or ValueError on a foreign shape."""
    return Reply(
        message_from_json(value["message"]),
        _stop(value["stop"]),
        usage_from_json(value["usage"]),
        str(value.get("model", "")),
        str(value.get("by", "")),
        tuple(name for name in BREAKS if name in value.get("breaks", ())),
    )


def seen_from_json(value: Any) -> dict[str, Mapping[str, Any]]:
    """What was known of each file, by its path. Raises TypeError or ValueError on a foreign shape."""
    return {str(path): dict(sight) for path, sight in dict(value).items()}


def skills_from_json(value: Any) -> tuple[Mapping[str, Any], ...]:
    """The fields of loaded skills. Raises KeyError or TypeError for what is none."""
    return tuple({name: record[name] for name in ("name", "text", "allowed")} for record in value)


def _stop(value: Any) -> StopReason:
    if value not in get_args(StopReason):
        raise ValueError(f"unknown stop reason {value!r}")
    return cast(StopReason, value)
