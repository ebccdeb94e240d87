"""Open permission questions: one at a time, in order, each answered once."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from roocode.interaction.ui.call_line import visible
from roocode.interaction.ui.terminal.blocks import BOLD, RESET, YELLOW, diff
from roocode.protocol.commands import AnswerPermission
from roocode.protocol.decisions import PermissionAnswer, PermissionQuestion

QUIET_S = 0.3


@dataclass(slots=True)
class Questions:
    """The queue of questions. Keys that come within QUIET_S of a question's appearance do not answer it:
    they were typed before it was seen."""

    waiting: deque[PermissionQuestion] = field(default_factory=deque)
    shown_at: float = 0.0

    @property
    def current(self) -> PermissionQuestion | None:
        """The question that is on the screen."""
        return self.waiting[0] if self.waiting else None

    def add(self, question: PermissionQuestion, now: float) -> bool:
        """Adds one; True when it comes onto the screen at once."""
        self.waiting.append(question)
        if len(self.waiting) == 1:
            self.shown_at = now
            return True
        return False

    def drop(self, question_id: str, now: float) -> bool:
        """Removes one that was answered elsewhere; True when another comes onto the screen."""
        was = self.current
        self.waiting = deque(q for q in self.waiting if q.id != question_id)
        if self.current is not None and self.current is not was:
            self.shown_at = now
            return True
        return False

    def answer(self, key: str, now: float) -> AnswerPermission | None:
        """What a key means for the current question: y once, s this session, a always, n no."""
        question = self.current
        if question is None or now - self.shown_at < QUIET_S:
            return None
        match key:
            case "y":
                answer = PermissionAnswer(True, "once")
            case "s":
                answer = PermissionAnswer(True, "session")
            case "a" if question.proposals:
                answer = PermissionAnswer(True, "always")
            case "n":
                answer = PermissionAnswer(False, "once", "the person said no")
            case _:
                return None
        return AnswerPermission(question.id, answer)


def details(question: PermissionQuestion) -> str:
    """What is asked, whole: who, which tool, why, and the command or the diff."""
    who = "" if question.agent == "main" else f"{visible(question.agent)} "
    head = f"{YELLOW}{BOLD}? {who}wants to use {visible(question.tool)}{RESET}"
    reason = f" ({visible(question.reason)})" if question.reason else ""
    return f"\n{head}{reason}\n{diff(question.preview)}"


def bar(question: PermissionQuestion, waiting: int) -> str:
    """The line with the keys."""
    always = f" · [a]lways: {', '.join(question.proposals)}" if question.proposals else ""
    more = f" · {waiting - 1} more behind" if waiting > 1 else ""
    return f" Allow? [y]es once · [s]ession{always} · [n]o{more} "
