"""The chat for a terminal that knows only lines: plain text, and Enter behind every answer."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator

from roocode.interaction.ui.terminal.choices import Choice
from roocode.interaction.ui.terminal.dialog import Dialog
from roocode.interaction.ui.terminal.rule_list import RuleCheck, unchecked
from roocode.interaction.ui.terminal.styles import unstyled
from roocode.interaction.ui.terminal.transcript import Transcript
from roocode.protocol.commands import CancelRun, Command, Leave, SubmitPrompt
from roocode.protocol.decisions import Mode
from roocode.protocol.events import Event, PermissionAnswered, PermissionAsked, PromptAdded, RunEnded

READ_BYTES = 65536
MARGIN_S = 0.01
_WORDS = ("y", "yes", "s", "session", "a", "always", "n", "no", "t")


class LineChat:
    """`show` events, iterate `commands`, `run` it until it is left; Ctrl+C cancels, or leaves when idle."""

    def __init__(self, agent: str = "main", check_rule: RuleCheck = unchecked) -> None:
        self._transcript = Transcript(_width, agent)
        self._dialog = Dialog(self._say, self._give, width=_width, check=check_rule)
        self._commands: asyncio.Queue[Command] = asyncio.Queue()
        self._left = asyncio.Event()
        self._begun = b""
        self._typed = ""

    def show(self, event: Event) -> None:
        """Prints what an event finishes; the person's own line stands there already."""
        if not (isinstance(event, PromptAdded) and event.message.spoken == self._typed):
            self._print(self._transcript.take(event))
        match event:
            case PermissionAsked():
                self._dialog.ask(event.question)
            case PermissionAnswered():
                self._dialog.drop(lambda question: question.id == event.question_id)
            case RunEnded():
                self._dialog.drop(lambda question: question.agent == event.agent)
                if event.agent == self._transcript.agent:
                    self._invite()
            case _:
                pass

    def show_mode(self, mode: Mode) -> None:
        """Says which permission mode holds from now on."""
        self._print(f"permission mode: {mode}")

    async def choose(self, choice: Choice) -> str | None:
        """Asks the person; an empty line is no answer."""
        return await self._dialog.choose(choice)

    async def commands(self) -> AsyncIterator[Command]:
        """The person's commands, until they leave."""
        while True:
            command = await self._commands.get()
            yield command
            if isinstance(command, Leave):
                return

    async def run(self) -> None:
        """Reads lines until `close`; the end of the input is the person leaving."""
        loop = asyncio.get_running_loop()
        loop.add_reader(sys.stdin.fileno(), self._read)
        loop.add_signal_handler(signal.SIGINT, self._interrupted)
        self._invite()
        try:
            await self._left.wait()
        finally:
            loop.remove_reader(sys.stdin.fileno())
            loop.remove_signal_handler(signal.SIGINT)

    def close(self) -> None:
        """Reads no more."""
        self._left.set()

    def _read(self) -> None:
        content = os.read(sys.stdin.fileno(), READ_BYTES)
        *lines, self._begun = (self._begun + content).split(b"\n")
        for line in lines:
            self._take(line.decode("utf-8", "replace").strip())
        if not content:
            self._give(Leave())

    def _take(self, line: str) -> None:
        dialog = self._dialog
        if not dialog.is_open:
            if line:
                self._typed = line
                self._give(SubmitPrompt(line))
            else:
                self._invite()
        elif not dialog.is_answerable:
            self._print("(this line came before the question was seen: it does not count)")
        elif not dialog.is_choice:
            self._take_for_permission(line)
        elif not line:
            dialog.refuse()
        elif line.isdecimal() and len(line) == 1:
            dialog.answer(line)
        else:
            dialog.enter(line)

    def _take_for_permission(self, line: str) -> None:
        """One of _WORDS, `n` or `t` with the words of a no, or what the rules of an `a` are made of."""
        dialog = self._dialog
        word, _, words = line.partition(" ")
        if (rules := dialog.rules) is not None:
            if line.lower() == "ok":
                dialog.enter("")
            elif not rules.say(line):
                dialog.refuse()
        elif dialog.takes_words:
            dialog.enter(line)
        elif words and word.lower() in ("t", "n", "no"):
            dialog.answer("t")
            dialog.enter(words)
        elif line.lower() in _WORDS:
            dialog.answer(line[0].lower())
        self._show_state()

    def _show_state(self) -> None:
        """What an answer is being made in, or the keys again where a line was none."""
        dialog = self._dialog
        if dialog.rules is not None:
            self._print(dialog.rules.shown_for_lines(_width()))
        elif dialog.takes_words or dialog.is_answerable:
            self._print(dialog.bar)

    def _interrupted(self) -> None:
        runs = self._transcript.status.doing or self._transcript.sub_agents.working
        self._give(CancelRun() if runs else Leave())

    def _give(self, command: Command) -> None:
        self._commands.put_nowait(command)

    def _say(self, text: str) -> None:
        self._print(text)
        self._dialog.painted()
        left = self._dialog.quiet_left_s or 0.0
        asyncio.get_running_loop().call_later(left + MARGIN_S, lambda: self._print(self._dialog.bar))

    def _invite(self) -> None:
        self._write("> ")

    def _print(self, text: str) -> None:
        if text:
            self._write(unstyled(text).rstrip("\n") + "\n")

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()


def _width() -> int:
    return shutil.get_terminal_size().columns
