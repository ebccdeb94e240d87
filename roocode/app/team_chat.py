"""The lead's chat at a terminal: the person watches, answers questions, and speaks to the lead."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import assert_never

from roocode.app.approvers import LocalRules, rule_check
from roocode.app.asking import AskAtScreen
from roocode.app.context import compact_now, context_text
from roocode.app.masked_screen import MaskedChat
from roocode.app.model_notes import model_notes
from roocode.app.remembering import memory, notes_of
from roocode.app.signals import until_signalled
from roocode.app.teams.ground import Ground
from roocode.app.teams.opening import OpenTeam, open_team
from roocode.app.teams.running import Request, backend_notes, begin, budget_notes, ground_of, how_to_go_on
from roocode.engine.loop.turn import prompt_of
from roocode.engine.team.cleaning import clean
from roocode.engine.team.lead import Outcome
from roocode.engine.team.open_questions import age_s
from roocode.engine.team.stopping import ANSWER_WITHIN_S, HURRIED_ANSWER_S
from roocode.interaction.commands.reading import help_text, read
from roocode.interaction.config.settings import RuleLine
from roocode.interaction.ui.chat_screen import ChatScreen
from roocode.interaction.ui.terminal.chat import TerminalChat
from roocode.interaction.ui.terminal.status import MemberLine
from roocode.protocol.commands import (
    AnswerPermission,
    CancelRun,
    Command,
    CompactNow,
    Invoke,
    Leave,
    Memory,
    Rewind,
    SetMode,
    ShowContext,
    ShowHelp,
    SubmitPrompt,
)
from roocode.protocol.decisions import PermissionAnswer
from roocode.protocol.duration import in_words
from roocode.protocol.errors import RooCodeError
from roocode.protocol.events import Notice
from roocode.protocol.messages import Message
from roocode.protocol.team import LEAD
from roocode.security.isolation.secrets import Secrets

MEMBERS_EVERY_S = 0.5
NOT_IN_A_TEAM = "Skills and commands are called in a single agent's chat; members load skills themselves."


def chat(request: Request, env: Mapping[str, str], secrets: Secrets) -> int:
    """Leads a team in this terminal until the person leaves; returns the exit code."""
    try:
        return asyncio.run(until_signalled(_chat(request, env, secrets)))
    except RooCodeError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code


async def _chat(request: Request, env: Mapping[str, str], secrets: Secrets) -> int:
    ground = await ground_of(request, env, secrets, headless=False)
    with ground.founded.held:
        return await _chat_on(request, ground, env)


async def _chat_on(request: Request, ground: Ground, env: Mapping[str, str]) -> int:
    terminal = TerminalChat(LEAD, rule_check(ground.settings.places))
    screen = MaskedChat(terminal, ground.secrets)
    for note in (*ground.notes, *backend_notes(ground), *budget_notes(ground), *model_notes(ground.options)):
        screen.show(Notice(agent=LEAD, text=note))
    team = await open_team(ground, screen.show, AskAtScreen(screen.choose))
    window = Window(team, screen, terminal.show_members)
    showing = asyncio.create_task(screen.run())
    members = asyncio.create_task(window.keep_members_shown())
    ask_s = ANSWER_WITHIN_S
    try:
        await window.serve(await begin(request, team))
    except asyncio.CancelledError:
        ask_s = HURRIED_ANSWER_S
        raise
    finally:
        screen.show(Notice(agent=LEAD, text="The members stop; their work is committed."))
        members.cancel()
        await team.close("the person leaves", ask_s=ask_s)
        screen.close()
        await asyncio.gather(showing, members, return_exceptions=True)
    return await _after(request, ground, team, window.outcome, env)


class Window:
    """Carries commands of the person to the lead and back."""

    def __init__(
        self,
        team: OpenTeam,
        screen: ChatScreen,
        show_members: Callable[[tuple[MemberLine, ...]], None],
    ) -> None:
        self.outcome: Outcome | None = None
        self._team = team
        self._screen = screen
        self._show_members = show_members
        self._leading: asyncio.Task[None] | None = None

    async def serve(self, first: Message | None) -> None:
        """Leads and takes commands until the person leaves."""
        self._lead(first)
        try:
            async for command in self._screen.commands():
                try:
                    await self._carry_out(
                        read(command.text) if isinstance(command, SubmitPrompt) else command
                    )
                except RooCodeError as error:
                    self._screen.show(Notice(agent=LEAD, text=str(error), level="error"))
        finally:
            if self._leading is not None:
                self._leading.cancel()
                await asyncio.gather(self._leading, return_exceptions=True)

    async def keep_members_shown(self) -> None:
        """One live line per member."""
        while True:
            self._show_members(await asyncio.to_thread(self._members))
            await asyncio.sleep(MEMBERS_EVERY_S)

    async def _carry_out(self, command: Command) -> None:
        match command:
            case SubmitPrompt(text):
                await self._say(prompt_of(text))
            case CancelRun():
                self._team.lead.cancel()
            case AnswerPermission():
                await self._answer(command)
            case SetMode(mode):
                text = f"The mode of a team is set at its start; {mode} has no effect now."
                self._screen.show(Notice(agent=LEAD, text=text))
            case CompactNow(focus):
                await self._compact(focus)
            case ShowContext():
                self._screen.show(Notice(agent=LEAD, text=context_text(self._team.agent)))
            case Memory(forget):
                self._screen.show(Notice(agent=LEAD, text=self._memory(forget)))
            case Rewind():
                text = "/rewind is for a single agent: members have worktrees, and mail is not unsent."
                self._screen.show(Notice(agent=LEAD, text=text))
            case Invoke(name):
                text = f"{help_text(name)}\n{NOT_IN_A_TEAM}"
                self._screen.show(Notice(agent=LEAD, text=text))
            case ShowHelp(unknown):
                self._screen.show(Notice(agent=LEAD, text=help_text(unknown)))
            case Leave():
                pass
            case _:
                assert_never(command)

    def _memory(self, forget: str) -> str:
        places = self._team.ground.settings.places
        return memory(notes_of(places.root, places.home, places.person), forget)

    async def _compact(self, focus: str) -> None:
        if self._leading is not None and not self._leading.done():
            text = "The lead's conversation cannot be compacted while it works: press Esc, or wait."
            self._screen.show(Notice(agent=LEAD, text=text))
            return
        await compact_now(self._team.agent, focus, self._screen.show)

    async def _say(self, message: Message) -> None:
        if self._leading is None or self._leading.done():
            self._lead(message)
        else:
            self._team.parts.steering.say(message)
            self._team.parts.changed.set()

    async def _answer(self, command: AnswerPermission) -> None:
        """A yes or no of the person, to the lead's own question or a member's."""
        approver, answer = self._team.approver, command.answer
        if approver is not None and approver.answer(command.question_id, answer):
            return
        if answer.scope == "always":
            answer = await self._stored(answer)
        try:
            await self._team.parts.desk.answer(command.question_id, answer)
        finally:
            if answer.stored:
                await self._team.parts.desk.review()

    async def _stored(self, answer: PermissionAnswer) -> PermissionAnswer:
        """Stores the rules of an "always", and says where; what cannot be stored is for the session."""
        rules = LocalRules(self._team.ground.settings.places)
        try:
            stored = await asyncio.to_thread(rules.add_allow, answer.rules, answer.store)
        except RooCodeError as error:
            text = f"Approved for this session; the rule could not be stored: {error}"
            self._screen.show(Notice(agent=LEAD, text=text, level="warning"))
            return replace(answer, scope="session")
        lines = [RuleLine("allow", rule, answer.store, stored) for rule in answer.rules]
        new = [line for line in lines if line not in self._team.learned]
        if new:
            self._team.learned.extend(new)
            words = ", ".join(line.text for line in new)
            self._screen.show(Notice(agent=LEAD, text=f"Always allowed: {words} (in {stored})."))
        return replace(answer, stored=stored)

    def _lead(self, first: Message | None) -> None:
        self._leading = asyncio.create_task(self._lead_on(first))

    async def _lead_on(self, first: Message | None) -> None:
        try:
            self.outcome = await self._team.lead.lead(first)
        except RooCodeError as error:
            self._screen.show(Notice(agent=LEAD, text=str(error), level="error"))
            return
        stands = "at its limit" if self.outcome.status == "budget" else self.outcome.status
        lines = (f"The team's run is {stands}.", self.outcome.landed, *self.outcome.left)
        text = "\n".join(line for line in lines if line)
        done = self.outcome.status == "completed"
        self._screen.show(Notice(agent=LEAD, text=text, level="info" if done else "warning"))

    def _members(self) -> tuple[MemberLine, ...]:
        store = self._team.ground.founded.store
        states = self._team.staff.supervisor.states()
        tasks = {t.owner: f"{t.id} {t.subject}" for t in store.tasks() if t.status == "in_progress"}
        lines = []
        for name, state in states.items():
            report = store.report(name)
            spent = f"{report.tokens} tokens" if report and report.tokens else ""
            waits = age_s(report.last_event_at, time.time()) if report and state == "waiting" else None
            shown = state if waits is None else f"waiting for you {in_words(waits)}"
            lines.append(MemberLine(name, shown, tasks.get(name, ""), spent))
        return tuple(lines)


async def _after(
    request: Request, ground: Ground, team: OpenTeam, outcome: Outcome | None, env: Mapping[str, str]
) -> int:
    done = outcome is not None and outcome.status == "completed"
    if request.cleanup and done:
        await clean(ground.founded, team.staff.backend, ground.keys, dict(env), force=False)
    else:
        print("\n".join(how_to_go_on(ground, outcome)))
    return 0 if done or outcome is None else 1
