"""What keys do in the chat."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

from prompt_toolkit.filters import Condition, Filter
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from roocode.protocol.commands import CancelRun, Command, Leave, SubmitPrompt

if TYPE_CHECKING:
    from prompt_toolkit.buffer import Buffer

    from roocode.interaction.ui.terminal.questions import Questions

TWICE_S = 2.0


class Chat(Protocol):
    """What the keys act on."""

    input: Buffer
    questions: Questions

    @property
    def busy(self) -> bool: ...

    def give(self, command: Command) -> None: ...

    def answer(self, key: str) -> None: ...

    def hint(self, text: str) -> None: ...


def bindings(chat: Chat) -> KeyBindings:
    """Enter sends, Esc interrupts or says no, Ctrl+C twice leaves, y s a n answer a question."""
    keys = KeyBindings()
    asking = Condition(lambda: chat.questions.current is not None)
    _typing(keys, chat, ~asking)
    _answering(keys, chat, asking)
    _stopping(keys, chat)
    return keys


def _typing(keys: KeyBindings, chat: Chat, typing: Filter) -> None:
    @keys.add("enter", filter=typing)
    def send(event: KeyPressEvent) -> None:
        text = chat.input.text
        if text.endswith("\\"):
            chat.input.delete_before_cursor(1)
            chat.input.insert_text("\n")
        elif text.strip():
            chat.input.reset(append_to_history=True)
            chat.hint("")
            chat.give(SubmitPrompt(text))

    @keys.add("escape", "enter", filter=typing)
    @keys.add("c-j", filter=typing)
    def newline(event: KeyPressEvent) -> None:
        chat.input.insert_text("\n")


def _answering(keys: KeyBindings, chat: Chat, asking: Condition) -> None:
    for key in "ysan":

        @keys.add(key, filter=asking, eager=True)
        def answer(event: KeyPressEvent, key: str = key) -> None:
            chat.answer(key)

    @keys.add("escape", filter=asking)
    def refuse(event: KeyPressEvent) -> None:
        chat.answer("n")


def _stopping(keys: KeyBindings, chat: Chat) -> None:
    pressed_at = [float("-inf")]

    @keys.add("escape", filter=Condition(lambda: chat.busy and chat.questions.current is None))
    def cancel(event: KeyPressEvent) -> None:
        chat.give(CancelRun())

    @keys.add("c-c")
    def cancel_or_leave(event: KeyPressEvent) -> None:
        now = time.monotonic()
        if now - pressed_at[0] < TWICE_S:
            chat.give(Leave())
            return
        pressed_at[0] = now
        if chat.busy:
            chat.give(CancelRun())
        elif chat.input.text:
            chat.input.reset()
        chat.hint("press Ctrl+C again to leave")

    @keys.add("c-d", filter=Condition(lambda: not chat.input.text))
    def leave(event: KeyPressEvent) -> None:
        chat.give(Leave())
