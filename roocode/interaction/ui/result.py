"""The final result of a run, gathered from its events: the last object of every machine-readable output."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from roocode.interaction.ui import anthropic_shape
from roocode.protocol.events import (
    Answered,
    CallDecided,
    Event,
    PromptAdded,
    RoomMade,
    RunEnded,
    SessionStarted,
    SubAgentChanged,
)
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
class _Share:
    """What one sub-agent has used for the answer."""

    id: str
    kind: str
    turns: int = 0
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = 0.0

    def spend(self, usage: Usage, cost_usd: float | None) -> None:
        self.usage += usage
        self.cost_usd = _sum(self.cost_usd, cost_usd)


@dataclass(slots=True)
class Result:
    """Gathers events of the agent `agent`; `as_json` gives the object whenever it is asked for."""

    agent: str = "main"
    session_id: str = ""
    ended: RunEnded | None = None
    stop_reason: str | None = None
    denials: list[dict[str, Any]] = field(default_factory=list)
    by_model: dict[str, tuple[Usage, float | None]] = field(default_factory=dict)
    shares: dict[str, _Share] = field(default_factory=dict)

    def take(self, event: Event) -> None:
        """Takes in one event."""
        if isinstance(event, SessionStarted) and event.agent == self.agent:
            self.session_id = event.session_id
        elif isinstance(event, RunEnded) and event.agent == self.agent:
            self.ended = event
        elif isinstance(event, PromptAdded) and event.agent == self.agent and event.message.spoken:
            self.shares = {name: _Share(each.id, each.kind) for name, each in self.shares.items()}
        elif isinstance(event, SubAgentChanged):
            self.shares.setdefault(event.agent, _Share(event.id, event.kind))
        elif isinstance(event, RoomMade) and event.agent in self.shares:
            self.shares[event.agent].spend(event.usage, event.cost_usd)
        elif isinstance(event, Answered):
            if event.agent == self.agent:
                self.stop_reason = anthropic_shape.STOP_REASONS[event.reply.stop]
            if share := self.shares.get(event.agent):
                share.turns += 1
                share.spend(event.reply.usage, event.cost_usd)
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
            "total_cost_usd": self._cost(),
            "usage": anthropic_shape.usage(self._usage()),
            "modelUsage": self._model_usage(),
            "permission_denials": self.denials,
            "session_id": self.session_id,
        }
        if end and end.session_usage is not None:
            result["session_cost_usd"] = end.session_cost_usd
            result["session_usage"] = anthropic_shape.usage(end.session_usage)
        if worked := {name: share for name, share in self.shares.items() if share.turns}:
            result["agents"] = {name: _shown(share) for name, share in worked.items()}
        if reason:
            result["error"] = reason
        if end and result["total_cost_usd"] is None and end.turns:
            result["cost_note"] = self._cost_note()
        return result

    def _usage(self) -> Usage:
        """What the agent and its sub-agents have used for this answer."""
        own = self.ended.usage if self.ended else Usage()
        return sum((share.usage for share in self.shares.values()), own)

    def _cost(self) -> float | None:
        total = self.ended.cost_usd if self.ended else None
        for share in self.shares.values():
            total = _sum(total, share.cost_usd)
        return total

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


def _sum(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first + second


def _shown(share: _Share) -> dict[str, Any]:
    return {
        "id": share.id,
        "type": share.kind,
        "num_turns": share.turns,
        "usage": anthropic_shape.usage(share.usage),
        "cost_usd": share.cost_usd,
    }
