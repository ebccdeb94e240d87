"""What keys do in the chat."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

from prompt_toolkit.filters import Condition, Filter
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from roocode.interaction.ui.terminal.choices import MOST_BY_KEY
from roocode.protocol.commands import CancelRun, Command, Leave, SubmitPrompt

if TYPE_CHECKING:
    from prompt_toolkit.buffer import Buffer

    from roocode.interaction.ui.terminal.dialog import Dialog

TWICE_S = 2.0


class Chat(Protocol):
    """What the keys act on."""

    input: Buffer
    dialog: Dialog

    @property
    def busy(self) -> bool:
        """Whether something runs that can be cancelled."""
        ...

    def give(self, command: Command) -> None:
        """Hands a command of the person to the application."""
        ...

    def next_mode(self) -> None:
        """Asks for the next permission mode."""
        ...

    def hint(self, text: str, seconds: float) -> None:
        """Shows a word for a while."""
        ...


def bindings(chat: Chat, *, marks_pastes: bool = True) -> KeyBindings:
    """Enter sends, Esc interrupts or says no, Ctrl+C twice leaves, y s a n t and numbers answer a question.

    On a terminal that does not mark pastes, Enter with more keys right behind it is a part of one.
    """
    keys = KeyBindings()
    _typing(keys, chat, marks_pastes)
    _answering(keys, chat)
    _stopping(keys, chat)
    _others(keys, chat)
    return keys


def _typing(keys: KeyBindings, chat: Chat, marks_pastes: bool) -> None:
    typing = Condition(lambda: not chat.dialog.is_open)

    @keys.add("enter", filter=typing)
    def send(event: KeyPressEvent) -> None:
        text = chat.input.text
        if event.app.key_processor.input_queue and not marks_pastes:
            chat.input.insert_text("\n")
        elif chat.input.document.text_before_cursor.endswith("\\"):
            chat.input.delete_before_cursor(1)
            chat.input.insert_text("\n")
        elif text.strip():
            chat.input.reset(append_to_history=True)
            chat.give(SubmitPrompt(text.strip("\n")))

    @keys.add("escape", "enter")
    @keys.add("c-j")
    def newline(event: KeyPressEvent) -> None:
        chat.input.insert_text("\n")


def _answering(keys: KeyBindings, chat: Chat) -> None:
    dialog = chat.dialog
    asked = Condition(lambda: dialog.is_open and not dialog.takes_words)
    permission = Condition(
        lambda: dialog.is_answerable and not (dialog.is_choice or dialog.is_list or dialog.takes_words)
    )
    choice = Condition(lambda: dialog.is_answerable and dialog.is_choice)
    by_number = choice & Condition(lambda: not chat.input.text)
    _answers(keys, dialog, "ysant", permission)
    _answers(keys, dialog, "".join(map(str, range(1, MOST_BY_KEY + 1))), by_number)
    _rules(keys, chat)

    @keys.add("enter", filter=choice | Condition(lambda: dialog.takes_words or dialog.is_list))
    def enter(event: KeyPressEvent) -> None:
        words = chat.input.text
        if dialog.is_telling:
            chat.input.reset(append_to_history=bool(words.strip()))
            dialog.enter(words)
        elif dialog.enter(words) and words.strip():
            chat.input.reset(append_to_history=True)

    @keys.add("enter", filter=permission | (asked & ~choice & Condition(lambda: not dialog.is_list)))
    def confirm(event: KeyPressEvent) -> None:
        letter = chat.input.text
        if dialog.confirms(letter):
            chat.input.reset()
            dialog.answer(letter)

    @keys.add(Keys.Any, filter=permission)
    def type_words(event: KeyPressEvent) -> None:
        dialog.typed()
        chat.input.insert_text(event.data)

    @keys.add("escape", filter=Condition(lambda: dialog.is_open))
    def refuse(event: KeyPressEvent) -> None:
        dialog.refuse()


def _rules(keys: KeyBindings, chat: Chat) -> None:
    """The list of rules of an "always": nothing of this allows anything but Enter in an empty input."""
    dialog = chat.dialog
    shown = Condition(lambda: dialog.is_list and dialog.is_answerable)
    _answers(keys, dialog, "ef", shown)

    for name in ("up", "down", "tab", "space", *map(str, range(1, 6))):

        @keys.add(name, filter=shown, eager=True)
        def press(event: KeyPressEvent, key: str = " " if name == "space" else name) -> None:
            dialog.answer(key)

    @keys.add(Keys.Any, filter=shown)
    def type_words(event: KeyPressEvent) -> None:
        dialog.typed()
        chat.input.insert_text(event.data)


def _answers(keys: KeyBindings, dialog: Dialog, characters: str, when: Filter) -> None:
    for character in characters:

        @keys.add(character, filter=when, eager=True)
        def answer(event: KeyPressEvent, key: str = character) -> None:
            dialog.hold(key)


def _stopping(keys: KeyBindings, chat: Chat) -> None:
    pressed_at = float("-inf")

    @keys.add("escape", filter=Condition(lambda: chat.busy and not chat.dialog.is_open))
    def cancel(event: KeyPressEvent) -> None:
        chat.give(CancelRun())

    @keys.add("c-c")
    def cancel_or_leave(event: KeyPressEvent) -> None:
        nonlocal pressed_at
        now = time.monotonic()
        if now - pressed_at < TWICE_S:
            chat.give(Leave())
            return
        pressed_at = now
        if chat.busy:
            chat.give(CancelRun())
        else:
            chat.input.reset()
        chat.hint("press Ctrl+C again to leave", TWICE_S)

    @keys.add("c-d", filter=Condition(lambda: not chat.input.text))
    def leave(event: KeyPressEvent) -> None:
        chat.give(Leave())


def _others(keys: KeyBindings, chat: Chat) -> None:
    @keys.add("s-tab", filter=Condition(lambda: not chat.dialog.is_open))
    def next_mode(event: KeyPressEvent) -> None:
        chat.next_mode()

    @keys.add("c-z")
    def suspend(event: KeyPressEvent) -> None:
        event.app.suspend_to_background()
