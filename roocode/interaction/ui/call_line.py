"""One line for a tool call, and text made safe for a terminal: pure."""

from __future__ import annotations

import json
import unicodedata

from roocode.protocol.messages import ToolCall

TELLING = ("command", "path", "pattern", "url", "name", "to", "taskId", "subject", "description", "query")
KEPT_CONTROLS = "\n\t"


def call_line(call: ToolCall, width: int = 100) -> str:
    """The tool's name and the argument that tells most, cut to `width` characters."""
    arguments = call.arguments or {}
    value = next((arguments[key] for key in TELLING if arguments.get(key)), None)
    if value is None:
        value = json.dumps(dict(arguments), ensure_ascii=False) if arguments else ""
    text = f"{call.name}({' '.join(visible(str(value)).split())})"
    return text if len(text) <= width else text[: width - 1] + "…"


def visible(text: str) -> str:
    """The text with control, bidirectional and zero-width characters shown as escapes."""
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character in KEPT_CONTROLS or character.isprintable():
        return character
    if unicodedata.category(character) in ("Zs",):
        return character
    return character.encode("unicode_escape").decode("ascii")
