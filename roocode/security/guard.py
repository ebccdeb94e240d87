"""The only way to a tool.

Decide, before-hooks, decide again if the input changed, ask, run, after-hooks; each decision is recorded.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import final

from roocode.protocol.decisions import Decision, PermissionAnswer, PermissionQuestion, Verdict
from roocode.protocol.errors import RooCodeError
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Arguments, ToolCall
from roocode.protocol.tools import Tool, ToolOutcome, ToolSpec, Workspace
from roocode.security.asking import question_about, still_stands
from roocode.security.isolation.masking import Mask, unmasked
from roocode.security.late_tools import objection
from roocode.security.masked_text import masked_text
from roocode.security.permissions import outlook
from roocode.security.permissions.decide import examine, judge
from roocode.security.permissions.grants import Grants
from roocode.security.permissions.matching import covers_tool
from roocode.security.permissions.narrowing import leaves_out
from roocode.security.permissions.policy import Policy
from roocode.security.permissions.rules import parse_rule
from roocode.security.permissions.subjects import Examined, Writing
from roocode.security.ports import (
    Approver,
    BeforeCall,
    BoundAnswer,
    CallHooks,
    FileKeeper,
    Recorder,
    RuleStore,
)

__all__ = [
    "Approver",
    "BeforeCall",
    "BoundAnswer",
    "CallHooks",
    "FileKeeper",
    "GuardedToolset",
    "Recorder",
    "RuleStore",
    "guard",
]

_log = logging.getLogger(__name__)


NO_WORD = "the person said no"
CHANGED = "what was asked about changed before the answer came: call it again to be asked anew"


class _Seal:
    """Held by `guard` alone, so that no other code can build a guarded toolset."""


class _ToolFailed(Exception):
    """A tool's method raised; carries the words for the model."""


def guard(
    tools: Iterable[Tool],
    *,
    policy: Policy,
    workspace: Workspace,
    approver: Approver,
    recorder: Recorder,
    hooks: CallHooks | None = None,
    rule_store: RuleStore | None = None,
    mask: Mask = unmasked,
    keeper: FileKeeper | None = None,
) -> GuardedToolset:
    """Puts tools behind the guard; the only constructor of a GuardedToolset.

    The workspace is a pinned one (`permissions.paths.pinned`). Tools that a rule denies as a whole are not
    offered to the model. `mask` tells what is secret: no rule is proposed that holds it. `keeper` hears of
    each call that may change something, just before it runs.
    """
    surroundings = _Surroundings(approver, recorder, hooks, Grants(), rule_store, mask, keeper)
    return GuardedToolset(_Seal(), tuple(tools), policy, workspace, surroundings)


@frozen
class _Surroundings:
    approver: Approver
    recorder: Recorder
    hooks: CallHooks | None
    grants: Grants
    rule_store: RuleStore | None
    mask: Mask
    keeper: FileKeeper | None


