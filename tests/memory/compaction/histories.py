"""Random histories as a loop makes them, and what a provider demands of one."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from roocode.memory.sessions.pairing import paired
from roocode.protocol.messages import Block, Message, Text, Thinking, ToolCall, ToolResult

NAMES = ("ReadFile", "Grep", "Bash", "EditFile")


def history(rounds: int, size: int = 100, per_prompt: int = 3) -> tuple[Message, ...]:
    """So many rounds of call and result, each result `size` characters; a prompt has three of them."""
    messages: list[Message] = []
    for number in range(rounds):
        if number % per_prompt == 0:
            messages.append(Message("user", (Text(f"prompt {number}"),)))
        call = ToolCall(f"c{number}", "ReadFile", {"path": f"f{number}"})
        messages.append(Message("assistant", (Text(f"answer {number}"), call)))
        messages.append(Message("user", (ToolResult(call.id, f"{number} " + "x" * size),)))
        if number % per_prompt == per_prompt - 1:
            messages.append(Message("assistant", (Text(f"done with {number}"),)))
    return tuple(messages)


@st.composite
def histories(draw: st.DrawFn) -> tuple[Message, ...]:
    """Prompts, answers with calls, and all their results."""
    messages: list[Message] = []
    words = st.text(st.sampled_from("ab 漢字\n🙂"), min_size=1, max_size=200)
    for number in range(draw(st.integers(1, 12))):
        if not messages or messages[-1].role == "assistant" or draw(st.booleans()):
            messages.append(Message("user", (Text(draw(words)),)))
        blocks: list[Block] = [Thinking("hm", "signed")] if draw(st.booleans()) else []
        blocks.append(Text(draw(words)))
        calls = draw(st.integers(0, 3))
        names = st.sampled_from(NAMES)
        blocks.extend(
            ToolCall(f"{number}-{each}", draw(names), {"path": draw(words)}) for each in range(calls)
        )
        messages.append(Message("assistant", tuple(blocks)))
        if calls:
            results = (
                ToolResult(f"{number}-{each}", draw(words) * draw(st.integers(1, 20)))
                for each in range(calls)
            )
            messages.append(Message("user", tuple(results)))
    return paired(messages)


def flaws(messages: Sequence[Message]) -> list[str]:
    """What a strict provider would refuse of a history."""
    found = [] if messages and messages[0].role == "user" else ["it does not begin with the person"]
    open_calls: tuple[str, ...] = ()
    for index, message in enumerate(messages):
        if index and message.role == messages[index - 1].role:
            found.append(f"{index}: two messages of {message.role}")
        if not message.blocks:
            found.append(f"{index}: nothing in it")
        given = tuple(result.call_id for result in message.results)
        if message.role == "user" and given != open_calls:
            found.append(f"{index}: results {given} for calls {open_calls}")
        open_calls = tuple(call.id for call in message.calls)
    if open_calls:
        found.append("the last calls have no result")
    return found
