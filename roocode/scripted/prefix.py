"""How much of a prompt a provider could take from its cache: the measure behind `prefix_share`.

A prompt's canonical bytes are its tools, then its system prompt, then its messages, in the order in
which providers hash them; each tool, system block and message block is one line of JSON in the client's
own key order, without `cache_control`. Appending a block or message therefore leaves all bytes before
it as they are, and any other change shortens the common prefix.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


def canonical(parts: Iterable[object]) -> bytes:
    """The parts of a prompt as lines of JSON, without their `cache_control`."""
    lines = [_encode(_unmarked(part)) for part in parts]
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")


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


def _unmarked(part: object) -> object:
    if isinstance(part, dict) and "cache_control" in part:
        return {key: value for key, value in part.items() if key != "cache_control"}
    return part
