"""/compact"""

from __future__ import annotations

from roocode.interaction.commands.slash import Slash
from roocode.protocol.commands import CompactNow

COMMAND = Slash("compact", "[focus]", "replaces old turns by a summary that keeps what you name", CompactNow)
