"""The fields of agent definitions, in all the shapes in which people write them. Pure.

What cannot be read is left out with a note, always to the narrower side: it never gives an agent more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, get_args

from roocode.protocol.decisions import MODES, Mode
from roocode.protocol.models import EFFORTS, Effort
from roocode.security.permissions.names import ALIASES, ELSEWHERE, TOOLS

INHERIT = "inherit"
_FAMILIES = {name.casefold(): name for name in (*TOOLS, *ALIASES)} | {"find": "Glob", "shell": "Bash"}
_MORE_EFFORT = {"minimal": "low", "xhigh": "high", "max": "high", "none": "off"}
_MODES = {mode.casefold(): mode for mode in MODES}


def snake(key: str) -> str:
    """`maxTurns` and `max-turns` as `max_turns`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key).replace("-", "_").lower()


def text(value: object) -> str:
    """A description in one piece: generators write its line ends as `\\n`."""
    return "" if value is None else str(value).replace("\\n", "\n").strip()


def tools(value: object, notes: list[str]) -> tuple[str, ...] | None:
    """A list of tools, our names, each once; None where it names all. Of a mapping, those set to false."""
    if value is None:
        return None
    if isinstance(value, Mapping):
        items = [str(name) for name, given in value.items() if given in (False, "deny")]
    elif isinstance(value, str):
        items = list(split(value))
    elif isinstance(value, list | tuple):
        items = [item for part in value for item in split(str(part))]
    else:
        notes.append("its list of tools is no list: it has none")
        return ()
    if "*" in items or "all" in items:
        return None
    named = [_tool(item) for item in items]
    if missing := sorted({item for item in named if not _is_tool(item)}):
        notes.append(f"there are no such tools here: {', '.join(missing)}")
    return tuple(dict.fromkeys(item for item in named if _is_tool(item)))


def split(listed: str) -> Iterator[str]:
    """The items of a list in one text, at commas and blanks outside parentheses."""
    item, depth = "", 0
    for character in f"{listed},":
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth <= 0 and (character == "," or character.isspace()):
            if item.strip("\"'`[]"):
                yield item.strip("\"'`[]")
            item = ""
        else:
            item += character


def _tool(item: str) -> str:
    """Our name for a tool, and its pattern as it stands."""
    name, opened, rest = item.partition("(")
    known = _FAMILIES.get(name.casefold(), name)
    return f"{ALIASES.get(known, known)}{opened}{rest}"


def _is_tool(item: str) -> bool:
    name = item.partition("(")[0]
    return name in TOOLS or name in ELSEWHERE or name.startswith("mcp__")


def model(value: object, notes: list[str]) -> str:
    """A model's name; `inherit` where none can be read."""
    if value is None or value == "":
        return INHERIT
    if not isinstance(value, str) or any(map(str.isspace, value.strip())):
        notes.append("its model is no name: it has its parent's")
        return INHERIT
    return value.strip()


def effort(value: object, notes: list[str]) -> Effort | None:
    """How hard it thinks."""
    if value is None:
        return None
    name = "off" if value is False else str(value).lower()
    name = _MORE_EFFORT.get(name, name)
    found = next((each for each in EFFORTS if each == name), None)
    if found is None:
        notes.append(f"its effort is none of {', '.join(EFFORTS)}")
    return found


def mode(value: object, notes: list[str]) -> Mode | None:
    """A permission mode."""
    if value is None:
        return None
    found = _MODES.get(str(value).casefold())
    if found is None:
        notes.append(f"its permissionMode is none of {', '.join(get_args(Mode))}")
    elif found in ("bypassPermissions", "acceptEdits"):
        notes.append(f"permissionMode {found} has effect only where its parent's is as wide")
    return found


def whole(name: str, value: Any, notes: list[str], most: int) -> int | None:
    """A whole number from 1."""
    if value is None:
        return None
    number = int(value) if isinstance(value, str) and value.isdecimal() else value
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        notes.append(f"`{name}` is no number from 1")
        return None
    return min(number, most)


def truth(name: str, value: object, notes: list[str]) -> bool:
    """True or false."""
    if isinstance(value, str) and value.lower() in ("true", "yes", "false", "no"):
        return value.lower() in ("true", "yes")
    if value not in (None, True, False):
        notes.append(f"`{name}` is neither true nor false")
    return value is True


def isolation(value: object, notes: list[str]) -> bool:
    """Whether it works in a worktree of its own."""
    if value not in (None, False, "worktree", "none", ""):
        notes.append("its isolation is not `worktree`: it works where its parent does")
    return value == "worktree"


def names(rules: Iterable[str]) -> frozenset[str]:
    """The tools that a list of rules is about."""
    return frozenset(rule.partition("(")[0] for rule in rules)
