"""The inline application: a live tail, teammates, an open question, the input and a toolbar."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.output import ColorDepth

from roocode.interaction.commands.reading import is_slash
from roocode.interaction.ui.safe_text import prose
from roocode.interaction.ui.terminal.choices import Choice
from roocode.interaction.ui.terminal.dialog import Dialog
from roocode.interaction.ui.terminal.inline_application import InlineApplication
from roocode.interaction.ui.terminal.keys import bindings
from roocode.interaction.ui.terminal.layout import TAIL_ROWS, layout
from roocode.interaction.ui.terminal.markdown import warm_up
from roocode.interaction.ui.terminal.rule_list import RuleCheck, unchecked
from roocode.interaction.ui.terminal.status import MemberLine, member_lines, sub_agent_lines, toolbar
from roocode.interaction.ui.terminal.steady_output import SteadyOutput
from roocode.interaction.ui.terminal.styles import DIM, RESET, unstyled, wants_styles
from roocode.interaction.ui.terminal.transcript import Transcript
from roocode.protocol.commands import Command, Leave, SetMode, SubmitPrompt
from roocode.protocol.decisions import Mode
from roocode.protocol.events import Event, PermissionAnswered, PermissionAsked, RunEnded

REPAINT_S = 0.04
TICK_S = 1.0
ESCAPE_S = 0.05
"""How long an escape byte waits for the rest of a key's sequence."""
ALT_ENTER_S = 0.25
NO_BRACKETED_PASTE = ("linux", "ansi", "vt52", "vt100", "vt102", "vt220")
"""Terminals that do not mark what is pasted."""
MODES_BY_KEY: tuple[Mode, ...] = ("default", "acceptEdits", "plan")


