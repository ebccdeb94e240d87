"""What a person has approved for the session: single calls, byte for byte, never a tool."""

from __future__ import annotations

import hashlib
import json

from roocode.protocol.messages import Arguments


def digest(tool: str, arguments: Arguments, cwd: str) -> str:
    """Names one call exactly: its tool, whole input and directory. A hexadecimal SHA-256."""
    exact = json.dumps([tool, dict(arguments), cwd], sort_keys=True, ensure_ascii=True, default=repr)
    return hashlib.sha256(exact.encode()).hexdigest()


class Grants:
    """The calls that a person has approved for the rest of this session."""

    def __init__(self) -> None:
        self._digests: set[str] = set()

    def add(self, exact: str) -> None:
        """Approves repeats of the call with this digest."""
        self._digests.add(exact)

    def holds(self, exact: str) -> bool:
        """Whether the call with this digest was approved."""
        return exact in self._digests
