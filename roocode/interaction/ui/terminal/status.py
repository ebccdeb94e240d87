"""The lines under the input: what goes on, and one line a teammate. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from roocode.interaction.ui.call_line import visible


@dataclass(frozen=True, slots=True)
class MemberLine:
    """What is known of a teammate at this moment."""

    name: str
    state: str
    task: str = ""
    last: str = ""


@dataclass(frozen=True, slots=True)
class Status:
    """What the toolbar says."""

    model: str = ""
    mode: str = "default"
    doing: str = ""
    hint: str = ""
    cost_usd: float | None = None
    tokens: int = 0


def toolbar(status: Status, width: int) -> str:
    """One line, cut to the width."""
    parts = [status.model, status.mode]
    if status.tokens:
        parts.append(f"{status.tokens} tokens")
    if status.cost_usd:
        parts.append(f"{status.cost_usd:.4f} USD")
    parts.append(f"{status.doing} (esc to interrupt)" if status.doing else "ready")
    if status.hint:
        parts = [status.hint]
    return f" {' · '.join(part for part in parts if part)}"[: max(width - 1, 1)]


def member_lines(members: tuple[MemberLine, ...], width: int) -> str:
    """One line a teammate, cut to the width."""
    longest = max((len(member.name) for member in members), default=0)
    lines = []
    for member in members:
        task = f" · {visible(member.task)}" if member.task else ""
        last = f" · {visible(member.last)}" if member.last else ""
        lines.append(f" {member.name:<{longest}}  {member.state}{task}{last}"[: max(width - 1, 1)])
    return "\n".join(lines)
