"""/help"""

from __future__ import annotations

from roocode.interaction.commands.slash import Slash
from roocode.protocol.commands import ShowHelp

COMMAND = Slash("help", "", "shows these commands", lambda _: ShowHelp())
