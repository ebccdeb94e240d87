"""What finished things look like in the scrollback: pure functions from events' parts to ANSI text."""

from __future__ import annotations

from roocode.interaction.ui.call_line import call_line, visible
from roocode.protocol.messages import Message, Text, ToolCall
from roocode.protocol.tools import ToolOutcome

BOLD, DIM, RED, GREEN, YELLOW, CYAN, RESET = (
    "\x1b[1m",
    "\x1b[2m",
    "\x1b[31m",
    "\x1b[32m",
    "\x1b[33m",
    "\x1b[36m",
    "\x1b[0m",
)
FOLDED_LINES = 3
DIFF_LINES = 40
LINE_WIDTH = 160


def prompt(message: Message) -> str:
    """The person's words, without the reminders that travel with them; empty where there are none."""
    words = [
        b.text for b in message.blocks if isinstance(b, Text) and not b.text.startswith("<system-reminder>")
    ]
    text = visible("\n".join(words)).strip()
    if not text:
        return ""
    return f"\n{BOLD}> {text.replace(chr(10), chr(10) + '  ')}{RESET}"


def call(tool_call: ToolCall, outcome: ToolOutcome, who: str = "") -> str:
    """A call with its result folded to a few lines, or its diff."""
    colour = RED if outcome.is_error else GREEN
    prefix = f"{CYAN}{who}{RESET} " if who else ""
    head = f"{prefix}{colour}●{RESET} {call_line(tool_call)}"
    return f"{head}\n{_diff(outcome.shown) if outcome.shown else _folded(outcome.content)}".rstrip()


def diff(text: str, limit: int | None = None) -> str:
    """A unified diff with colours; `limit` folds what is longer."""
    lines = visible(text).splitlines()
    kept = lines if limit is None else lines[:limit]
    painted = [f"  {_paint(line)}" for line in kept]
    if len(lines) > len(kept):
        painted.append(f"  {DIM}… +{len(lines) - len(kept)} lines{RESET}")
    return "\n".join(painted)


def notice(text: str, level: str) -> str:
    """A note, a warning or an error."""
    colour = {"warning": YELLOW, "error": RED}.get(level, DIM)
    return f"{colour}{visible(text)}{RESET}"


def _diff(text: str) -> str:
    return diff(text, DIFF_LINES)


def _folded(content: str) -> str:
    lines = visible(content).splitlines() or ["(no output)"]
    shown = [
        f"  {DIM}{'⎿' if not index else ' '} {line[:LINE_WIDTH]}{RESET}"
        for index, line in enumerate(lines[:FOLDED_LINES])
    ]
    if len(lines) > FOLDED_LINES:
        shown.append(f"  {DIM}  … +{len(lines) - FOLDED_LINES} lines{RESET}")
    return "\n".join(shown)


def _paint(line: str) -> str:
    if line.startswith(("+++", "---", "@@")):
        return f"{DIM}{line}{RESET}"
    if line.startswith("+"):
        return f"{GREEN}{line}{RESET}"
    if line.startswith("-"):
        return f"{RED}{line}{RESET}"
    return line
