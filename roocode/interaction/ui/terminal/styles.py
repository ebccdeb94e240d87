"""The styles of the chat as escape sequences, and text without any: pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

BOLD, DIM, REVERSE = "\x1b[1m", "\x1b[2m", "\x1b[7m"
RED, GREEN, YELLOW, CYAN = "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m"
RESET = "\x1b[0m"

_STYLES = re.compile(r"\x1b\[[0-9;]*m")
_BLANKS_AT_END = re.compile(r"(?:\x1b\[[0-9;]*m| )+$")


def wants_styles(env: Mapping[str, str]) -> bool:
    """Whether the person wants them: no with NO_COLOR (no-color.org) or on a dumb terminal."""
    return not env.get("NO_COLOR") and env.get("TERM", "") not in ("", "dumb")


def unstyled(text: str) -> str:
    """The text without colours and weights."""
    return _STYLES.sub("", text)


def trimmed(line: str) -> str:
    """The line without blanks at its end; its styles still end where they ended."""
    return _BLANKS_AT_END.sub(lambda end: end.group().replace(" ", ""), line)
