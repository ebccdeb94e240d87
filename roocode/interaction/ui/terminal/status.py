"""The lines around the input: what goes on, and one line a teammate or sub-agent."""

from __future__ import annotations

import time

from roocode.interaction.ui.columns import columns, cut, padded
from roocode.interaction.ui.safe_text import on_one_line, visible
from roocode.interaction.ui.sub_agents import SubAgents
from roocode.protocol.frozen import frozen

WAITING = "waiting for your answer"


@frozen
class MemberLine:
    """What is known of a teammate at this moment."""

    name: str
    state: str
    task: str = ""
    last: str = ""


@frozen
class Status:
    """What the toolbar says. `since` is when `doing` began, in monotonic seconds.

    `tokens` is the size of the conversation at the last answer, `cost_usd` the sum of all whose price is
    known; `cost_unknown` says that there were others.
    """

    model: str = ""
    mode: str = "default"
    doing: str = ""
    since: float = 0.0
    cost_usd: float | None = None
    cost_unknown: bool = False
    tokens: int = 0


def toolbar(
    status: Status, now: float, width: int, escape: str = "no", interrupt: str = "esc to interrupt"
) -> str:
    """One line, cut to the width: what goes on first, since it must not be cut.

    `escape` is what Esc means while a question is open, `interrupt` what it does while something runs.
    """
    if status.doing:
        parts = [
            f"{status.doing} {max(now - status.since, 0):.0f} s",
            f"esc: {escape}" if status.doing == WAITING else interrupt,
        ]
    else:
        parts = ["ready"]
    parts += [status.model, "" if status.mode == "default" else status.mode]
    if status.tokens:
        parts.append(f"{_short(status.tokens)} tokens")
    parts.append(_cost(status))
    return cut(f"  {' · '.join(visible(part) for part in parts if part)}", width - 1)


def member_lines(members: tuple[MemberLine, ...], width: int) -> str:
    """One line a teammate, cut to the width."""
    names = [visible(member.name) for member in members]
    longest = max(map(columns, names), default=0)
    lines = []
    for name, member in zip(names, members, strict=True):
        parts = [member.state, on_one_line(member.task), on_one_line(member.last)]
        line = f"  {padded(name, longest)}  {' · '.join(part for part in parts if part)}"
        lines.append(cut(line, width - 1))
    return "\n".join(lines)


def sub_agent_lines(agents: SubAgents) -> tuple[MemberLine, ...]:
    """One line for each that works."""
    now = time.monotonic()
    return tuple(
        MemberLine(
            each.name if each.name == each.kind else f"{each.name} ({each.kind})",
            f"{each.state} {max(now - each.since, 0):.0f} s",
            each.description,
            " · ".join(part for part in (each.doing, each.figures) if part),
        )
        for each in agents.working
    )


def _cost(status: Status) -> str:
    """The sum, and that it is not all; nothing before there is something to say."""
    known = f"{status.cost_usd:.4f} USD" if status.cost_usd else ""
    if not status.cost_unknown:
        return known
    return f"{known} and unknown cost" if known else "cost unknown"


def _short(count: int) -> str:
    return str(count) if count < 1000 else f"{count / 1000:.1f}k"
