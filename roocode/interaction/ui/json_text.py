"""A JSON value as one line of text: pure."""

from __future__ import annotations

import json
from typing import Any

from roocode.interaction.ui.safe_text import well_formed

LINE_ENDS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}
"""They may stand in a JSON string, but some readers end a line there."""


def one_line(value: Any) -> str:
    """The value without a line end, however one reads lines; lone surrogates become U+FFFD."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return well_formed(text).translate(LINE_ENDS)
