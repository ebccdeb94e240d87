"""The record of each request: who asked, when, with what, and how much of it a cache would have had."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TextIO, TypeAlias

from roocode.protocol.models import BREAK_HEADER
from roocode.scripted import prefix
from roocode.scripted.answer import Dialect
from roocode.scripted.asked import MAIN, Sender
from roocode.scripted.http1 import HttpRequest, Sent

Outcome: TypeAlias = Literal["open", "answered", "error", "cut", "refused", "unexpected", "client gone"]

_CREDENTIALS = ("authorization", "x-api-key", "api-key", "proxy-authorization", "cookie")
_WALL_OFFSET = time.time() - time.monotonic()


def key_digest(key: str) -> str:
    """Stands for a key in the log: the first 12 digits of its SHA-256."""
    return hashlib.sha256(key.encode()).hexdigest()[:12]


@dataclass(slots=True)
class Record:
    """One request. Times are seconds, monotonic (one clock for all processes of a machine) and of the day.

    `key` is the digest of the credential, empty where there was none. `before` is the sender's last request
    that a step could answer; `breaks` are the names under which it says that it does not begin with that
    one. `outcome` tells a scripted `error` or `cut`, a `refused` request and one that
    met no step (`unexpected`) from each other; `failure` says why.
    """

    number: int
    method: str
    path: str
    sender: Sender
    headers: Mapping[str, str]
    key: str
    raw: bytes = field(repr=False)
    received: float
    sent: Sent
    before: Record | None = field(default=None, repr=False)
    dialect: Dialect | None = None
    model: str = ""
    breaks: tuple[str, ...] = ()
    step: str = ""
    outcome: Outcome = "open"
    failure: str = ""
    status: int | None = None

    @property
    def first_byte(self) -> float | None:
        """When the answer began to leave."""
        return self.sent.first_byte

    @property
    def last_byte(self) -> float | None:
        """When the last bytes so far left."""
        return self.sent.last_byte

    @property
    def sent_bytes(self) -> int:
        """How much has left, HTTP's own bytes with it."""
        return self.sent.sent_bytes

    @property
    def protocol(self) -> str:
        """`anthropic`, `openai` or `openai-responses`; empty for a path that is none's."""
        return self.dialect.name if self.dialect else ""

    @property
    def prompt(self) -> bytes:
        """The canonical bytes of the prompt, see prefix.py."""
        return self.dialect.prompt(self.body) if self.dialect else b""

    @property
    def prefix_share(self) -> float | None:
        """The share, 0 to 1, of the prompt before that is a byte-identical prefix of this one's.

        None for a sender's first request.
        """
        if self.before is None:
            return None
        before = self.before.prompt
        return prefix.common(before, self.prompt) / len(before)

    @property
    def prefix_break(self) -> prefix.Break:
        """What of the prompt before is not as it was, see prefix.py; empty for a sender's first request."""
        return prefix.broken(self.before.prompt, self.prompt) if self.before is not None else ""

    @property
    def body(self) -> Any:
        """The request's body, parsed; its text where it is not JSON."""
        try:
            return json.loads(self.raw)
        except ValueError:
            return self.raw.decode("utf-8", "replace")

    def as_json(self) -> dict[str, Any]:
        """What `GET /control/log` and the log file hold of a request."""
        hidden = ("raw", "sender", "sent", "before", "dialect")
        shown = {name: getattr(self, name) for name in self.__slots__ if name not in hidden}
        shown.update(agent=self.sender.agent, team=self.sender.team, session=self.sender.session)
        shown.update(protocol=self.protocol, prefix_share=self.prefix_share, prefix_break=self.prefix_break)
        shown.update(sent_bytes=self.sent_bytes)
        for name in ("received", "first_byte", "last_byte"):
            moment = getattr(self, name)
            shown.update({name: moment, f"{name}_wall": None if moment is None else moment + _WALL_OFFSET})
        return {**shown, "body_bytes": len(self.raw), "body": self.body}


class RequestLog:
    """All requests in the order of their arrival, and what went wrong with them."""

    def __init__(self, file: TextIO | None = None) -> None:
        self.records: list[Record] = []
        self.failures: list[str] = []
        self._file = file
        self._last: dict[Sender, Record] = {}

    def open(self, request: HttpRequest, sent: Sent) -> Record:
        """Begins the record of a request."""
        record = Record(
            number=len(self.records) + 1,
            method=request.method,
            path=request.path,
            sender=sender_of(request.headers),
            headers=dict(_redacted(request.headers)),
            key=_key(request.headers),
            raw=request.body,
            received=request.received,
            sent=sent,
            breaks=tuple(name for name in request.headers.get(BREAK_HEADER.lower(), "").split(",") if name),
        )
        self.records.append(record)
        return record

    def accept(self, record: Record) -> None:
        """Notes that a request is one that a step can answer: the sender's next is measured against it."""
        record.before = self._last.get(record.sender)
        self._last[record.sender] = record

    def fail(self, record: Record, outcome: Outcome, why: str) -> None:
        """Notes a failure, which a test finds in `failures`."""
        record.outcome = outcome
        record.failure = why
        self.failures.append(f"request {record.number} of {record.sender.agent}: {why}")

    def complain(self, record: Record, why: str) -> None:
        """Notes a failure of a request that is answered all the same."""
        self.failures.append(f"request {record.number} of {record.sender.agent}: {why}")

    def close(self, record: Record) -> None:
        """Writes the whole record to the log file, as one line."""
        if self._file is not None:
            self._file.write(json.dumps(record.as_json()) + "\n")
            self._file.flush()


def sender_of(headers: Mapping[str, str]) -> Sender:
    """Who asks; `main` where no header says it."""
    return Sender(
        headers.get("x-roocode-agent", MAIN),
        headers.get("x-roocode-team", ""),
        headers.get("x-roocode-session", ""),
    )


def _key(headers: Mapping[str, str]) -> str:
    given = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
    return key_digest(given) if given else ""


def _redacted(headers: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, value in headers.items():
        if name in _CREDENTIALS:
            scheme, blank, secret = value.rpartition(" ")
            yield name, f"{scheme}{blank}sha256:{key_digest(secret)}"
        else:
            yield name, value
