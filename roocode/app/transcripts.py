"""The transcripts of a team's agents: gone on with where there is one, begun where there is none."""

from __future__ import annotations

from pathlib import Path

from roocode.memory.sessions.conversation import Conversation
from roocode.memory.sessions.log import Header, records
from roocode.memory.sessions.replay import Replayed
from roocode.security.isolation.masking import Mask


def open_transcript(path: Path, header: Header, mask: Mask) -> tuple[Conversation, Replayed | None]:
    """The conversation in a file, and what it held; a new one under `header` where it holds no record.

    A process that is killed at its very beginning leaves a file without any.
    """
    if path.exists() and any(record is not None for record in records(path)):
        return Conversation.resume(path, mask)
    return Conversation.create(path, header, mask), None