class TerminalChat:
    """A screen that also gives commands: `show` events, iterate `commands`, and `run` it until it is left.

    What is finished goes to the terminal's own scrollback; only what may change is repainted.
    """

    def __init__(self, agent: str = "main", check_rule: RuleCheck | None = None) -> None:
        self.input = Buffer(multiline=True, history=InMemoryHistory())
        self._put_aside = ""
        self.dialog = Dialog(
            self._ask, self.give, width=self._width, check=check_rule or unchecked, write=self._write_for
        )
        self._transcript = Transcript(self._width, agent)
        self._members: tuple[MemberLine, ...] = ()
        self._hint, self._hint_until = "", 0.0
        self._commands: asyncio.Queue[Command] = asyncio.Queue()
        self._finished: asyncio.Queue[str] = asyncio.Queue()
        self._styled = wants_styles(os.environ)
        self._output = SteadyOutput.on(sys.stdout, os.environ.get("TERM"))
        self._application = self._build()

    @property
    def busy(self) -> bool:
        """Whether something runs that can be cancelled."""
        return bool(self._transcript.status.doing or self._transcript.sub_agents.working)

    def show(self, event: Event) -> None:
        """Takes in an event; what is finished is printed in order."""
        self._print(self._transcript.take(event))
        match event:
            case PermissionAsked():
                self.dialog.ask(event.question)
            case PermissionAnswered():
                self.dialog.drop(lambda question: question.id == event.question_id)
            case RunEnded():
                self.dialog.drop(lambda question: question.agent == event.agent)
            case _:
                pass
        self._application.invalidate()

    def show_members(self, members: tuple[MemberLine, ...]) -> None:
        """Replaces the lines of the teammates."""
        if members != self._members:
            self._members = members
            self._application.invalidate()

    def show_mode(self, mode: Mode) -> None:
        """Says which permission mode holds from now on."""
        self._transcript.status = replace(self._transcript.status, mode=mode)
        self._application.invalidate()

    async def choose(self, choice: Choice) -> str | None:
        """Asks the person; None when they would not answer."""
        answer = await self.dialog.choose(choice)
        self._print(f"  {DIM}{'no answer' if answer is None else prose(answer)}{RESET}")
        return answer

    async def commands(self) -> AsyncIterator[Command]:
        """The person's commands, until they leave."""
        while True:
            command = await self._commands.get()
            yield command
            if isinstance(command, Leave):
                return

    async def run(self) -> None:
        """Runs until `close`; a terminal that goes away is the person leaving."""
        try:
            with suppress(EOFError):
                await self._application.run_async(
                    pre_run=self._start, set_exception_handler=False, handle_sigint=False
                )
        finally:
            self._commands.put_nowait(Leave())
            self._write_rest()

    def close(self) -> None:
        """Leaves the screen; what is finished is printed first."""
        if self._application.is_running and not self._application.is_done:
            self._application.exit()

    def give(self, command: Command) -> None:
        """A command of the person, from the keys."""
        doing = self._transcript.status.doing
        if isinstance(command, SubmitPrompt) and (doing or is_slash(command.text)):
            mark = "> " if is_slash(command.text) else "queued: "
            self._print(f"{DIM}{mark}{prose(command.text)}{RESET}")
        self._commands.put_nowait(command)

    def hint(self, text: str, seconds: float) -> None:
        """A word in the toolbar, for a while."""
        self._hint, self._hint_until = text, time.monotonic() + seconds
        self._repaint_in(seconds)

    def next_mode(self) -> None:
        """The person wants the next permission mode."""
        mode = self._transcript.status.mode
        index = MODES_BY_KEY.index(mode) + 1 if mode in MODES_BY_KEY else 0
        self.give(SetMode(MODES_BY_KEY[index % len(MODES_BY_KEY)]))

    def _build(self) -> InlineApplication:
        typing = Condition(
            lambda: (
                not self.dialog.is_answerable
                or self.dialog.is_choice
                or self.dialog.takes_words
                or bool(self.input.text)
            )
        )
        application = InlineApplication(
            layout=layout(
                tail=lambda: self._transcript.last_lines(TAIL_ROWS),
                members=lambda: member_lines(
                    (*self._members, *sub_agent_lines(self._transcript.sub_agents)), self._width()
                ),
                bar=lambda: self._painted(self.dialog.bar),
                buffer=self.input,
                typing=typing,
                toolbar=self._toolbar,
            ),
            key_bindings=bindings(self, marks_pastes=os.environ.get("TERM") not in NO_BRACKETED_PASTE),
            output=self._output,
            color_depth=None if self._styled else ColorDepth.DEPTH_1_BIT,
            min_redraw_interval=REPAINT_S,
        )
        application.ttimeoutlen = ESCAPE_S
        application.timeoutlen = ALT_ENTER_S
        application.key_processor.before_key_press += lambda _: self._key_pressed()
        return application

    def _start(self) -> None:
        self._application.create_background_task(self._print_what_is_finished())
        self._application.create_background_task(self._tick())
        self._application.create_background_task(asyncio.to_thread(warm_up))

    async def _print_what_is_finished(self) -> None:
        """Prints above the live region, at most once in REPAINT_S."""
        while True:
            text = await self._finished.get()
            while not self._finished.empty():
                text += self._finished.get_nowait()
            self._application.print_above(text)
            self.dialog.painted()
            self._repaint_when_keys_count()
            await asyncio.sleep(REPAINT_S)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            if self.busy or self.dialog.is_open:
                self._application.invalidate()

    def _print(self, text: str) -> None:
        if text:
            self._finished.put_nowait(self._painted(text).rstrip("\n") + "\n")

    def _write_rest(self) -> None:
        while not self._finished.empty():
            self._output.write_raw(self._finished.get_nowait())
        self._output.flush()

    def _ask(self, text: str) -> None:
        self._transcript.after_call = False
        self._print(text)

    def _write_for(self, text: str | None) -> None:
        """Lends the input to the dialog, with a text to begin with, and takes it back."""
        if text is None:
            self.input.document = Document(self._put_aside)
            self._put_aside = ""
        else:
            self._put_aside = self.input.text
            self.input.document = Document(text)

    def _key_pressed(self) -> None:
        if letter := self.dialog.pressed():
            self.input.insert_text(letter)
        self._repaint_when_keys_count()

    def _repaint_when_keys_count(self) -> None:
        if (left := self.dialog.quiet_left_s) is not None:
            self._repaint_in(left)

    def _repaint_in(self, seconds: float) -> None:
        self._application.invalidate()
        asyncio.get_running_loop().call_later(seconds + REPAINT_S, self._application.invalidate)

    def _painted(self, text: str) -> str:
        return text if self._styled else unstyled(text)

    def _width(self) -> int:
        return self._output.get_size().columns

    def _toolbar(self) -> str:
        now = time.monotonic()
        if now < self._hint_until:
            return f"  {self._hint}"
        is_inside = self.dialog.rules is not None or self.dialog.takes_words
        in_front = any(each.state == "working" for each in self._transcript.sub_agents.working)
        interrupt = "esc: to the background" if in_front else "esc to interrupt"
        escape = "back" if is_inside else "no"
        return toolbar(self._transcript.status, now, self._width(), escape, interrupt)
