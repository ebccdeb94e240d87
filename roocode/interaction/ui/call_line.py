"""One line for a tool call: pure."""

from __future__ import annotations

import json

from roocode.interaction.ui.columns import cut
from roocode.interaction.ui.safe_text import visible
from roocode.protocol.messages import ToolCall

TELLING = ("command", "path", "pattern", "url", "name", "to", "taskId", "subject", "description", "query")


def call_line(call: ToolCall, width: int = 100) -> str:
    """The tool's name and the argument that tells most, cut to `width` columns."""
    return cut(f"{visible(call.name)}({' '.join(visible(_telling(call)).split())})", width)


def _telling(call: ToolCall) -> str:
    arguments = call.arguments
    if arguments is None:
        return call.raw
    value = next((arguments[key] for key in TELLING if arguments.get(key)), None)
    if value is None and len(arguments) == 1:
        ((key, only),) = arguments.items()
        value = f"{len(only)} {key}" if isinstance(only, list | tuple) else None
    if value is None:
        return json.dumps(dict(arguments), ensure_ascii=False) if arguments else ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
