"""Open permission questions: one at a time, in order, each answered once. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from roocode.interaction.ui.safe_text import visible
from roocode.interaction.ui.terminal import blocks
from roocode.interaction.ui.terminal.styles import BOLD, RESET, REVERSE, YELLOW
from roocode.protocol.commands import AnswerPermission
from roocode.protocol.decisions import PermissionAnswer, PermissionQuestion


@dataclass(slots=True)
class Questions:
    """The queue of questions; `drop` and `answer` close one for good."""

    waiting: deque[PermissionQuestion] = field(default_factory=deque)

    @property
    def current(self) -> PermissionQuestion | None:
        """The question that is on the screen, or comes there next."""
        return self.waiting[0] if self.waiting else None

    def add(self, question: PermissionQuestion) -> bool:
        """Adds one; True when it is the current one."""
        self.waiting.append(question)
        return len(self.waiting) == 1

    def drop(self, unwanted: Callable[[PermissionQuestion], bool]) -> None:
        """Removes those that nobody need answer any more."""
        self.waiting = deque(question for question in self.waiting if not unwanted(question))

    def answer(self, key: str) -> AnswerPermission | None:
        """What a key means for the current question: y once, s this session, a always, n no."""
        question = self.current
        if question is None:
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
    return f"\n{head}{reason}\n{blocks.diff(question.preview)}"


def bar(question: PermissionQuestion, waiting: int) -> str:
    """The line with the keys."""
    rules = ", ".join(visible(rule) for rule in question.proposals)
    always = f" · [a]lways: {rules}" if rules else ""
    more = f" · {waiting - 1} more behind" if waiting > 1 else ""
    return f"{REVERSE} Allow? [y]es once · [s]ession{always} · [n]o{more} {RESET}"
