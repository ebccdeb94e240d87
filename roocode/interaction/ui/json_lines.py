"""stream-json: one JSON object a line on standard output, the result always last."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterator
from typing import Any, TextIO, assert_never

from roocode.interaction.ui import anthropic_shape
from roocode.interaction.ui.json_text import one_line
from roocode.interaction.ui.partial_messages import PartialMessages
from roocode.interaction.ui.result import Result
from roocode.interaction.ui.safe_text import visible
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
    RoomMade,
    RunEnded,
    SessionStarted,
    SubAgentChanged,
    TeamEvent,
)


class JsonLines:
    """Writes each event that clients of this family know; errors and notes go to `err` as well.

    With `partial` the answers come piece by piece too, as `stream_event` lines.
    """

    def __init__(
        self,
        out: TextIO | None = None,
        err: TextIO | None = None,
        *,
        agent: str = "main",
        partial: bool = False,
    ) -> None:
        self._out = out or sys.stdout
        self._err = err or sys.stderr
        self._partial = PartialMessages() if partial else None
        self._is_answered = False
        self._early: list[Notice] | None = []
        self._started_by: dict[str, str] = {}
        self.result = Result(agent)

    def show(self, event: Event) -> None:
        """Writes the lines of an event, if it has any; a notice from before a session waits for its line."""
        if isinstance(event, Notice) and self._early is not None:
            self._early.append(event)
            return
        self._show(event)
        if isinstance(event, SessionStarted):
            self._release()

    def _release(self) -> None:
        early, self._early = self._early or [], None
        for notice in early:
            self._show(notice)

    def _show(self, event: Event) -> None:
        self.result.take(event)
        self._is_answered = self._is_answered and event.agent != self.result.agent
        if isinstance(event, SubAgentChanged):
            self._started_by[event.agent] = event.call
        parent = {"parent_tool_use_id": self._started_by.get(event.agent) or None}
        if self._partial is not None:
            for piece in self._partial.take(event):
                line = {"type": "stream_event", "event": piece} | parent
                self._write(line | {"agent": event.agent})
        for line in _lines(event):
            asked = parent if line["type"] in ("assistant", "user") else {}
            self._write(line | asked | {"agent": event.agent})

    def note(self, notice: Notice) -> None:
        """Says it on the stream and on standard error."""
        self._tell(notice.text)
        self.show(notice)

    def answered(self, exit_code: int) -> None:
        """Writes the result of one of several prompts."""
        self.finish("", exit_code, None)
        self._is_answered = True

    def finish(self, error: str = "", exit_code: int = 0, team: dict[str, Any] | None = None) -> None:
        """Writes the last line: the result, with what a team adds to it."""
        self._release()
        if self._is_answered and not error:
            return
        self._write(self.result.as_json(error, exit_code) | ({} if team is None else {"team": team}))
        if error:
            self._tell(f"error: {error}")

    def _write(self, value: dict[str, Any]) -> None:
        line = value | {"session_id": self.result.session_id, "uuid": str(uuid.uuid4())}
        self._out.write(one_line(line) + "\n")
        self._out.flush()

    def _tell(self, text: str) -> None:
        self._err.write(f"{visible(text)}\n")
        self._err.flush()


def _lines(event: Event) -> Iterator[dict[str, Any]]:
    match event:
        case SessionStarted():
            yield _init(event)
        case Answered():
            message = anthropic_shape.reply(event.reply)
            yield {"type": "assistant", "message": message, "cost_usd": event.cost_usd}
        case CallFinished():
            outcome = event.outcome
            result = anthropic_shape.result(event.call.id, outcome.content, is_error=outcome.is_error)
            message = {"role": "user", "content": [result]}
            yield {"type": "user", "message": message}
        case RequestRetried():
            yield {
                "type": "system",
                "subtype": "api_retry",
                "attempt": event.attempt,
                "max_retries": event.of,
                "retry_delay_ms": round(event.delay_s * 1000),
                "error": event.reason,
            }
        case RoomMade():
            yield {
                "type": "system",
                "subtype": "compact_boundary",
                "compact_metadata": {
                    "trigger": "manual" if event.by_person else "auto",
                    "pre_tokens": event.before,
                    "post_tokens": event.after,
                    "kind": event.kind,
                },
            }
        case SubAgentChanged():
            yield _task(event)
        case TeamEvent():
            yield {
                "type": f"team/{event.kind}",
                "team": event.team,
                "member": event.member,
                "detail": event.detail,
            }
        case Notice():
            yield {"type": "system", "subtype": "notice", "level": event.level, "text": event.text}
        case PermissionAsked():
            yield {"type": "system", "subtype": "permission_asked", "question": event.question.to_json()}
        case PermissionAnswered():
            answer = {name: getattr(event.answer, name) for name in ("allowed", "scope", "by", "reason")}
            said = {"question_id": event.question_id, "answer": answer}
            yield {"type": "system", "subtype": "permission_answered", **said}
        case PromptAdded() | RequestStarted() | AnswerDelta() | CallBegan() | CallDecided() | RunEnded():
            pass
        case _:
            assert_never(event)


def _task(event: SubAgentChanged) -> dict[str, Any]:
    """A sub-agent, in the words of the family's clients."""
    task = {"task_id": event.id, "tool_use_id": event.call or None}
    match event.state:
        case "queued":
            about = {"description": event.description, "task_type": "local_agent", "agent_type": event.kind}
            return {"type": "system", "subtype": "task_started", **task, **about}
        case "working" | "background":
            patch = {"status": "running", "is_backgrounded": event.in_background}
            return {"type": "system", "subtype": "task_updated", **task, "patch": patch}
        case _:
            said = {"status": event.state, "summary": event.description, "result": event.text}
            return {"type": "system", "subtype": "task_notification", **task, **said}


def _init(event: SessionStarted) -> dict[str, Any]:
    return {
        "type": "system",
        "subtype": "init",
        "cwd": event.cwd,
        "model": event.model,
        "tools": list(event.tools),
        "mcp_servers": [{"name": name, "status": status} for name, status in event.servers],
        "permissionMode": event.mode,
        "slash_commands": list(event.commands),
        "agents": list(event.agents),
        "skills": list(event.skills),
        "plugins": [{"name": name, "path": path} for name, path in event.plugins],
    }
