"""The events of a recorded session, as hooks would have been told of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from roocode.memory.sessions import codec
from roocode.memory.sessions.log import Header, header_from_json, records
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message, ToolCall, ToolResult
from roocode.tools.hooks.payload import about_call

_WRITERS = frozenset({"WriteFile", "EditFile"})


@frozen
class Moment:
    """Something that happened: an event with its fields, in the turn of this number."""

    turn: int
    event: str
    fields: Mapping[str, Any]


def header_of(path: Path) -> Header:
    """The first record of a session. Raises UserError where the file holds none."""
    first = next(records(path), None)
    if first is None or first["type"] != "session":
        raise UserError(f"{path} holds no session", "roocode sessions list shows what is saved")
    return header_from_json(first)


def moments(path: Path, header: Header) -> Iterator[Moment]:
    """What happened, in order; damaged lines are passed over."""
    reading = _Reading(header)
    for record in records(path):
        try:
            yield from reading.take(record or {})
        except (KeyError, TypeError, ValueError):
            continue
    yield Moment(reading.turn, "session_end", {"reason": "exit"})


class _Reading:
    """A log as far as it is read."""

    def __init__(self, header: Header) -> None:
        self.turn = 0
        self._header = header
        self._root = Path(header.cwd)
        self._calls: dict[str, ToolCall] = {}
        self._known = 0

    def take(self, record: Mapping[str, Any]) -> Iterator[Moment]:
        """What a record stands for."""
        match record.get("type"):
            case "session":
                yield self._moment("session_start", source="startup", model=self._header.model)
            case "prompt":
                yield from self._prompt(codec.message_from_json(record["message"]))
            case "reply":
                yield from self._reply(codec.reply_from_json(dict(record)).message)
            case "decision" if record["verdict"] == "deny" and record["call"] in self._calls:
                about = about_call(self._calls[record["call"]], self._root)
                why = {"reason": record["reason"], "layer": record["layer"]}
                yield self._moment("permission_denied", **about, **why)
            case "result":
                yield from self._result(codec.block_from_json(record["result"]))
            case "compaction":
                yield self._moment("before_compaction", trigger="auto", messages=self._known)
                sizes = {name: record.get(name, 0) for name in ("before", "after")}
                yield self._moment(
                    "after_compaction", trigger="auto", kind=record.get("kind", "summary"), **sizes
                )
            case _:
                pass

    def _prompt(self, message: Message) -> Iterator[Moment]:
        self._known += 1
        if message.spoken:
            self.turn += 1
            yield self._moment("user_prompt_submit", prompt=message.spoken)
            yield self._moment("before_turn", prompt=message.spoken)

    def _reply(self, message: Message) -> Iterator[Moment]:
        model = self._header.model
        yield self._moment("before_model", model=model, messages=self._known)
        self._known += 1
        calls = [call.name for call in message.calls]
        yield self._moment("after_model", model=model, text=message.text, calls=calls)
        for call in message.calls:
            self._calls[call.id] = call
            yield self._moment("pre_tool_use", **about_call(call, self._root))
        if not calls:
            yield self._moment("stop", text=message.text, stop_active=False)
            yield self._moment("after_turn", end="done", reason="", text=message.text, turns=self._known)

    def _result(self, result: object) -> Iterator[Moment]:
        if not isinstance(result, ToolResult) or result.call_id not in self._calls:
            return
        self._known += 1
        call = self._calls[result.call_id]
        about = about_call(call, self._root)
        if result.is_error:
            yield self._moment("post_tool_use_failure", **about, error=result.content, duration_ms=0)
            return
        yield self._moment("post_tool_use", **about, output=result.content, duration_ms=0)
        if call.name in _WRITERS and "path" in about:
            yield self._moment("file_changed", path=about["path"], tool=call.name, change="written")

    def _moment(self, event: str, **fields: Any) -> Moment:
        return Moment(self.turn, event, fields)
