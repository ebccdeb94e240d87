"""Calls that a model prints as text, as small local models do whose server does not know their format.

Only where the endpoint's profile says so: else an answer that quotes a call would run it.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Literal, cast

from roocode.engine.models.call_ids import CallIds
from roocode.protocol.frozen import frozen
from roocode.protocol.models import (
    CallArguments,
    CallEnded,
    CallStarted,
    Finished,
    ModelClient,
    ModelRequest,
    Retrying,
    StreamEvent,
    TextDelta,
)

READ = "this model prints its calls as text: they are read as calls, as its profile says"
NOT_READ = (
    "the model printed a call as text, so nothing was run; "
    "`roocode provider test {provider}` finds out whether such calls can be read"
)

_TAG, _END_TAG = "<tool_call>", "</tool_call>"
_TAGGED = re.compile(rf"{_TAG}\s*(.*?)\s*(?:{_END_TAG}|\Z)", re.DOTALL)
_FENCED = re.compile(r"```[a-z_]*\s*(.*?)\s*```", re.DOTALL)
_BEGINNINGS = ("{", "[", "`", "<")
_NAMES = ("name", "tool", "tool_name", "function")
_ARGUMENTS = ("arguments", "parameters", "args", "input")


@frozen
class PrintedCall:
    """A call as a model printed it; `arguments` is JSON text."""

    name: str
    arguments: str


class TextCallClient:
    """Implements `ModelClient`: reads printed calls where `enabled`, else only says that there was one."""

    def __init__(
        self, client: ModelClient, provider: str, tell: Callable[[str], None], *, enabled: bool
    ) -> None:
        self._client = client
        self._provider = provider
        self._tell = tell
        self._enabled = enabled
        self._told = False
        self._taken: set[str] = set()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent | Retrying, None]:
        """Yields the events of one response."""
        source = cast("AsyncGenerator[StreamEvent | Retrying, None]", self._client.stream(request))
        callable_now = request.tools if request.tool_choice == "auto" else ()
        offered = frozenset(spec.name for spec in callable_now)
        held = _Held(offered, self._enabled, self._ids(request))
        async with aclosing(source) as events:
            async for event in events:
                for ours in held.take(event):
                    yield ours
        if held.printed and not self._told:
            self._told = True
            self._tell(READ if self._enabled else NOT_READ.format(provider=self._provider))

    async def close(self) -> None:
        """Closes connections."""
        await self._client.close()

    def _ids(self, request: ModelRequest) -> CallIds:
        """The ids that no call has, not even one that has left the history since."""
        self._taken.update(call.id for message in request.messages for call in message.calls)
        return CallIds(self._taken, turn=len(request.messages))


class _Held:
    """Holds back the text that may be a call, until the answer's end tells."""

    def __init__(self, offered: frozenset[str], enabled: bool, ids: CallIds) -> None:
        self._offered = offered
        self._enabled = enabled and bool(offered)
        self._ids = ids
        self._start()
        self.printed = False

    def _start(self) -> None:
        self._held: list[str] = []
        self._mode: Literal["open", "holding", "flowing", "called"] = "open"

    def take(self, event: StreamEvent | Retrying) -> Iterator[StreamEvent | Retrying]:
        """The events that can be passed on now."""
        match event:
            case TextDelta():
                passed = self._passed(event.text)
                if not self._enabled:
                    yield event
                elif passed:
                    yield TextDelta(passed)
            case CallStarted():
                yield from self._flush()
                self._mode = "called"
                yield event
            case Retrying():
                self._start()
                yield event
            case Finished():
                yield from self._finish(event)
            case _:
                yield event

    def _passed(self, piece: str) -> str:
        """What of the text so far cannot belong to a call; the rest is held."""
        if self._mode == "called":
            return piece
        self._held.append(piece)
        if self._mode == "holding":
            return ""
        text = "".join(self._held)
        if self._mode == "open":
            if not (begun := text.lstrip()):
                return ""
            self._mode = "holding" if begun.startswith(_BEGINNINGS) else "flowing"
        if self._mode == "holding":
            return ""
        end = text.find(_TAG)
        if end >= 0:
            self._mode = "holding"
        else:
            end = len(text) - _overlap(text)
        self._held = [text[end:]]
        return text[:end]

    def _finish(self, event: Finished) -> Iterator[StreamEvent]:
        calls = [] if self._mode == "called" else printed_calls("".join(self._held), self._offered)
        self.printed = bool(calls)
        if not (calls and self._enabled):
            yield from self._flush()
            yield event
            return
        for slot, call in enumerate(calls):
            yield self._ids.settle(CallStarted(slot, "", call.name))
            yield CallArguments(slot, call.arguments)
            yield CallEnded(slot)
        yield replace(event, stop="tools")

    def _flush(self) -> Iterator[StreamEvent]:
        text, self._held = "".join(self._held), []
        if text and self._enabled:
            yield TextDelta(text)


def printed_calls(text: str, offered: frozenset[str]) -> list[PrintedCall]:
    """The calls of offered tools that a text consists of; none where any of it is something else.

    They stand as JSON alone or in a fence, or in `<tool_call>` tags, before which there may be words.
    """
    if _TAG in text:
        parts = [match[1] for match in _TAGGED.finditer(text)]
    else:
        fenced = _FENCED.fullmatch(text.strip())
        parts = [fenced[1] if fenced else text.strip()]
    calls: list[PrintedCall] = []
    for part in parts:
        values = _values(part)
        found = [_call(value, offered) for value in values]
        if not found or None in found:
            return []
        calls += [call for call in found if call is not None]
    return calls


def _values(text: str) -> list[Any]:
    """The JSON values of a text, one behind another; an array stands for its items."""
    decoder, values, place = json.JSONDecoder(), [], 0
    try:
        while place < len(text):
            value, place = decoder.raw_decode(text, place)
            values += value if isinstance(value, list) else [value]
            while place < len(text) and text[place] in " \r\n\t;,":
                place += 1
    except (ValueError, RecursionError):
        return []
    return values


def _call(value: Any, offered: frozenset[str]) -> PrintedCall | None:
    if not isinstance(value, dict):
        return None
    inner = value.get("function")
    source = inner if isinstance(inner, dict) else value
    name = next((source[key] for key in _NAMES if isinstance(source.get(key), str)), "")
    given = next((source[key] for key in _ARGUMENTS if key in source), None)
    if isinstance(given, str):
        given = next(iter(_values(given)), None)
    if name not in offered or not isinstance(given, dict):
        return None
    return PrintedCall(name, json.dumps(given, ensure_ascii=False))


def _overlap(text: str) -> int:
    """How many characters at the end may be the beginning of a tag."""
    longest = min(len(_TAG) - 1, len(text))
    return next((size for size in range(longest, 0, -1) if _TAG.startswith(text[-size:])), 0)
