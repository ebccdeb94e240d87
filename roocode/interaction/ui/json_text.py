"""A JSON value as one line of text: pure."""

from __future__ import annotations

import json
from typing import Any

from roocode.interaction.ui.safe_text import spelled_out, well_formed


def one_line(value: Any) -> str:
    """The value without a line end, however one reads lines, and without what a terminal would obey.

    Control, bidirectional and unseen characters stand in it as escapes; lone surrogates become U+FFFD.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return spelled_out(well_formed(text))
