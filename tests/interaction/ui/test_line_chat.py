"""The chat of lines: which line is which answer."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
import pytest_asyncio

from roocode.interaction.ui.line_chat import LineChat
from roocode.protocol.commands import AnswerPermission
from roocode.protocol.decisions import PermissionAnswer
from roocode.protocol.events import PermissionAsked
from tests.interaction.ui.samples import question

KEYS = "[t]ell it why not"
pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(60)]


@dataclass
class Terminal:
    """A chat, what it prints, and the lines that a person types."""

    chat: LineChat
    keyboard: int
    printed: pytest.CaptureFixture[str]
    screen: str = ""

    async def wait_for(self, text: str) -> None:
        """Until this is printed after all that was waited for before."""
        async with asyncio.timeout(20):
            while text not in self.screen:
                self.screen += self.printed.readouterr().out
                await asyncio.sleep(0.005)
        self.screen = self.screen.partition(text)[2]

    async def ask(self) -> None:
        """A question, until its keys are shown."""
        self.chat.show(PermissionAsked(question=question()))
        await self.wait_for(KEYS)

    def type(self, line: str) -> None:
        os.write(self.keyboard, f"{line}\n".encode())

    async def given(self) -> PermissionAnswer:
        """The next command, which is the answer."""
        async with asyncio.timeout(20):
            command = await anext(self.chat.commands())
        assert isinstance(command, AnswerPermission)
        return command.answer


@pytest_asyncio.fixture
async def terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> AsyncIterator[Terminal]:
    theirs, ours = os.pipe()
    with os.fdopen(theirs) as keyboard:
        monkeypatch.setattr("sys.stdin", keyboard)
        chat = LineChat()
        running = asyncio.create_task(chat.run())
        try:
            yield Terminal(chat, ours, capsys)
        finally:
            chat.close()
            await running
            os.close(ours)


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["y"], PermissionAnswer(True, "once")),
        (["Yes"], PermissionAnswer(True, "once")),
        (["s"], PermissionAnswer(True, "session")),
        (["session"], PermissionAnswer(True, "session")),
        (["n"], PermissionAnswer(False, "once", "the person said no")),
        (["no"], PermissionAnswer(False, "once", "the person said no")),
        (["t use tox"], PermissionAnswer(False, "once", "use tox")),
        (["n use tox"], PermissionAnswer(False, "once", "use tox")),
        (["no use tox"], PermissionAnswer(False, "once", "use tox")),
        (["t", "yes, but with tox"], PermissionAnswer(False, "once", "yes, but with tox")),
    ],
)
async def test_a_whole_word_is_an_answer(
    terminal: Terminal, lines: list[str], answer: PermissionAnswer
) -> None:
    await terminal.ask()
    for line in lines:
        terminal.type(line)
    assert await terminal.given() == answer


@pytest.mark.parametrize("line", ["a", "ALWAYS"])
async def test_always_opens_the_rules(terminal: Terminal, line: str) -> None:
    await terminal.ask()
    terminal.type(line)
    await terminal.wait_for("ok: store and run")


async def test_no_other_line_is_one_and_the_keys_are_shown_again(terminal: Terminal) -> None:
    others = ("stop", "yesterday it failed", "y not", "yes please", "sure", "s/a/b/", "yy", "all", "no!", "")
    await terminal.ask()
    for line in (*others, "nothing of that", "try again", "always run it"):
        terminal.type(line)
        await terminal.wait_for(KEYS)
    terminal.type("n")
    assert await terminal.given() == PermissionAnswer(False, "once", "the person said no")
