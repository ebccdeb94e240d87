"""Carries the person's commands to a single agent: one run at a time, the words in between by steering."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import assert_never

from roocode.app.approvers import AskOnScreen
from roocode.app.context import compact_now
from roocode.app.remembering import memory
from roocode.app.rewinding import rewound_text, turns_text
from roocode.app.single import Single
from roocode.interaction.commands.reading import help_text, read
from roocode.interaction.ui.chat_screen import ChatScreen
from roocode.protocol.commands import (
    AnswerPermission,
    CancelRun,
    Command,
    CompactNow,
    Invoke,
    Leave,
    Memory,
    Rewind,
    RewindPart,
    SetMode,
    ShowContext,
    ShowHelp,
    SubmitPrompt,
)
from roocode.protocol.decisions import Mode
from roocode.protocol.errors import RooCodeError, UserError
from roocode.protocol.events import Notice
from roocode.protocol.messages import Message


class Talk:
    """The talk of one session; its runs are tasks of `tasks`, so that a fault of ours ends the program."""

    def __init__(
        self, single: Single, screen: ChatScreen, approver: AskOnScreen, tasks: asyncio.TaskGroup
    ) -> None:
        self._single = single
        self._screen = screen
        self._approver = approver
        self._tasks = tasks
        self._running: asyncio.Task[None] | None = None
        self._waiting: deque[Invoke] = deque()
        self._stopping: asyncio.Task[None] | None = None
        single.family.arrivals.news = self._news
        self._note_mode, single.planning.told = single.planning.told, self._mode_changed

    async def go_on(self, first: str) -> None:
        """Says `first`, if anything, and obeys until the person leaves; what runs then is cancelled."""
        if first.strip():
            self._say(first)
        async for command in self._screen.commands():
            try:
                self._obey(read(command.text) if isinstance(command, SubmitPrompt) else command)
            except RooCodeError as error:
                self._screen.show(Notice(text=str(error), level="error"))
        self._single.steering.clear()
        self._waiting.clear()
        self._single.family.arrivals.news = lambda: None
        self._stop()
        if self._running is not None:
            await asyncio.wait([self._running])

    def _obey(self, command: Command) -> None:
        match command:
            case SubmitPrompt(text):
                self._say(text)
            case CancelRun():
                self._interrupt()
            case AnswerPermission(question_id, answer):
                self._approver.answer(question_id, answer)
            case SetMode(mode):
                self._single.planning.set_mode(mode)
            case CompactNow(focus):
                self._compact(focus)
            case ShowContext():
                self._screen.show(Notice(text=self._single.context()))
            case Memory(forget):
                self._screen.show(Notice(text=memory(self._single.remembered, forget)))
            case Rewind(turn, part, unclear):
                self._rewind(turn, part, unclear)
            case Invoke():
                self._call(command)
            case ShowHelp(unknown):
                self._help(unknown)
            case Leave():
                pass
            case _:
                assert_never(command)

    def _help(self, unknown: str = "") -> None:
        names = self._single.skilled.invocations.names()
        self._screen.show(Notice(text=help_text(unknown, names)))

    def _call(self, invoke: Invoke) -> None:
        """A run of its own: behind the one that goes on."""
        if not self._single.skilled.invocations.knows(invoke.name):
            if why := self._single.skilled.catalogue.why_not(invoke.name):
                raise UserError(f"/{invoke.name} is not used: {why}", "/help shows what can be called")
            self._help(invoke.name)
        elif self._running is not None:
            self._waiting.append(invoke)
            self._screen.show(Notice(text=f"/{invoke.name} begins when the agent is done"))
        else:
            self._begin(invoke)

    def _begin(self, invoke: Invoke) -> None:
        self._running = self._tasks.create_task(self._invoke(invoke))
        self._running.add_done_callback(self._ended)

    async def _invoke(self, invoke: Invoke) -> None:
        try:
            await self._single.invoke(invoke.name, invoke.arguments)
        except RooCodeError as error:
            self._screen.show(Notice(text=str(error), level="error"))

    def _compact(self, focus: str) -> None:
        """A run of its own: what is said meanwhile waits for its end."""
        if self._running is not None:
            raise UserError(
                "the conversation cannot be compacted while the agent works", "press Esc, or wait"
            )
        work = compact_now(self._single.agent, focus, self._screen.show)
        self._running = self._tasks.create_task(work)
        self._running.add_done_callback(self._ended)

    def _rewind(self, turn: int | None, part: RewindPart, unclear: str) -> None:
        """Shows the turns, or goes back: a run of its own, after one that may still be keeping its files."""
        if turn is None:
            self._screen.show(Notice(text=turns_text(self._single.undo, unclear)))
            return
        if self._single.undo.busy or self._single.steering.waits:
            raise UserError(
                "nothing can be taken back while the agent works", "press Esc, or wait: for sub-agents, too"
            )
        before = self._running
        self._running = self._tasks.create_task(self._take_back(turn, part, before))
        self._running.add_done_callback(self._ended)

    async def _take_back(self, turn: int, part: RewindPart, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait([before])
        try:
            rewound = await self._single.rewind(turn, part)
        except RooCodeError as error:
            self._screen.show(Notice(text=str(error), level="error"))
            return
        root = self._single.hands.workspace.root
        self._screen.show(Notice(text=rewound_text(rewound, part, root)))

    def _say(self, text: str) -> None:
        message = self._single.prompt(text)
        if self._running is None:
            self._start(message)
        else:
            self._single.steering.say(message)

    def _news(self) -> None:
        """A sub-agent has reported: where nothing runs, that begins a run."""
        if self._running is None:
            self._start(None)

    def _start(self, message: Message | None) -> None:
        self._running = self._tasks.create_task(self._run(message))
        self._running.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Words that came too late for this run begin the next, after a cancel too; then what was called."""
        if self._running is not task:
            return
        self._running = None
        if not task.cancelled() and task.exception() is not None:
            return
        if message := self._single.steering.next():
            self._start(message)
        elif self._waiting:
            self._begin(self._waiting.popleft())
        elif self._single.family.arrivals.waits and not task.cancelled():
            self._start(None)

    def _interrupt(self) -> None:
        """Sends sub-agents in front into the background; else stops the run; else those in the background."""
        agents = self._single.family.agents
        if self._running is not None:
            if self._running.cancelling() or not agents.to_background():
                self._stop()
        elif agents.working and (self._stopping is None or self._stopping.done()):
            self._stopping = self._tasks.create_task(agents.stop_all())

    def _stop(self) -> None:
        if self._running is not None and not self._running.cancelling():
            self._running.cancel()

    async def _run(self, message: Message | None) -> None:
        try:
            await self._single.run(message)
        except RooCodeError as error:
            self._screen.show(Notice(text=str(error), level="error"))

    def _mode_changed(self, mode: Mode) -> None:
        self._note_mode(mode)
        self._screen.show_mode(mode)
