"""Sorts the call deltas of Chat Completions, which interleave, into calls.

Servers leave out what the protocol promises: an index, an id, a name in the first delta, or they use one
index for all calls. So a delta finds its call by index, else by id, else by its place.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from roocode.engine.models import loose
from roocode.protocol.frozen import frozen
from roocode.protocol.models import CallArguments, CallEnded, CallStarted, StreamEvent


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    slot: int = -1
    pieces: list[str] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Whether its arguments are a JSON value already, so that no delta can continue them."""
        try:
            json.loads("".join(self.pieces))
        except (ValueError, RecursionError):
            return False
        return True


@frozen
class _Delta:
    index: int | None
    id: str
    name: str
    arguments: str


class CallSorter:
    """Takes deltas, gives events: a call starts once its name is known, and all end together."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._started = 0

    @property
    def empty(self) -> bool:
        """Whether no call has come."""
        return not self._calls

    def add(self, deltas: Any) -> Iterator[StreamEvent]:
        """The events of one chunk's `tool_calls`."""
        parts = [_delta(part) for part in loose.mappings(deltas)]
        for place, delta in enumerate(parts):
            call = self._find(delta, place if len(parts) > 1 else None)
            call.id = call.id or delta.id
            if delta.arguments:
                call.pieces.append(delta.arguments)
            if call.slot >= 0 and delta.arguments:
                yield CallArguments(call.slot, delta.arguments)
            elif call.slot < 0 and delta.name:
                call.name = delta.name
                yield from self._start(call)

    def end(self) -> Iterator[StreamEvent]:
        """Starts the calls that never got a name, then ends all."""
        for call in self._calls:
            if call.slot < 0:
                yield from self._start(call)
        for call in sorted(self._calls, key=lambda call: call.slot):
            yield CallEnded(call.slot)

    def _start(self, call: _Call) -> Iterator[StreamEvent]:
        call.slot = self._started
        self._started += 1
        yield CallStarted(call.slot, call.id, call.name)
        if call.pieces:
            yield CallArguments(call.slot, "".join(call.pieces))

    def _find(self, delta: _Delta, place: int | None) -> _Call:
        found = self._known(delta, place)
        if found is None or self._begins_another(found, delta):
            found = _Call()
            self._calls.append(found)
        if delta.index is not None:
            self._by_index[delta.index] = found
        return found

    def _known(self, delta: _Delta, place: int | None) -> _Call | None:
        if delta.index is not None:
            opens = delta.id or delta.name
            return self._by_index.get(delta.index) or (None if opens else self._last)
        if delta.id:
            return next(
                (call for call in reversed(self._calls) if call.id == delta.id), self._unidentified(delta)
            )
        if place is None:
            return self._last
        return self._calls[place] if place < len(self._calls) and not delta.name else None

    def _unidentified(self, delta: _Delta) -> _Call | None:
        """The last call, where this delta only brings its id."""
        return self._last if self._last and not self._last.id and not delta.name else None

    def _begins_another(self, call: _Call, delta: _Delta) -> bool:
        """A name where the call has one: another call, unless the server repeats the name in every delta.

        One that repeats the id too may end with a delta without arguments, as llama-cpp-python does.
        """
        if not (delta.name and call.name):
            return False
        if delta.id and call.id and delta.id != call.id:
            return True
        if delta.id and delta.name == call.name and not delta.arguments.strip():
            return False
        return delta.name != call.name or call.whole

    @property
    def _last(self) -> _Call | None:
        return self._calls[-1] if self._calls else None


def _delta(part: Mapping[str, Any]) -> _Delta:
    function, index = loose.mapping(part.get("function")), part.get("index")
    return _Delta(
        index if isinstance(index, int) else None,
        loose.text(part.get("id")),
        loose.text(function.get("name")),
        loose.json_text(function.get("arguments")),
    )
