"""/rewind"""

from __future__ import annotations

from roocode.interaction.commands.slash import Slash
from roocode.protocol.commands import REWIND_PARTS, Rewind


def _read(rest: str) -> Rewind:
    number, *parts = rest.split() or [""]
    if not number:
        return Rewind()
    if number.isdecimal() and len(parts) <= 1 and set(parts) <= set(REWIND_PARTS):
        return Rewind(int(number[:9]), next((part for part in REWIND_PARTS if part in parts), "both"))
    return Rewind(unclear=rest)


COMMAND = Slash(
    "rewind",
    "[N [code|conversation|both]]",
    "shows the prompts, or takes back all that came of one and after it",
    _read,
)
