"""Reads one response, whatever it turns out to be, into the events of a stream."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace

from roocode.engine.models.call_ids import CallIds
from roocode.engine.models.failures import Failures
from roocode.engine.models.sse import EventDecoder, ServerSentEvent
from roocode.engine.models.surrogates import SurrogatePairs
from roocode.engine.models.wire import Parser
from roocode.protocol.messages import Usage
from roocode.protocol.models import (
    CallArguments,
    CallEnded,
    CallStarted,
    Finished,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    UsageReported,
)

LARGEST_ANSWER = 256 * 1024 * 1024
BYTES_PER_TOKEN = 4


class ResponseReader:
    """Takes the body of a success in pieces: server-sent events, or JSON from a server that does not stream.

    Calls get ids of their own. Where the provider reports no usage, `Finished` is preceded by an estimate,
    marked as one, from the request's size and the answer's at four bytes a token. `began` is true once
    something of the answer has come, `settled` and `complete` are the parser's. Raises what the parser
    raises, and ProviderRefused for a web page or an answer without end.
    """

    def __init__(self, parser: Parser, failures: Failures, ids: CallIds, request_bytes: int = 0) -> None:
        self._parser = parser
        self._failures = failures
        self._ids = ids
        self._request_bytes = request_bytes
        self._answer_chars = 0
        self._received = 0
        self._decoder = EventDecoder()
        self._pairs = SurrogatePairs()
        self._unread: list[bytes] = []
        self._form: str = ""
        self._usage_known = False
        self.began = False

    @property
    def settled(self) -> bool:
        """Whether the answer is whole."""
        return self._parser.settled

    @property
    def complete(self) -> bool:
        """Whether the last event has come: whatever follows is no part of the answer."""
        return self._parser.complete

    def feed(self, piece: bytes) -> Iterator[StreamEvent]:
        """The events that this piece completes."""
        self._received += len(piece)
        if self._received > LARGEST_ANSWER:
            raise self._failures.endless(LARGEST_ANSWER)
        if not self._form:
            self._unread.append(piece)
            piece = b"".join(self._unread)
            self._form = _form(piece)
            self._unread = [] if self._form == "events" else [piece]
        elif self._form == "json":
            self._unread.append(piece)
        if self._form == "page":
            raise self._failures.not_an_answer("a web page")
        if self._form == "events":
            yield from self._read(self._decoder.feed(piece))

    def end(self) -> Iterator[StreamEvent]:
        """The events that the end of the body completes."""
        if self._form == "json":
            yield from self._settle(self._parser.whole(self._json()))
        else:
            yield from self._read(self._decoder.close())
            yield from self._settle(self._parser.end())

    def _read(self, events: Iterable[ServerSentEvent]) -> Iterator[StreamEvent]:
        for event in events:
            if self._parser.complete:
                return
            yield from self._settle(self._parser.event(event))

    def _json(self) -> dict[str, object]:
        try:
            body = json.loads(b"".join(self._unread))
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            raise self._failures.cut("the response is neither a stream of events nor a JSON object")
        if body.get("error"):
            raise self._failures.in_stream(body)
        return body

    def _settle(self, events: Iterable[StreamEvent]) -> Iterator[StreamEvent]:
        for event in events:
            match event:
                case TextDelta() | ThinkingDelta() | CallArguments():
                    self.began = True
                    stream = str(event.slot) if isinstance(event, CallArguments) else type(event).__name__
                    text = self._pairs.mend(stream, event.text)
                    if text is not event.text:
                        event = replace(event, text=text)
                    self._answer_chars += len(text)
                case CallStarted():
                    self.began = True
                    event = self._ids.settle(event)
                case CallEnded():
                    pass
                case UsageReported():
                    if not event.usage.total:
                        continue
                    self._usage_known = True
                case Finished():
                    if not self._usage_known:
                        yield UsageReported(self._estimate())
            yield event

    def _estimate(self) -> Usage:
        return Usage(
            input_tokens=-(-self._request_bytes // BYTES_PER_TOKEN),
            output_tokens=-(-self._answer_chars // BYTES_PER_TOKEN),
            estimated=True,
        )


def _form(start: bytes) -> str:
    """What a body is by its first character: servers err in their content type. "" while it is not known."""
    first = start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if first == b"":
        return ""
    return {b"{": "json", b"<": "page"}.get(first, "events")
