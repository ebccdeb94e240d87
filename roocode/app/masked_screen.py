"""Screens that never learn a secret: every event is masked before one takes it in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace

from roocode.interaction.ui.chat_screen import ChatScreen
from roocode.interaction.ui.terminal.choices import Choice
from roocode.protocol.commands import Command
from roocode.protocol.decisions import Mode
from roocode.protocol.events import (
    AnswerDelta,
    Answered,
    CallBegan,
    Event,
    RequestRetried,
    RequestStarted,
    RunEnded,
)
from roocode.security.isolation.masking import masked
from roocode.security.isolation.pieces import Pieces, StreamMask


class MaskedEvents:
    """Stands before a screen's `show`. An answer's text is held back by at most a word, until it is whole."""

    def __init__(self, mask: StreamMask, show: Callable[[Event], None]) -> None:
        self._mask = mask
        self._show = show
        self._streams: dict[str, tuple[AnswerDelta, Pieces]] = {}

    def __call__(self, event: Event) -> None:
        """Shows the event without secrets."""
        match event:
            case AnswerDelta():
                self._stream(event)
                return
            case RequestStarted() | RequestRetried():
                self._streams.pop(event.agent, None)
            case Answered() | RunEnded() | CallBegan():
                self._end_stream(event.agent)
            case _:
                pass
        self._show(masked(event, self._mask))

    def _stream(self, delta: AnswerDelta) -> None:
        begun = self._streams.get(delta.agent)
        if begun is None or begun[0].kind != delta.kind:
            self._end_stream(delta.agent)
            begun = self._streams[delta.agent] = (delta, Pieces(self._mask))
        if text := begun[1].add(delta.text):
            self._show(replace(delta, text=text))

    def _end_stream(self, agent: str) -> None:
        begun = self._streams.pop(agent, None)
        if begun is not None and (text := begun[1].end()):
            self._show(replace(begun[0], text=text))


class MaskedChat:
    """A ChatScreen that learns no secret."""

    def __init__(self, screen: ChatScreen, mask: StreamMask) -> None:
        self._screen = screen
        self._mask = mask
        self.show = MaskedEvents(mask, screen.show)

    def show_mode(self, mode: Mode) -> None:
        """Says which permission mode holds from now on."""
        self._screen.show_mode(mode)

    async def choose(self, choice: Choice) -> str | None:
        """Asks the person one of the model's questions; None when they would not answer."""
        return await self._screen.choose(masked(choice, self._mask))

    def commands(self) -> AsyncIterator[Command]:
        """The person's commands; Leave is the last."""
        return self._screen.commands()

    async def run(self) -> None:
        """Runs until `close`, or until the terminal goes away."""
        await self._screen.run()

    def close(self) -> None:
        """Leaves the screen; what is finished is printed first."""
        self._screen.close()