@final
class GuardedToolset:
    """Tools that run only when the guard lets them.

    `policy` may be replaced at any time, for another mode; it holds from the next decision on. `specs` only
    ever grow at the end, since what a model was sent must not change; `grown` hears of each growth. `sent`
    are those of the last request, as whoever makes it says.
    """

    def __init__(
        self,
        seal: _Seal,
        tools: tuple[Tool, ...],
        policy: Policy,
        workspace: Workspace,
        surroundings: _Surroundings,
    ) -> None:
        if not isinstance(seal, _Seal):
            raise TypeError("a GuardedToolset is built by guard() alone")
        self._tools = {tool.spec.name: tool for tool in tools}
        self._fixed = frozenset(self._tools)
        self._workspace = workspace
        self._around = surroundings
        self.policy = policy
        self.specs: tuple[ToolSpec, ...] = tuple(
            tool.spec for tool in tools if not _is_barred(tool.spec.name, policy)
        )
        self.sent = self.specs
        self.grown: Callable[[tuple[str, ...]], None] = lambda _names: None

    def for_another(
        self,
        own: Iterable[Tool],
        *,
        policy: Policy,
        workspace: Workspace,
        approver: Approver,
        recorder: Recorder,
        keeper: FileKeeper | None,
        hooks: CallHooks | None,
        without: Callable[[str], bool] | None = None,
    ) -> GuardedToolset:
        """The same tools behind a guard of another agent, which has made `own` of them for itself.

        It shares mask and rule store, and no grant. Its model is sent what was sent last, to the byte; with
        `without` it is made anew, and lacks the tools of these names. Tools that were taken in can be again.
        """
        shared = replace(
            self._around, approver=approver, recorder=recorder, hooks=hooks, grants=Grants(), keeper=keeper
        )
        tools = {name: tool for name, tool in self._tools.items() if without is None or not without(name)}
        tools |= {tool.spec.name: tool for tool in own if tool.spec.name in tools}
        sent = frozenset(spec.name for spec in self.specs)
        another = GuardedToolset(_Seal(), tuple(tools.values()), policy, workspace, shared)
        another._fixed &= self._fixed
        if without is None:
            another.specs = another.sent = self.sent
        else:
            another.specs = tuple(spec for spec in another.specs if spec.name in sent)
        return another

    def take_in(self, tools: Iterable[Tool]) -> dict[str, str]:
        """Puts further tools behind this guard; the model is not sent them before `offer`.

        One of the same name takes the place of one that was taken in before, never of one of the first tools.
        Returns why the others were refused, by name.
        """
        refused = dict[str, str]()
        for tool in tools:
            if reason := objection(tool.spec, self._fixed):
                refused[tool.spec.name] = reason
            else:
                self._tools[tool.spec.name] = tool
        self.policy = replace(self.policy, tools=self.policy.tools | frozenset(self._tools))
        return refused

    def let_go(self, names: Iterable[str]) -> None:
        """Forgets tools that were taken in and not sent; one that was sent stays, and says what ails it."""
        kept = self._fixed | {spec.name for spec in self.specs}
        for name in set(names) - kept:
            self._tools.pop(name, None)

    def deferred(self) -> tuple[ToolSpec, ...]:
        """The tools that the model may call and has not been sent, by name."""
        sent = {spec.name for spec in self.specs}
        rest = (tool.spec for name, tool in sorted(self._tools.items()) if name not in sent)
        return tuple(spec for spec in rest if not _is_barred(spec.name, self.policy))

    def offer(self, names: Iterable[str]) -> tuple[ToolSpec, ...]:
        """Appends tools, in this order, to what the model is sent from the next request on.

        Returns those that are new.
        """
        waiting = {spec.name: spec for spec in self.deferred()}
        new = tuple(waiting[name] for name in dict.fromkeys(names) if name in waiting)
        if new:
            self.specs += new
            self.grown(tuple(spec.name for spec in new))
        return new

    def knows(self, name: str) -> bool:
        """Whether there is a tool of this name."""
        return name in self._tools

    def runs_alongside(self, call: ToolCall) -> bool:
        """Whether a call is safe beside its neighbours: never one that is faulty or needs a question."""
        tool = self._tools.get(call.name)
        if tool is None or call.arguments is None:
            return False
        try:
            with _boundary(call.name):
                if tool.complaint(call.arguments) or not tool.runs_alongside(call.arguments):
                    return False
            decision, _ = self._decide(tool, call)
        except _ToolFailed:
            return False
        return decision.verdict != "ask"

    async def run(self, call: ToolCall) -> ToolOutcome:
        """Runs one call if it may run; all else, a tool's bug included, is an error result for the model.

        What hooks, approver or recorder raise goes through, as does a cancel.
        """
        tool = self._tools.get(call.name)
        if tool is None:
            return _error(_unknown(call.name, self.specs))
        if not leaves_out(call.name, self.policy) and (new := self.offer((call.name,))):
            return _error(_introduction(new[0]))
        try:
            return await self._guarded(tool, call)
        except _ToolFailed as failure:
            return _error(str(failure))

    async def _guarded(self, tool: Tool, call: ToolCall) -> ToolOutcome:
        _complain(tool, call)
        decision, examined = self._decide(tool, call)
        if decision.verdict != "deny" and self._around.hooks is not None:
            said = await self._around.hooks.before(call)
            if said.arguments is not None and said.arguments != call.arguments:
                call = replace(call, arguments=said.arguments)
                _complain(tool, call)
                decision, examined = self._decide(tool, call)
            decision = _heeding(said, decision, self.policy)
        if decision.verdict != "deny" and (reason := masked_text(examined)):
            raise _ToolFailed(f"{call.name} was not run: {reason}")
        if decision.verdict == "ask":
            decision = await self._ask(tool, call, decision, examined)
        self._around.recorder.decided(call, decision)
        if decision.verdict != "allow":
            return _error(_denial(call, decision))
        if self._around.keeper is not None and not outlook.of_call(examined, None).reads_only:
            await self._around.keeper.changing(_written(examined))
        return await self._act(tool, call, decision)

    async def _act(self, tool: Tool, call: ToolCall, decision: Decision) -> ToolOutcome:
        with _boundary(call.name):
            outcome = await tool.run(_arguments(call), decision)
        if self._around.hooks is None:
            return outcome
        return await self._around.hooks.after(call, outcome)

    def _decide(self, tool: Tool, call: ToolCall) -> tuple[Decision, Examined]:
        with _boundary(call.name):
            touches = tool.touches(_arguments(call))
        examined = examine(call.name, _arguments(call), touches, self.policy, self._workspace)
        return judge(examined, self.policy, self._around.grants), examined

    async def _ask(self, tool: Tool, call: ToolCall, decision: Decision, examined: Examined) -> Decision:
        preview = self._preview(tool, call)
        question = await asyncio.to_thread(
            question_about,
            examined,
            decision,
            self.policy,
            agent=self._workspace.agent,
            preview=preview,
            store=self._around.rule_store,
        )
        question = self._without_secrets(question)
        self._around.recorder.asked(question)
        bound = await self._around.approver.ask(question)
        answer = bound.answer
        if (bound.question_id, bound.digest) != (question.id, question.digest):
            answer = PermissionAnswer(False, reason="the answer was given to another question", by="policy")
        self._around.recorder.answered(question, answer)
        if not answer.allowed:
            return _refused(decision, answer)
        again, examined = self._decide(tool, call)
        if again.verdict == "deny":
            return again
        try:
            stands = still_stands(question, again, examined, self._preview(tool, call))
        except _ToolFailed:
            stands = False
        if not stands:
            return replace(decision, verdict="deny", reason=CHANGED)
        return replace(decision, verdict="allow", layer="person", reason=self._remember(question, answer))

    def _preview(self, tool: Tool, call: ToolCall) -> str:
        with _boundary(call.name):
            return tool.preview(_arguments(call))

    def _without_secrets(self, question: PermissionQuestion) -> PermissionQuestion:
        """The question with all the rules that "always" would store, or none where one holds a secret."""
        texts = (text for proposal in question.proposals for text in (proposal.text, *proposal.choices))
        return (
            question
            if all(self._around.mask(text) == text for text in texts)
            else replace(question, proposals=())
        )

    def _remember(self, question: PermissionQuestion, answer: PermissionAnswer) -> str:
        """Keeps an approval as far as it reaches, and says how far that is."""
        if answer.scope == "once":
            return "approved once"
        self._around.grants.add(question.digest)
        texts = answer.rules or tuple(proposal.text for proposal in question.proposals)
        store = self._around.rule_store
        if answer.scope == "session" or not texts or store is None:
            return "approved for this session"
        try:
            stored = answer.stored or store.add_allow(texts, answer.store)
        except RooCodeError as error:
            return f"approved for this session; the rule could not be stored: {error.what}"
        rules = (parse_rule(text, "allow", answer.store, stored, store.base) for text in texts)
        self.policy = replace(self.policy, rules=(*self.policy.rules, *rules))
        return f"always allowed: {', '.join(texts)} (in {stored})"


