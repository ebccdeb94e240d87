"""Who answers the guard's questions: a person at a screen, or a policy where nobody can be asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from roocode.interaction.config.places import Places
from roocode.interaction.ui.terminal.rule_list import RuleCheck, RuleVerdict
from roocode.memory.sessions.conversation import Conversation
from roocode.protocol.decisions import Decision, PermissionAnswer, PermissionQuestion, RuleProposal, Store
from roocode.protocol.errors import HostError
from roocode.protocol.events import CallDecided, Event, PermissionAnswered, PermissionAsked
from roocode.protocol.messages import ToolCall
from roocode.security.permissions.breadth import too_wide
from roocode.security.permissions.rule_fit import misfit
from roocode.security.ports import Approver, BoundAnswer


class DenyByPolicy:
    """Nobody can be asked: the answer is no, and says how to allow it beforehand."""

    def __init__(self, why: str = "nobody can be asked in a headless run") -> None:
        self._why = f"{why}; allow it with a rule or --permission-mode"

    async def ask(self, question: PermissionQuestion) -> BoundAnswer:
        """No."""
        no = PermissionAnswer(False, reason=self._why, by="policy")
        return BoundAnswer(question.id, question.digest, no)


class OneAtATime:
    """One question after the other, where a way to the person can hold one alone."""

    def __init__(self, approver: Approver) -> None:
        self._approver = approver
        self._free = asyncio.Lock()

    async def ask(self, question: PermissionQuestion) -> BoundAnswer:
        """Waits for its turn, and for the person."""
        async with self._free:
            return await self._approver.ask(question)


class AskOnScreen:
    """A person at the screen: the question is shown by the recorder's event, and `answer` closes it."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[PermissionQuestion, asyncio.Future[PermissionAnswer]]] = {}

    async def ask(self, question: PermissionQuestion) -> BoundAnswer:
        """Waits for the person."""
        answered: asyncio.Future[PermissionAnswer] = asyncio.get_running_loop().create_future()
        self._open[question.id] = (question, answered)
        try:
            return BoundAnswer(question.id, question.digest, await answered)
        finally:
            del self._open[question.id]

    def answer(self, question_id: str, answer: PermissionAnswer) -> bool:
        """The person's answer; False where no such question is open here."""
        if question_id not in self._open:
            return False
        answered = self._open[question_id][1]
        if not answered.done():
            answered.set_result(answer)
        return True


class EventRecorder:
    """Writes what the guard does into the session's log, and tells the screens."""

    def __init__(
        self, agent: str, parent: str | None, conversation: Conversation, emit: Callable[[Event], None]
    ) -> None:
        self._agent = agent
        self._parent = parent
        self._conversation = conversation
        self._emit = emit

    def decided(self, call: ToolCall, decision: Decision) -> None:
        """The final word on a call."""
        self._conversation.note(
            "decision",
            call=call.id,
            verdict=decision.verdict,
            layer=decision.layer,
            rule=decision.rule,
            source=decision.source,
            reason=decision.reason,
        )
        self._emit(CallDecided(agent=self._agent, parent=self._parent, call=call, decision=decision))

    def asked(self, question: PermissionQuestion) -> None:
        """A question opens."""
        self._emit(PermissionAsked(agent=self._agent, parent=self._parent, question=question))

    def answered(self, question: PermissionQuestion, answer: PermissionAnswer) -> None:
        """A question closes."""
        self._emit(
            PermissionAnswered(agent=self._agent, parent=self._parent, question_id=question.id, answer=answer)
        )


class LocalRules:
    """Stores "always allow" in this checkout's own configuration, or in the person's."""

    def __init__(self, places: Places) -> None:
        self._places = places

    @property
    def stores(self) -> tuple[tuple[Store, str], ...]:
        """The files, as people write them."""
        scopes: tuple[Store, ...] = ("local", "user")
        return tuple((scope, self._places.shown(self._places.config(scope))) for scope in scopes)

    @property
    def base(self) -> str:
        """Where a path beginning with `/` starts."""
        return str(self._places.root)

    def add_allow(self, rules: tuple[str, ...], store: Store) -> str:
        """Adds the rules and returns the file, with what keeps it from counting."""
        from roocode.interaction.config.change import remember_rules

        changed = remember_rules(self._places, rules, scope=store)
        shown = self._places.shown(changed.path)
        return shown if changed.counts else f"{shown}, which counts only once you trust this directory"


class RulesOfTheLead:
    """A teammate stores nothing: an "always" reaches it with the file that the lead has put it in."""

    stores: tuple[tuple[Store, str], ...] = ()

    def __init__(self, base: str) -> None:
        self.base = base

    def add_allow(self, rules: tuple[str, ...], store: Store) -> str:
        """Never here."""
        raise HostError("rules are stored by the team's lead")


def rule_check(places: Places) -> RuleCheck:
    """Judges a rule that a person writes for a question: whether it covers the call, and is not too wide."""

    def check(question: PermissionQuestion, about: RuleProposal, text: str) -> RuleVerdict:
        objection = misfit(text, about, question, base=str(places.root), home=str(places.person))
        return RuleVerdict(objection, "" if objection else too_wide(text))

    return check
