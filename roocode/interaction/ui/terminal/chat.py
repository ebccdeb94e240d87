"""The inline application: a live tail, an open question, teammates, the input and a toolbar."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from typing import Any

from prompt_toolkit.application import Application, run_in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    Dimension,
    FormattedTextControl,
    HSplit,
    Layout,
    Window,
)
from prompt_toolkit.layout.processors import BeforeInput

from roocode.interaction.ui.terminal.keys import bindings
from roocode.interaction.ui.terminal.questions import Questions, bar, details
from roocode.interaction.ui.terminal.status import MemberLine, member_lines, toolbar
from roocode.interaction.ui.terminal.transcript import Transcript
from roocode.protocol.commands import Command, Leave, SubmitPrompt
from roocode.protocol.events import Event, PermissionAnswered, PermissionAsked

TAIL_ROWS = 10
REPAINT_S = 0.04


class TerminalChat:
    """A screen that also gives commands: `show` events, iterate `commands`, and `run` it until it is left."""

    def __init__(self, agent: str = "main", **application: Any) -> None:
        self.questions = Questions()
        self.transcript = Transcript(self.width, agent)
        self.members: tuple[MemberLine, ...] = ()
        self.input = Buffer(multiline=True, history=InMemoryHistory())
        self._commands: asyncio.Queue[Command] = asyncio.Queue()
        self._finished: asyncio.Queue[str] = asyncio.Queue()
        self._application: Application[None] = Application(
            layout=Layout(self._body()),
            key_bindings=bindings(self),
            full_screen=False,
            mouse_support=False,
            erase_when_done=True,
            min_redraw_interval=REPAINT_S,
            **application,
        )
        self._application.ttimeoutlen = 0.05
        self._application.timeoutlen = 0.25

    @property
    def busy(self) -> bool:
        """Whether something runs that can be cancelled."""
        return bool(self.transcript.status.doing)

    def width(self) -> int:
        """Columns of the terminal."""
        return self._application.output.get_size().columns

    def show(self, event: Event) -> None:
        """Takes in an event; what is finished is printed in order."""
        text = self.transcript.take(event)
        if text:
            self._finished.put_nowait(text)
        if isinstance(event, PermissionAsked) and self.questions.add(event.question, time.monotonic()):
            self._finished.put_nowait(details(event.question))
        if isinstance(event, PermissionAnswered):
            self._close_question(event.question_id)
        self._application.invalidate()

    def show_members(self, members: tuple[MemberLine, ...]) -> None:
        """Replaces the lines of the teammates."""
        if members != self.members:
            self.members = members
            self._application.invalidate()

    def hint(self, text: str) -> None:
        """A word in the toolbar, until the next one."""
        self.transcript.status = replace(self.transcript.status, hint=text)
        self._application.invalidate()

    def give(self, command: Command) -> None:
        """Hands a command to the application."""
        if isinstance(command, SubmitPrompt) and self.busy:
            self._finished.put_nowait(f"\x1b[2mqueued: {command.text}\x1b[0m")
        self._commands.put_nowait(command)

    def answer(self, key: str) -> None:
        """A key that was pressed while a question is open."""
        command = self.questions.answer(key, time.monotonic())
        if command is not None:
            self._close_question(command.question_id)
            self.give(command)
            self._application.invalidate()

    async def commands(self) -> AsyncIterator[Command]:
        """The person's commands, until they leave."""
        while True:
            command = await self._commands.get()
            yield command
            if isinstance(command, Leave):
                return

    async def run(self) -> None:
        """Runs until `close`."""
        painter = asyncio.create_task(self._paint())
        try:
            await self._application.run_async(handle_sigint=False)
        finally:
            painter.cancel()
            self._write_rest()

    def close(self) -> None:
        """Leaves the screen; what is finished is printed first."""
        if self._application.is_running:
            self._application.exit()

    def _close_question(self, question_id: str) -> None:
        if self.questions.drop(question_id, time.monotonic()) and self.questions.current:
            self._finished.put_nowait(details(self.questions.current))

    async def _paint(self) -> None:
        while True:
            lines = [await self._finished.get()]
            while not self._finished.empty():
                lines.append(self._finished.get_nowait())
            await run_in_terminal(partial(_print, "\n".join(lines)))

    def _write_rest(self) -> None:
        while not self._finished.empty():
            _print(self._finished.get_nowait())

    def _body(self) -> HSplit:
        asking = Condition(lambda: self.questions.current is not None)
        return HSplit(
            [
                _shown_if(Condition(lambda: bool(self.transcript.tail.strip())), self._tail_text, TAIL_ROWS),
                _shown_if(Condition(lambda: bool(self.members)), self._member_text, 8),
                _shown_if(asking, self._question_text, 3, style="reverse"),
                Window(height=1, char="─"),
                ConditionalContainer(
                    Window(
                        BufferControl(self.input, input_processors=[BeforeInput("> ")]),
                        wrap_lines=True,
                        dont_extend_height=True,
                        height=Dimension(min=1, max=10),
                    ),
                    ~asking,
                ),
                Window(FormattedTextControl(self._toolbar_text), height=1, style="class:bottom-toolbar"),
            ]
        )

    def _tail_text(self) -> ANSI:
        return ANSI("\n".join(self.transcript.tail.splitlines()[-TAIL_ROWS:]))

    def _member_text(self) -> str:
        return member_lines(self.members, self.width())

    def _question_text(self) -> str:
        question = self.questions.current
        return bar(question, len(self.questions.waiting)) if question else ""

    def _toolbar_text(self) -> str:
        return toolbar(self.transcript.status, self.width())


def _shown_if(when: Condition, text: Any, rows: int, style: str = "") -> ConditionalContainer:
    window = Window(
        FormattedTextControl(text),
        wrap_lines=True,
        dont_extend_height=True,
        height=Dimension(max=rows),
        style=style,
    )
    return ConditionalContainer(window, when)


def _print(text: str) -> None:
    sys.stdout.write(text.rstrip("\n") + "\n")
    sys.stdout.flush()
