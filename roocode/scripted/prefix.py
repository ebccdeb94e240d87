"""How much of a prompt a provider could take from its cache: the measure behind `prefix_share`.

A prompt's canonical bytes are its tools, then its system prompt, then its messages, in the order in
which providers hash them, as JSON in the client's own key order, without `cache_control`. Each of the three
is an array without its closing bracket, so that appending a message leaves all bytes before it as they
are, and any other change shortens the common prefix. JSON has no bare line ends: they part the three.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal, TypeAlias

Break: TypeAlias = Literal["", "discovery", "tools", "system", "history"]

_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, check_circular=False).encode


def canonical(*parts: Sequence[object]) -> bytes:
    """The arrays of a prompt, in order, as bytes."""
    return "\n".join([_encode(part)[:-1] for part in parts]).encode("utf-8", "surrogatepass")


_CLOSING = b'"]}'
"""What ends a message: it goes on where words are added to the last one, which costs no cache."""


def continues(before: bytes, after: bytes) -> bool:
    """Whether a prompt begins with all of another one, but for what closes its last message."""
    return after.startswith(before.rstrip(_CLOSING))


def unmarked(block: object) -> object:
    """A block without its `cache_control`."""
    if isinstance(block, dict) and "cache_control" in block:
        return {key: value for key, value in block.items() if key != "cache_control"}
    return block


def common(first: bytes, second: bytes) -> int:
    """The length of the longest common prefix, in bytes."""
    low, high = 0, min(len(first), len(second))
    if first[:high] == second[:high]:
        return high
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def broken(before: bytes, after: bytes) -> Break:
    """What broke the prefix between two canonical prompts: "discovery" where tools were only appended.

    Else the first part that changed; empty where nothing did.
    """
    (tools, system, history), (new_tools, new_system, new_history) = before.split(b"\n"), after.split(b"\n")
    appended = new_tools.startswith(tools) and (tools == b"[" or new_tools[len(tools) :][:1] in (b"", b","))
    if not appended:
        return "tools"
    if new_system != system:
        return "system"
    if not new_history.startswith(history):
        return "history"
    return "" if new_tools == tools else "discovery"
