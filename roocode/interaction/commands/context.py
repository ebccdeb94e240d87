"""/context"""

from __future__ import annotations

from roocode.interaction.commands.slash import Slash
from roocode.protocol.commands import ShowContext

COMMAND = Slash("context", "", "shows how full the model's window is, and with what", lambda _: ShowContext())
