"""/memory"""

from __future__ import annotations

from roocode.interaction.commands.slash import Slash
from roocode.protocol.commands import Memory


def _read(rest: str) -> Memory:
    word, _, name = rest.partition(" ")
    return Memory(forget=name.strip()) if word == "forget" else Memory()


COMMAND = Slash("memory", "[forget NAME]", "shows the notes that outlive a session, or forgets one", _read)
