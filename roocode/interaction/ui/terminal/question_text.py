"""A question of permission as a person reads it: who, what in full, part by part, where, and why. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roocode.interaction.ui.call_line import call_line
from roocode.interaction.ui.columns import columns, wrapped
from roocode.interaction.ui.safe_text import judged, visible
from roocode.interaction.ui.terminal.styles import BOLD, DIM, GREEN, RED, RESET, YELLOW
from roocode.protocol.decisions import Layer, PermissionQuestion, QuestionPart
from roocode.protocol.messages import ToolCall

NARROWEST = 20
_ASKED_BY: dict[Layer, str] = {
    "dangerous": "the list of dangerous commands",
    "sandbox": "the path sandbox",
    "rules": "a rule",
    "mode": "the permission mode",
    "person": "a person",
}


def details(asked: Sequence[PermissionQuestion], width: int) -> str:
    """What is asked, whole, for one question or several that look the same; lines of at most `width`."""
    question, width = asked[0], max(width, NARROWEST)
    colour = RED if question.level == "danger" else YELLOW
    lines = [f"{colour}{BOLD}{line}{RESET}" for line in wrapped(_head(asked), width)]
    lines += _preview(question, width)
    if _has_parts(question):
        lines.append("")
        for part in question.parts:
            lines += _part(part, question, width, colour)
    lines += _facts(question, width)
    for warning in question.warnings:
        lines += _hanging(f"  {colour}{BOLD}⚠{RESET} ", 4, visible(warning), width, BOLD)
    return "\n".join(("", *lines))


def joined(question: PermissionQuestion, width: int) -> str:
    """The line for an agent that asks what is on the screen already."""
    said = f"+ {visible(question.agent)} asks the same:"
    what = call_line(ToolCall(question.id, question.tool, question.input), width - columns(said) - 1)
    return f"{YELLOW}{said}{RESET} {what}"


def names(asked: Sequence[PermissionQuestion]) -> str:
    """Who asks: `alice`, `alice and bob`, `alice, bob and carol`; nothing for a single agent."""
    *first, last = [visible(question.agent) for question in asked if question.agent != "main"] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def _head(asked: Sequence[PermissionQuestion]) -> str:
    question, who = asked[0], names(asked)
    verb = "want" if len(asked) > 1 else "wants"
    mark = "! Danger:" if question.level == "danger" else "?"
    place = f" in {visible(question.place)}" if question.place else ""
    return " ".join(filter(None, (mark, who, f"{verb} to use {visible(question.tool)}"))) + place


def _preview(question: PermissionQuestion, width: int) -> Iterator[str]:
    """The command or the diff, whole; what a line of it goes on with is marked as such."""
    is_diff = question.tool != "Bash"
    for line in judged(question.preview.rstrip("\n")).split("\n"):
        paint = _diff_colour(line) if is_diff else BOLD
        for index, piece in enumerate(wrapped(line, width - 2)):
            yield (
                f"{DIM}↪{RESET} {paint}{piece}{RESET}"
                if index
                else f"  {paint}{piece}{RESET if paint else ''}"
            )


def _diff_colour(line: str) -> str:
    if line.startswith(("+++", "---")):
        return BOLD
    return {"+": GREEN, "-": RED, "@": DIM}.get(line[:1], "")


def _has_parts(question: PermissionQuestion) -> bool:
    if len(question.parts) > 1:
        return True
    return any(part.inside or not part.asks for part in question.parts)


def _part(part: QuestionPart, question: PermissionQuestion, width: int, colour: str) -> Iterator[str]:
    mark = f"{colour}{BOLD}?{RESET}" if part.asks else f"{GREEN}✓{RESET}"
    indent = 4 + 2 * len(part.inside)
    text, why = " ".join(judged(part.text).split("\n")), visible(part.why)
    if part.asks and part.layer != question.layer:
        why = f"{why}, {_ASKED_BY[part.layer]} asks"
    lead = f"{' ' * (indent - 2)}{mark} "
    if columns(text) + columns(why) + 3 + indent <= width:
        yield f"{lead}{text}{DIM} · {why}{RESET}" if why else f"{lead}{text}"
        return
    yield from _hanging(lead, indent, text, width, "")
    yield from _hanging(" " * (indent + 2), indent + 2, why, width, DIM)


def _facts(question: PermissionQuestion, width: int) -> Iterator[str]:
    """Who wants to know, and why where no part has said so already."""
    said = _has_parts(question) and any(part.asks and part.why == question.reason for part in question.parts)
    asker = _ASKED_BY[question.layer]
    text = f"asked by {asker}" if said or not question.reason else f"asked by {asker}: {question.reason}"
    yield from _hanging("  ", 2, visible(text), width, DIM)


def _hanging(lead: str, indent: int, text: str, width: int, style: str) -> Iterator[str]:
    if not text:
        return
    for index, piece in enumerate(wrapped(text, width - indent)):
        yield f"{' ' * indent if index else lead}{style}{piece.rstrip()}{RESET if style else ''}"
