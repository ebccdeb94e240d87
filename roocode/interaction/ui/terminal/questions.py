"""Open permission questions: in order, equal ones together, each answered once. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from roocode.interaction.ui.columns import columns
from roocode.interaction.ui.safe_text import visible
from roocode.interaction.ui.terminal.styles import BOLD, DIM, RED, RESET, REVERSE
from roocode.protocol.decisions import PermissionAnswer, PermissionQuestion
from roocode.protocol.duration import in_words


@dataclass(slots=True)
class Questions:
    """The queue: each item holds the questions that look the same, whoever asks."""

    waiting: deque[list[PermissionQuestion]] = field(default_factory=deque)

    @property
    def asked(self) -> Sequence[PermissionQuestion]:
        """What is on the screen, or comes there next; empty where nothing is asked."""
        return self.waiting[0] if self.waiting else ()

    @property
    def current(self) -> PermissionQuestion | None:
        """The first of these."""
        return self.asked[0] if self.waiting else None

    def add(self, question: PermissionQuestion) -> bool:
        """Adds one, to what other agents ask if it looks the same; True when it is asked now."""
        for index, equal in enumerate(self.waiting):
            if equal[0].look == question.look and question.agent not in {each.agent for each in equal}:
                equal.append(question)
                return index == 0
        self.waiting.append([question])
        return len(self.waiting) == 1

    def drop(self, unwanted: Callable[[PermissionQuestion], bool]) -> None:
        """Removes those that nobody need answer any more."""
        kept = ([each for each in equal if not unwanted(each)] for equal in self.waiting)
        self.waiting = deque(equal for equal in kept if equal)


def answer_of(key: str) -> PermissionAnswer | None:
    """What a key means by itself: y once, s this session, n no."""
    match key:
        case "y":
            return PermissionAnswer(True, "once")
        case "s":
            return PermissionAnswer(True, "session")
        case "n":
            return PermissionAnswer(False, "once", "the person said no")
        case _:
            return None


def bar(asked: Sequence[PermissionQuestion], waiting: int, width: int, now: float) -> str:
    """The lines with the keys; `now` is the wall clock in seconds."""
    question = asked[0]
    rules = [visible(proposal.text) for proposal in question.proposals]
    always = rules[0] if len(rules) == 1 else f"{len(rules)} rules"
    keys = ["[y]es once", "[s]ession", f"[a]lways: {always}" if rules and question.stores else "", "[n]o"]
    more = [_age(question, now), f"{waiting - 1} more behind" if waiting > 1 else ""]
    every = [text for text in (*keys, "[t]ell it why not", *more) if text]
    head = " Allow? " if len(asked) == 1 else f" Allow all {len(asked)}? "
    colour = RED if question.level == "danger" else ""
    return "\n".join(in_rows(f"{colour}{REVERSE}{BOLD}{head}{RESET}", len(head), every, width))


def in_rows(head: str, head_width: int, items: Sequence[str], width: int) -> list[str]:
    """Items with ` · ` between them in rows of at most `width` columns, behind a head in the first."""
    rows, row, room = [], head, width - head_width
    for item in items:
        first = row in (head, "")
        needed = columns(item) + (1 if first else 3)
        if needed > room and row:
            rows.append(row)
            row, room, first = "", width, True
        row += (" " if first else f"{DIM} · {RESET}") + item
        room -= columns(item) + (1 if first else 3)
    return [*rows, row]


def _age(question: PermissionQuestion, now: float) -> str:
    """How long a question has waited in a team."""
    try:
        asked = datetime.fromisoformat(question.asked_at).timestamp()
    except ValueError:
        return ""
    return f"asked {in_words(max(now - asked, 0))} ago"
