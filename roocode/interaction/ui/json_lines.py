"""stream-json: one JSON object a line on standard output, the result always last."""

from __future__ import annotations

import json
import sys
import uuid
from typing import Any, TextIO, assert_never

from roocode.interaction.ui import anthropic_shape
from roocode.interaction.ui.result import Result
from roocode.protocol.events import (
    AnswerDelta,
    Answered,
    CallBegan,
    CallDecided,
    CallFinished,
    Event,
    Notice,
    PermissionAnswered,
    PermissionAsked,
    PromptAdded,
    RequestRetried,
    RequestStarted,
    RunEnded,
    SessionStarted,
    TeamEvent,
)


class JsonLines:
    """Writes each event that clients of this family know; `close` is not enough: call `finish`."""

    def __init__(self, out: TextIO | None = None, agent: str = "main", partial: bool = False) -> None:
        self._out = out or sys.stdout
        self._partial = partial
        self.result = Result(agent)

    def show(self, event: Event) -> None:
        """Writes the line of an event, if it has one."""
        self.result.take(event)
        line = self._line(event)
        if line is not None:
            self._write(line | {"agent": event.agent})

    def finish(self, error: str = "", exit_code: int = 0, **extra: Any) -> None:
        """Writes the last line: the result, with what a team adds to it."""
        self._write(self.result.as_json(error, exit_code) | extra)

    def close(self) -> None:
        """Flushes."""
        self._out.flush()

    def _write(self, value: dict[str, Any]) -> None:
        session = {"session_id": self.result.session_id, "uuid": str(uuid.uuid4())}
        self._out.write(json.dumps(session | value, ensure_ascii=False, separators=(",", ":")) + "\n")
        self._out.flush()

    def _line(self, event: Event) -> dict[str, Any] | None:
        match event:
            case SessionStarted():
                return {
                    "type": "system",
                    "subtype": "init",
                    "session_id": event.session_id,
                    "cwd": event.cwd,
                    "model": event.model,
                    "tools": list(event.tools),
                    "mcp_servers": [],
                    "permissionMode": event.mode,
                    "slash_commands": [],
                }
            case Answered():
                message = anthropic_shape.reply(event.reply)
                return {"type": "assistant", "message": message, "parent_tool_use_id": None}
            case CallFinished():
                result = {
                    "type": "tool_result",
                    "tool_use_id": event.call.id,
                    "content": event.outcome.content,
                    "is_error": event.outcome.is_error,
                }
                message = {"role": "user", "content": [result]}
                return {"type": "user", "message": message, "parent_tool_use_id": None}
            case AnswerDelta():
                if not self._partial:
                    return None
                delta = {"type": f"{event.kind}_delta", event.kind: event.text}
                return {"type": "stream_event", "event": {"type": "content_block_delta", "delta": delta}}
            case RequestRetried():
                return {
                    "type": "system",
                    "subtype": "api_retry",
                    "attempt": event.attempt,
                    "max_retries": event.of,
                    "retry_delay_ms": round(event.delay_s * 1000),
                    "error": event.reason,
                }
            case TeamEvent():
                return {
                    "type": f"team/{event.kind}",
                    "team": event.team,
                    "member": event.member,
                    "detail": event.detail,
                }
            case Notice():
                return {"type": "system", "subtype": "notice", "level": event.level, "text": event.text}
            case (
                PromptAdded()
                | RequestStarted()
                | CallBegan()
                | CallDecided()
                | PermissionAsked()
                | PermissionAnswered()
                | RunEnded()
            ):
                return None
            case _:
                assert_never(event)
