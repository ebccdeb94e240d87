"""The OpenAI Responses protocol: responses, from OpenAI and from servers that come close.

An answer is a list of items, each added, filled by deltas and done. Items are told apart by `output_index`:
some servers change an item's id on the way. The last event repeats the whole answer, or leaves it out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from roocode.engine.models import loose
from roocode.engine.models.failures import Failures
from roocode.engine.models.response_items import CALLS, PIECES, Item
from roocode.engine.models.sse import ServerSentEvent
from roocode.protocol.messages import StopReason, Usage
from roocode.protocol.models import Finished, StreamEvent, UsageReported

_ENDS = ("response.completed", "response.incomplete", "response.done")
_INCOMPLETE: dict[str, StopReason] = {"max_output_tokens": "max_tokens", "content_filter": "refusal"}


class ResponsesParser:
    """Implements `Parser` for one response. Events and items of unknown kinds are passed over."""

    def __init__(self, failures: Failures) -> None:
        self._failures = failures
        self._items: dict[int, Item] = {}
        self._model = ""
        self.settled = False
        self.complete = False

    def event(self, event: ServerSentEvent) -> Iterator[StreamEvent]:
        """What this event means."""
        if event.data.strip() == "[DONE]":
            return
        try:
            payload = json.loads(event.data)
        except (ValueError, RecursionError):
            raise self._failures.cut("an event is not JSON") from None
        if isinstance(payload, dict):
            yield from self._payload(loose.text(payload.get("type")) or event.name, payload)

    def whole(self, body: Mapping[str, Any]) -> Iterator[StreamEvent]:
        """What a response means that was not streamed."""
        if not isinstance(body.get("output"), list):
            raise self._failures.not_an_answer("JSON that is no response")
        if body.get("status") in ("failed", "cancelled"):
            raise self._failed(body)
        yield from self._finish(body)

    def end(self) -> Iterator[StreamEvent]:
        """StreamCut, unless the last event has come."""
        if not self.complete:
            raise self._failures.cut("it ended without response.completed")
        yield from ()

    def _payload(self, kind: str, payload: Mapping[str, Any]) -> Iterator[StreamEvent]:
        match kind:
            case "response.output_item.added":
                yield from self._item(payload).added(loose.mapping(payload.get("item")))
            case "response.output_item.done":
                yield from self._item(payload).done(loose.mapping(payload.get("item")))
            case "response.failed" | "response.cancelled":
                raise self._failed(loose.mapping(payload.get("response")))
            case "error":
                raise self._failures.in_stream(payload)
            case _ if kind in _ENDS:
                yield from self._finish(loose.mapping(payload.get("response")))
            case _ if (piece := kind.removesuffix(".delta")) in PIECES:
                yield from self._item(payload).delta(piece, payload)
            case _ if (piece := kind.removesuffix(".done")) in PIECES:
                yield from self._item(payload).part(piece, payload)
            case _ if payload.get("error") and not kind:
                raise self._failures.in_stream(payload)
            case _:
                response = loose.mapping(payload.get("response"))
                self._model = self._model or loose.text(response.get("model"))

    def _item(self, payload: Mapping[str, Any]) -> Item:
        """The item of an event: by its place, else by its id, else the last one."""
        place = payload.get("output_index")
        if not isinstance(place, int) or isinstance(place, bool):
            place = self._place_of(payload)
        if place not in self._items:
            self._items[place] = Item(self._calls_so_far, self._wrote)
        return self._items[place]

    def _place_of(self, payload: Mapping[str, Any]) -> int:
        named = loose.text(payload.get("item_id")) or loose.text(loose.mapping(payload.get("item")).get("id"))
        for place, item in self._items.items():
            if named and item.id == named:
                return place
        opens = payload.get("type") == "response.output_item.added"
        return len(self._items) if opens or not self._items else max(self._items)

    def _calls_so_far(self) -> int:
        return sum(item.started for item in self._items.values())

    def _wrote(self) -> bool:
        """Whether there is text already: two messages must not run into each other."""
        return any(item.wrote for item in self._items.values())

    def _finish(self, response: Mapping[str, Any]) -> Iterator[StreamEvent]:
        output = response.get("output")
        known = {name: item for item in self._items.values() for name in (item.id, item.call_id) if name}
        for place, value in enumerate(output if isinstance(output, list) else []):
            whole = loose.mapping(value)
            names = (loose.text(whole.get("id")), loose.text(whole.get("call_id")))
            item = next((known[name] for name in names if name in known), None)
            yield from (item or self._item({"output_index": place})).done(whole)
        for item in self._items.values():
            yield from item.end(whole=response.get("status") in (None, "completed"))
        self._model = loose.text(response.get("model")) or self._model
        if usage := _usage(loose.mapping(response.get("usage"))):
            yield UsageReported(usage)
        self.settled = self.complete = True
        yield Finished(self._stop_reason(response), self._model)

    def _stop_reason(self, response: Mapping[str, Any]) -> StopReason:
        reason = loose.text(loose.mapping(response.get("incomplete_details")).get("reason"))
        if reason in _INCOMPLETE:
            return _INCOMPLETE[reason]
        if any(item.kind in CALLS and item.started for item in self._items.values()):
            return "tools"
        if any(item.refused for item in self._items.values()):
            return "refusal"
        return "max_tokens" if response.get("status") == "incomplete" else "end"

    def _failed(self, response: Mapping[str, Any]) -> Exception:
        error = loose.mapping(response.get("error"))
        words = error or {"message": f"the response is {response.get('status') or 'failed'}"}
        return self._failures.in_stream({"error": words})


def _usage(usage: Mapping[str, Any]) -> Usage | None:
    """Cached tokens are a part of `input_tokens` there, and apart from it here."""
    sent, output = loose.count(usage.get("input_tokens")), loose.count(usage.get("output_tokens"))
    details = loose.mapping(usage.get("input_tokens_details"))
    read = min(loose.count(details.get("cached_tokens")), sent)
    written = min(loose.count(details.get("cache_write_tokens")), sent - read)
    return Usage(sent - read - written, output, read, written) if sent or output else None
