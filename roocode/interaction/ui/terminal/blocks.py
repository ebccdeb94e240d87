"""What finished things look like in the scrollback: pure functions from events' parts to ANSI text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from roocode.interaction.ui.call_line import call_line
from roocode.interaction.ui.columns import columns, cut, wrapped
from roocode.interaction.ui.safe_text import prose, visible
from roocode.interaction.ui.terminal.styles import BOLD, CYAN, DIM, GREEN, RED, RESET, YELLOW
from roocode.protocol.messages import Message, ToolCall
from roocode.protocol.tools import ToolOutcome

_OF_SUBAGENT = re.compile(r'<(?:task-notification .*?agent|agent-message from)="([^"]*)"')
FOLDED_LINES = 3
MAIL_LINES = 6
DIFF_LINES = 40
NARROWEST = 20


def prompt(message: Message) -> str:
    """The person's words, and the mail of other agents folded; empty where there is neither."""
    text = prose(message.spoken).strip()
    lines = [f"{BOLD}{'  ' if i else '> '}{line}{RESET}" for i, line in enumerate(text.split("\n"))]
    shown = [*(lines if text else []), *_mail(message.letters)]
    return "\n".join(("", *shown)) if shown else ""


def call(tool_call: ToolCall, outcome: ToolOutcome, width: int, who: str = "") -> str:
    """A call with its result folded to a few lines, or its diff; no line is wider than `width` columns."""
    width = max(width, NARROWEST)
    who = f"{visible(who)} " if who else ""
    head = call_line(tool_call, width - 2 - columns(who))
    lines = [f"{CYAN}{who}{RESET}{RED if outcome.is_error else GREEN}●{RESET} {head}"]
    if outcome.shown:
        lines.append(diff(outcome.shown, width=width, limit=DIFF_LINES))
    else:
        lines.append(_folded(outcome.content, width))
    return "\n".join(lines)


def diff(text: str, *, width: int | None = None, limit: int | None = None) -> str:
    """A unified diff with colours; `limit` folds what is longer, `width` cuts what is wider."""
    lines = visible(text).split("\n")
    painted = [_paint(line if width is None else cut(line, width - 2)) for line in lines[:limit]]
    if len(lines) > len(painted):
        painted.append(f"{DIM}… +{len(lines) - len(painted)} lines{RESET}")
    return "\n".join(f"  {line}" for line in painted)


def notice(text: str, level: str, width: int | None = None) -> str:
    """A note, a warning or an error; a line that is wider than `width` goes on behind two blanks."""
    colour = {"warning": YELLOW, "error": RED}.get(level, DIM)
    lines = visible(text).split("\n")
    if width is not None:
        lines = [piece for line in lines for piece in _hanging(line, max(width, NARROWEST))]
    return "\n".join(f"{colour}{line}{RESET}" for line in lines)


def _hanging(line: str, width: int) -> list[str]:
    first, *rest = wrapped(line, width - 2) if columns(line) > width else [line]
    return [first, *(f"  {piece}" for piece in rest)]


def _mail(letters: str) -> list[str]:
    """What stands inside the frames, which are for the model."""
    lines = list(_inside_frames(visible(letters).split("\n")))
    folded = lines[:MAIL_LINES] + ([f"… +{len(lines) - MAIL_LINES} lines"] if len(lines) > MAIL_LINES else [])
    return [f"{DIM}{'  ' if i else '✉ '}{line}{RESET}" for i, line in enumerate(folded)]


def _inside_frames(lines: list[str]) -> Iterator[str]:
    """The lines without frames; of a sub-agent's who speaks, in place of what its word is worth."""
    rest = iter(lines)
    for line in rest:
        if speaker := _OF_SUBAGENT.match(line):
            next(rest, None)
            yield f"{speaker[1]}:"
        elif line.strip() and not line.startswith("<"):
            yield line


def _folded(content: str, width: int) -> str:
    lines = visible(content).strip("\n").split("\n")
    if lines == [""]:
        lines = ["(no output)"]
    shown = [cut(line, width - 4) for line in lines[:FOLDED_LINES]]
    if len(lines) > FOLDED_LINES:
        shown.append(f"… +{len(lines) - FOLDED_LINES} lines")
    return "\n".join(f"  {DIM}{' ' if index else '⎿'} {line}{RESET}" for index, line in enumerate(shown))


def _paint(line: str) -> str:
    if line.startswith(("+++", "---", "@@")):
        return f"{DIM}{line}{RESET}"
    if line.startswith("+"):
        return f"{GREEN}{line}{RESET}"
    if line.startswith("-"):
        return f"{RED}{line}{RESET}"
    return line
