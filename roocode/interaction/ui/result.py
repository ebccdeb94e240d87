"""The final result of a run, gathered from its events: the last object of every machine-readable output."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from roocode.interaction.ui import anthropic_shape
from roocode.protocol.events import Answered, CallDecided, Event, RunEnded, SessionStarted
from roocode.protocol.messages import Usage

BROKEN = "error_during_execution"
SUBTYPES = {
    "done": "success",
    "turn_limit": "error_max_turns",
    "budget": "error_max_budget_usd",
    "cancelled": BROKEN,
    "failed": BROKEN,
    "refused": BROKEN,
}


@dataclass(slots=True)
class Result:
    """Gathers events of the agent `agent`; `as_json` gives the object whenever it is asked for."""

    agent: str = "main"
    session_id: str = ""
    ended: RunEnded | None = None
    stop_reason: str | None = None
    denials: list[dict[str, Any]] = field(default_factory=list)
    by_model: dict[str, tuple[Usage, float | None]] = field(default_factory=dict)

    def take(self, event: Event) -> None:
        """Takes in one event."""
        if isinstance(event, SessionStarted) and event.agent == self.agent:
            self.session_id = event.session_id
        elif isinstance(event, RunEnded) and event.agent == self.agent:
            self.ended = event
        elif isinstance(event, Answered):
            if event.agent == self.agent:
                self.stop_reason = anthropic_shape.STOP_REASONS[event.reply.stop]
            self._count(event)
        elif isinstance(event, CallDecided) and event.decision.verdict == "deny":
            self.denials.append(
                {
                    "tool_name": event.call.name,
                    "tool_use_id": event.call.id,
                    "tool_input": dict(event.call.arguments or {}),
                    "agent": event.agent,
                    "reason": event.decision.reason,
                }
            )

    def as_json(self, error: str = "", exit_code: int = 0) -> dict[str, Any]:
        """The `result` object. `error` is given where a run could not even end properly."""
        end = self.ended
        failed = bool(error) or exit_code != 0 or end is None or end.end != "done"
        reason = error or (end.reason if end else "")
        subtype = SUBTYPES[end.end] if end and (not error or end.end != "done") else BROKEN
        if failed and subtype == "success":
            subtype = BROKEN
        result: dict[str, Any] = {
            "type": "result",
            "subtype": subtype,
            "is_error": failed,
            "result": (end.text if end and not error else "") or (reason if failed else ""),
            "stop_reason": self.stop_reason,
            "num_turns": end.turns if end else 0,
            "duration_ms": end.duration_ms if end else 0,
            "duration_api_ms": end.api_ms if end else 0,
            "total_cost_usd": end.cost_usd if end else None,
            "usage": anthropic_shape.usage(end.usage if end else Usage()),
            "modelUsage": self._model_usage(),
            "permission_denials": self.denials,
            "session_id": self.session_id,
        }
        if end and end.session_usage is not None:
            result["session_cost_usd"] = end.session_cost_usd
            result["session_usage"] = anthropic_shape.usage(end.session_usage)
        if reason:
            result["error"] = reason
        if end and end.cost_usd is None and end.turns:
            result["cost_note"] = self._cost_note()
        return result

    def _cost_note(self) -> str:
        """Why there is no cost: 0 would be a lie."""
        names = ", ".join(name for name, (_, cost) in self.by_model.items() if cost is None)
        return f"the cost is not known: there is no price for {names or 'this model'}"

    def _count(self, event: Answered) -> None:
        name = event.reply.model or "unknown"
        usage, cost = self.by_model.get(name, (Usage(), 0.0))
        total = None if cost is None or event.cost_usd is None else cost + event.cost_usd
        self.by_model[name] = (usage + event.reply.usage, total)

    def _model_usage(self) -> dict[str, Any]:
        return {
            name: {
                "inputTokens": usage.input_tokens,
                "outputTokens": usage.output_tokens,
                "cacheReadInputTokens": usage.cache_read_tokens,
                "cacheCreationInputTokens": usage.cache_write_tokens,
                "costUSD": cost,
            }
            for name, (usage, cost) in self.by_model.items()
        }
