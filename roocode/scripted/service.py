"""Answers one HTTP request: check, choose a step, hold it if it waits, send it, and log all of it."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from roocode.protocol.messages import BREAKS, Usage
from roocode.protocol.models import BREAK_HEADER
from roocode.scripted import delivery as deliveries
from roocode.scripted import prefix
from roocode.scripted.answer import Dialect
from roocode.scripted.anthropic.dialect import Anthropic
from roocode.scripted.asked import Asked, Sender
from roocode.scripted.delivery import Delivery, deliver
from roocode.scripted.http1 import ClientGone, Connection, HttpRequest
from roocode.scripted.log import Outcome, Record, RequestLog, key_digest
from roocode.scripted.openai.dialect import OpenAIChat
from roocode.scripted.player import Cue, Player, Unexpected
from roocode.scripted.responses.dialect import OpenAIResponses
from roocode.scripted.scenario import Fault, Scenario

_BYTES_PER_TOKEN: Final = 4
_POLL_S: Final = 0.02
_ROUTES: Final[Mapping[str, Dialect]] = {
    "/v1/messages": Anthropic(),
    "/v1/chat/completions": OpenAIChat(),
    "/v1/responses": OpenAIResponses(),
}


_ABOUT: Final = ("/v1/models", "/api/ps", "/api/v0/models", "/props")
"""What clients ask servers about themselves, in the ways of several kinds of servers."""


class _Refused(Exception):
    """A request that gets an error instead of a step; `wanted` where the scenario asked for the refusal."""

    def __init__(self, status: int, why: str, *, outcome: Outcome = "refused", wanted: bool = False) -> None:
        super().__init__(why)
        self.status = status
        self.why = why
        self.outcome = outcome
        self.wanted = wanted


class Service:
    """All that the server does with a request but for its socket."""

    def __init__(self, scenario: Scenario, player: Player, log: RequestLog) -> None:
        self._scenario = scenario
        self._player = player
        self._log = log
        self._keys = {key_digest(key) for key in scenario.keys}
        self._accepted: dict[Sender, list[Any]] = {}
        self._prompts: dict[Sender, bytes] = {}

    async def handle(self, request: HttpRequest, connection: Connection) -> None:
        """Answers a request. Raises ClientGone when the client leaves before the end."""
        path = urlsplit(request.path).path
        if trouble := _from_a_browser(request):
            await connection.send(403, {"connection": "close"}, trouble.encode())
            return
        if request.method == "GET" and path.startswith("/control/"):
            await self._control(path, connection)
            return
        if request.method == "GET" and path in _ABOUT:
            await self._describe(path, connection)
            return
        record = self._log.open(request, connection.sent)
        try:
            dialect = _ROUTES.get(path) if request.method == "POST" else None
            if dialect is None:
                self._log.fail(record, "refused", f"there is no {request.method} {path} here")
                await self._refuse(record, connection, _ROUTES["/v1/messages"], 404, record.failure)
            else:
                await self._converse(record, request, dialect, connection)
        except ClientGone:
            record.outcome = "client gone"
            raise
        finally:
            self._log.close(record)

    async def _converse(
        self, record: Record, request: HttpRequest, dialect: Dialect, connection: Connection
    ) -> None:
        record.dialect = dialect
        try:
            body = self._checked(record, request, dialect)
            asked = dialect.read(body, record.sender)
            self._log.accept(record)
            self._check_prefix(record, dialect.prompt(body))
            cue = self._player.choose(asked)
            record.step = cue.part.label
            await self._hold(cue, asked, connection)
            delivery = self._prepared(record, cue, asked, dialect)
        except Unexpected as error:
            self._log.fail(record, "unexpected", str(error))
            await self._refuse(record, connection, dialect, 400, record.failure)
        except _Refused as refusal:
            if refusal.wanted:
                record.outcome, record.failure = refusal.outcome, refusal.why
            else:
                self._log.fail(record, refusal.outcome, refusal.why)
            await self._refuse(record, connection, dialect, refusal.status, refusal.why)
        else:
            record.status = delivery.status
            await deliver(delivery, connection)

    def _checked(self, record: Record, request: HttpRequest, dialect: Dialect) -> Mapping[str, Any]:
        """The body, once the key, the model and the strict rules are satisfied."""
        try:
            body = json.loads(request.body)
        except ValueError as error:
            raise _Refused(400, f"the body is not JSON: {error}") from error
        if not isinstance(body, dict) or not isinstance(body.get(dialect.history), list):
            raise _Refused(400, f"the body must be an object with an array of {dialect.history}")
        record.model = str(body.get("model", ""))
        if self._keys and record.key not in self._keys:
            raise _Refused(401, "invalid API key", wanted=True)
        if self._scenario.models and record.model not in self._scenario.models:
            raise _Refused(404, f"the model {record.model!r} does not exist", wanted=True)
        if self._scenario.strict:
            self._check_strictly(record, body, request.headers, dialect)
        return body

    def _check_strictly(
        self, record: Record, body: Mapping[str, Any], headers: Mapping[str, str], dialect: Dialect
    ) -> None:
        before, messages = self._accepted.get(record.sender, []), body[dialect.history]
        known = next(
            (n for n, pair in enumerate(zip(before, messages, strict=False)) if pair[0] != pair[1]), None
        )
        known = min(len(before), len(messages)) if known is None else known
        complaints = list(dialect.complaints(body, headers, known))
        if complaints:
            raise _Refused(400, "; ".join(complaints[:5]))
        self._accepted[record.sender] = messages

    def _check_prefix(self, record: Record, prompt: bytes) -> None:
        """Each break of a conversation's prefix has a name. Requests beside one, for summaries, have none."""
        sender = record.sender
        if not (self._scenario.strict and sender.session) or "/" in sender.agent:
            return
        before, self._prompts[sender] = self._prompts.get(sender, b""), prompt
        if unknown := [name for name in record.breaks if name not in BREAKS]:
            self._log.complain(record, f"a break of the prefix has an unknown name: {', '.join(unknown)}")
        elif not record.breaks and not prefix.continues(before, prompt):
            where = f"after {prefix.common(before, prompt)} of {len(before)} bytes"
            self._log.complain(record, f"the prefix breaks {where}, and no {BREAK_HEADER} says why")

    async def _hold(self, cue: Cue, asked: Asked, connection: Connection) -> None:
        """Holds the answer while its step waits; looks every 20 ms."""
        if cue.step.wait is None:
            return
        deadline = time.monotonic() + cue.step.wait.timeout_s
        while why := self._player.still_waits(cue, asked):
            if time.monotonic() > deadline:
                waited = f"waited {cue.step.wait.timeout_s:g} s in vain"
                raise Unexpected(f"{asked.sender.agent} {cue.part.label}: {waited}: {why}")
            await connection.pause(_POLL_S)

    def _prepared(self, record: Record, cue: Cue, asked: Asked, dialect: Dialect) -> Delivery:
        def usage(said: int) -> Usage:
            shared = prefix.common(record.before.raw, record.raw) if record.before else 0
            cached, whole = shared // _BYTES_PER_TOKEN, len(record.raw) // _BYTES_PER_TOKEN + 1
            return Usage(whole - cached, said // _BYTES_PER_TOKEN + 1, cached)

        step = cue.step
        answer = self._player.answer(cue, asked, usage) if step.speaks else None
        lost = step.error is not None or step.cut_after is not None
        record.outcome = "error" if step.error else "cut" if step.cut_after is not None else "answered"
        self._player.sent(cue, asked, None if lost else answer)
        return deliveries.of_step(step, answer, dialect, asked, self._scenario)

    async def _refuse(
        self, record: Record, connection: Connection, dialect: Dialect, status: int, why: str
    ) -> None:
        record.status = status
        await deliver(deliveries.of_error(dialect, Fault(status, why)), connection)

    async def _describe(self, path: str, connection: Connection) -> None:
        """The models with their window; of other kinds of servers it knows nothing."""
        window = {"context_length": self._scenario.window} if self._scenario.window else {}
        models = [{"id": name, "object": "model", **window} for name in self._scenario.models]
        status, shown = (200, {"object": "list", "data": models}) if path == _ABOUT[0] else (404, {})
        await connection.send(status, {"content-type": "application/json"}, json.dumps(shown).encode())

    async def _control(self, path: str, connection: Connection) -> None:
        shown: dict[str, Any] = {"requests": len(self._log.records), "failures": self._log.failures}
        status = 200
        if path == "/control/log":
            shown["requests"] = [record.as_json() for record in self._log.records]
            shown["unplayed"] = self._player.unplayed()
        elif path == "/control/health":
            shown["ok"] = not self._log.failures
        else:
            status, shown = 404, {"error": f"there is no {path}: log and health are there"}
        await connection.send(status, {"content-type": "application/json"}, json.dumps(shown).encode())


def _from_a_browser(request: HttpRequest) -> str:
    """Why a web page may have sent a request: it has an Origin, or another name for this machine."""
    host = request.headers.get("host", "")
    if "origin" in request.headers:
        return "this server answers no web page"
    named = host.rpartition(":")[0] if ":" in host else host
    return "" if named in ("", "127.0.0.1", "localhost", "[::1]") else "this server has another name"
