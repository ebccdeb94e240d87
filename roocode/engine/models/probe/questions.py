"""The questions that an endpoint is asked: few and tiny, each with a purpose."""

from __future__ import annotations

from roocode.protocol.messages import Message, Reply, ToolResult, results, user
from roocode.protocol.tools import ToolSpec

SYSTEM = "You are being tested. Do exactly what is asked, briefly."
WORD = "amber"
CANARY_TOKENS = 6000

NOTE = ToolSpec(
    "note",
    "Notes a text.",
    {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
)
NOW = ToolSpec("now", "Tells the time. Takes no arguments.", {"type": "object", "properties": {}})
TOOLS = (NOTE, NOW)

HELLO = user(f"Reply with the one word: {WORD}")
CALL = user(
    'Call the tool `note` with the text "ok" and the tool `now`, both in this one answer. Write nothing else.'
)


def answered(reply: Reply) -> tuple[Message, Message]:
    """The answer with calls, and a result for each."""
    outcomes = [
        ToolResult(call.id, "12:00" if call.name == NOW.name else "noted") for call in reply.message.calls
    ]
    return reply.message, results(outcomes)


def canary() -> Message:
    """A word before 6,000 digits, each a token or two: a server that cuts its prompts misses the word."""
    filler = " ".join(str(number * 7 % 10) for number in range(CANARY_TOKENS))
    return user(
        f"The word is {WORD}. Skip these numbers: {filler}\nNow reply with the one word that I named."
    )
