"""Tells an agent the instructions that hold where it works: at the start, and in each new directory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from roocode.engine.loop.limits import Tally
from roocode.memory.instructions.stack import HEAD, of_folder, stack
from roocode.protocol.messages import REMINDER, Message, Text, reminder

REMEMBERED = (
    "Notes from earlier sessions (Remember writes them, ReadFile shows a whole one). They are what was known "
    "then: check what may have changed."
)
FILE_TOOLS = frozenset({"ReadFile", "EditFile", "WriteFile"})


class Tellable(Protocol):
    """A conversation, as far as a briefing needs it."""

    def messages(self) -> tuple[Message, ...]:
        """What is sent."""
        ...

    def add_prompt(self, message: Message) -> None:
        """Stores a user message."""
        ...


class Briefing:
    """A step of the loop for an agent in `root`; `home` is RooCode's own directory of the person.

    `notes` gives what is remembered from earlier sessions.

    What the conversation holds is not told again; after a summary it is, as the files then are.
    """

    def __init__(
        self, conversation: Tellable, root: Path, home: Path, notes: Callable[[], str] = str
    ) -> None:
        self._conversation = conversation
        self._root = root
        self._home = home
        self._notes = notes

    async def __call__(self, _tally: Tally) -> bool:
        """Adds what is missing. Brings no outside input."""
        messages = self._conversation.messages()
        told = set(_reminders(messages))
        found: list[str] = []
        if not any(HEAD in text for text in told):
            found.append(stack(self._root, self._home).text)
        if not any(REMEMBERED in text for text in told) and (notes := self._notes()):
            found.append(f"{REMEMBERED}\n\n{notes}")
        found += [of_folder(folder, self._root).text for folder in self._folders(messages)]
        texts = [reminder(text) for text in found if text]
        new = tuple(text for text in texts if text.text not in told)
        if new:
            self._conversation.add_prompt(Message("user", new))
        return False

    def _folders(self, messages: tuple[Message, ...]) -> Iterator[Path]:
        """The directories below the root on the way to the files of the last calls, outermost first."""
        calls = next((message.calls for message in reversed(messages) if message.role == "assistant"), ())
        folders: dict[Path, None] = {}
        for call in calls:
            path = (call.arguments or {}).get("path")
            if call.name in FILE_TOOLS and isinstance(path, str) and "\0" not in path:
                file = Path(os.path.realpath(self._root / path))
                inside = [
                    each for each in file.parents if each != self._root and each.is_relative_to(self._root)
                ]
                folders.update(dict.fromkeys(reversed(inside)))
        yield from folders


def _reminders(messages: tuple[Message, ...]) -> Iterator[str]:
    for message in messages:
        for block in message.blocks:
            if isinstance(block, Text) and block.text.startswith(REMINDER):
                yield block.text