@contextmanager
def _boundary(name: str) -> Iterator[None]:
    """Where a tool's failure becomes words for the model: the one place where each of theirs is caught."""
    try:
        yield
    except RooCodeError as error:
        raise _ToolFailed(str(error)) from error
    except Exception as error:
        _log.exception("tool %s failed", name)
        reason = f"{type(error).__name__}: {error}"
        raise _ToolFailed(f"{name} failed by a fault of its own, not of the input: {reason}") from error


def _complain(tool: Tool, call: ToolCall) -> None:
    if call.arguments is None:
        raise _ToolFailed(call.complaint or f"The arguments of {call.name} are not a JSON object.")
    with _boundary(call.name):
        complaint = tool.complaint(call.arguments)
    if complaint:
        raise _ToolFailed(complaint)


def _arguments(call: ToolCall) -> Arguments:
    return {} if call.arguments is None else call.arguments


def _written(examined: Examined) -> tuple[str, ...]:
    """The real paths that the tool itself writes; what a command writes is not known so well."""
    return tuple(subject.spot.place.real for subject in examined.subjects if isinstance(subject, Writing))


def _is_barred(name: str, policy: Policy) -> bool:
    return any(
        rule.verdict == "deny" and rule.spec is None and policy.counts(rule) and covers_tool(rule.tool, name)
        for rule in policy.rules
    )


def _heeding(said: BeforeCall, decision: Decision, policy: Policy) -> Decision:
    """The decision as the hooks tighten it; one that denies already stays as it is."""
    if decision.verdict == "deny":
        return decision
    if said.refused:
        return Decision("deny", "rules", said.refused, source="hook", level=decision.level)
    if not said.ask or decision.verdict == "ask":
        return decision
    verdict: Verdict = "deny" if policy.mode == "dontAsk" else "ask"
    return Decision(verdict, "rules", said.ask, source="hook", level=decision.level)


def _refused(decision: Decision, answer: PermissionAnswer) -> Decision:
    if answer.by == "policy":
        reason = f"{decision.reason}; {answer.reason}" if answer.reason else decision.reason
        return replace(decision, verdict="deny", reason=reason)
    return replace(decision, verdict="deny", layer="person", reason=answer.reason or NO_WORD)


def _denial(call: ToolCall, decision: Decision) -> str:
    said = f"{call.name} was denied ({decision.layer}): {decision.reason}"
    if decision.layer == "person" and decision.reason != NO_WORD:
        return f"{said}\nThese are the person's own words: do what they say, and not the same by another way."
    return f"{said}. Do not try the same by another way."


def _unknown(name: str, sent: tuple[ToolSpec, ...]) -> str:
    names = [spec.name for spec in sent]
    said = f"There is no tool {name!r}. The tools are: {', '.join(names)}."
    return f"{said} ToolSearch finds further ones." if "ToolSearch" in names else said


def _introduction(spec: ToolSpec) -> str:
    schema = json.dumps(dict(spec.parameters), ensure_ascii=False)
    return (
        f"{spec.name} had not been loaded, so it was not run. It is loaded now: read what it does and takes, "
        f"and call it again.\n\n{spec.description}\n\nInput schema: {schema}"
    )


def _error(text: str) -> ToolOutcome:
    return ToolOutcome(text, is_error=True)
