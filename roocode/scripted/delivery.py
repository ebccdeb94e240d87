"""How an answer leaves the server: as one body or as a stream, delayed, split, broken off or whole."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat
from typing import Any

from roocode.protocol.frozen import frozen
from roocode.scripted.answer import Answer, Dialect
from roocode.scripted.asked import Asked
from roocode.scripted.http1 import Connection
from roocode.scripted.scenario import Fault, Scenario, Step

_JSON = {"content-type": "application/json"}
_SSE = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}


@frozen
class Delivery:
    """What is sent: `parts` are the chunks of a stream, or together the body of a whole response.

    `length` is what a whole response's head promises. `dropped` closes the connection behind the parts
    without the end that HTTP asks for. Delays are in seconds.
    """

    status: int
    headers: Mapping[str, str]
    parts: tuple[bytes, ...]
    streamed: bool
    length: int | None = None
    dropped: bool = False
    first_delay_s: float = 0.0
    delay_s: float = 0.0


def of_error(dialect: Dialect, fault: Fault) -> Delivery:
    """An error as a whole response."""
    wait = fault.retry_after
    headers = {**_JSON, **({} if wait is None else {"retry-after": f"{wait:g}"})}
    body = dialect.error(fault.status, fault.message or f"a scripted error {fault.status}", fault.kind)
    return Delivery(fault.status, headers, (_dump(body),), streamed=False)


def of_step(
    step: Step, answer: Answer | None, dialect: Dialect, asked: Asked, scenario: Scenario
) -> Delivery:
    """The delivery of a step; `answer` is what it says, None where it says nothing in a model's words."""
    delivery = _plan(step, answer, dialect, asked)
    pause = scenario.first_token_delay_s if step.first_token_delay_s is None else step.first_token_delay_s
    delay = scenario.delta_delay_s if step.delta_delay_s is None else step.delta_delay_s
    return replace(delivery, headers={**delivery.headers, **step.headers}, first_delay_s=pause, delay_s=delay)


async def deliver(delivery: Delivery, connection: Connection) -> None:
    """Sends it. Raises ClientGone when the client closes before the end.

    The head of a stream leaves at once, the first delay comes behind it, as providers do.
    """
    if not delivery.streamed:
        await connection.pause(delivery.first_delay_s)
        await connection.send(delivery.status, delivery.headers, b"".join(delivery.parts), delivery.length)
    else:
        await connection.begin_stream(delivery.status, delivery.headers)
        await connection.pause(delivery.first_delay_s)
        await _send_parts(delivery, connection)
    if delivery.dropped:
        await connection.close()


async def _send_parts(delivery: Delivery, connection: Connection) -> None:
    slow = delivery.parts[:-1] if delivery.delay_s else ()
    for part in slow:
        await connection.send_chunks((part,), last=False)
        await connection.pause(delivery.delay_s)
    await connection.send_chunks(delivery.parts[len(slow) :], last=not delivery.dropped)


def _plan(step: Step, answer: Answer | None, dialect: Dialect, asked: Asked) -> Delivery:
    if step.raw_body is not None:
        return _cut_body(step, _bytes(step.raw_body))
    if step.raw_sse is not None:
        return _stream(step, _split_events(_bytes(step.raw_sse)))
    if step.error is not None and step.error.after is None:
        return of_error(dialect, step.error)
    if answer is None:
        raise AssertionError("a step that speaks has an answer")
    if step.error is not None and not asked.stream:
        return of_error(dialect, step.error)
    if not asked.stream:
        return _cut_body(step, _dump(dialect.whole(answer)))
    events = dialect.events(answer, usage=asked.wants_usage)
    if step.error is not None:
        fault = step.error
        event = dialect.error_event(fault.status, fault.message or "a scripted error", fault.kind)
        events = [*events[: fault.after], event]
    return _stream(step, events)


def _stream(step: Step, events: Sequence[bytes]) -> Delivery:
    parts = events if step.cut_after is None else events[: step.cut_after]
    if step.pieces is not None:
        sizes = chain(step.pieces, repeat(1 << 30)) if isinstance(step.pieces, tuple) else repeat(step.pieces)
        parts = list(_resplit(b"".join(parts), iter(sizes)))
    dropped = step.cut_after is not None and step.cut == "drop"
    return Delivery(step.status, _SSE, tuple(parts), streamed=True, dropped=dropped)


def _cut_body(step: Step, body: bytes) -> Delivery:
    """A whole response; a cut sends half of it."""
    if step.cut_after is None:
        return Delivery(step.status, _JSON, (body,), streamed=False)
    half = body[: len(body) // 2]
    dropped = step.cut == "drop"
    return Delivery(
        step.status, _JSON, (half,), streamed=False, length=len(body) if dropped else None, dropped=dropped
    )


def _resplit(data: bytes, sizes: Iterator[int]) -> Iterator[bytes]:
    start = 0
    while start < len(data):
        end = start + next(sizes)
        yield data[start:end]
        start = end


def _split_events(raw: bytes) -> list[bytes]:
    """Raw bytes at their blank lines, so that a cut counts events here too."""
    pieces = raw.split(b"\n\n")
    return [piece + b"\n\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])


def _bytes(raw: str | bytes) -> bytes:
    return raw.encode() if isinstance(raw, str) else raw


def _dump(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode()
