"""A conversation as a Markdown document: pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from roocode.memory.sessions.replay import Replayed
from roocode.protocol.messages import Message, Text, ToolCall


def markdown(past: Replayed, title: str) -> str:
    """The whole conversation: words, calls with their input, and results; reasoning is left out."""
    header = past.header
    facts = f"Session `{header.id}` with {header.model} in `{header.cwd}`, begun {header.created_at}."
    return "\n\n".join((f"# {title or 'Session'}", facts, *_sections(past.messages)))


def _sections(messages: Sequence[Message]) -> Iterator[str]:
    names = {call.id: call.name for message in messages for call in message.calls}
    for message in messages:
        for result in message.results:
            failed = ", an error" if result.is_error else ""
            name = names.get(result.call_id, "a call")
            yield f"Result of {name}{failed}:\n\n{fenced(result.content)}"
        if message.role == "user":
            if message.spoken:
                yield f"## Person\n\n{message.spoken}"
            continue
        yield "## RooCode"
        for block in message.blocks:
            if isinstance(block, Text):
                yield block.text
            elif isinstance(block, ToolCall):
                yield _call(block)


def _call(call: ToolCall) -> str:
    if call.arguments is None:
        return f"**{call.name}**, with an input that cannot be read:\n\n{fenced(call.raw)}"
    arguments = json.dumps(dict(call.arguments), indent=2, ensure_ascii=False)
    return f"**{call.name}**\n\n{fenced(arguments, 'json')}"


def fenced(text: str, language: str = "") -> str:
    """The text as a block of code, behind a fence that is longer than any in it."""
    fence = "`" * max((len(run) + 1 for run in re.findall(r"`{3,}", text)), default=3)
    return f"{fence}{language}\n{text}\n{fence}"
