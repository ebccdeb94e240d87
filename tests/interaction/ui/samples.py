"""One event of every kind."""

from __future__ import annotations

from typing import Any

from roocode.protocol.decisions import Decision, PermissionAnswer, PermissionQuestion, RuleProposal
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
from roocode.protocol.messages import Message, Reply, Text, Thinking, ToolCall, Usage, reminder
from roocode.protocol.tools import ToolOutcome

CALL = ToolCall("c1", "Bash", {"command": "make test"})
PROMPT = Message("user", (reminder("Today is Monday."), Text("Run the tests.")))
REPLY = Reply(
    Message("assistant", (Thinking("Hm.", "sig"), Text("I run **them**."), CALL)),
    "tools",
    Usage(100, 20, 300, 40),
    "model-1",
)
ALLOWED = Decision("allow", "rules", "allowed by a rule", "Bash(make *)", "config.yaml:3")
DENIED = Decision("deny", "mode", "not known to be harmless")


def question(
    identifier: str = "q1",
    agent: str = "main",
    proposals: tuple[str, ...] = ("Bash(make test)",),
    command: str = "make test",
    **facts: Any,
) -> PermissionQuestion:
    return PermissionQuestion(
        identifier,
        agent,
        "Bash",
        {"command": command},
        command,
        "may write",
        "mode",
        "d1",
        tuple(RuleProposal(text, command, (text, "Bash(make *)")) for text in proposals),
        stores=(("local", ".roocode/config.local.yaml"), ("user", "~/.roocode/config.yaml")),
        **facts,
    )


def ended(end: str = "done", text: str = "All green.", reason: str = "", exit_code: int = 0) -> RunEnded:
    return RunEnded(
        end=end,  # type: ignore[arg-type]
        text=text,
        turns=2,
        usage=Usage(500, 60, 700, 80),
        cost_usd=0.25,
        duration_ms=1200,
        api_ms=900,
        reason=reason,
        exit_code=exit_code,
    )


STARTED = SessionStarted(
    session_id="s1", model="model-1", cwd="/work", mode="default", tools=("Bash", "ReadFile")
)
EVENTS: tuple[Event, ...] = (
    STARTED,
    PromptAdded(message=PROMPT),
    RequestStarted(turn=1),
    AnswerDelta(text="Hm.", kind="thinking"),
    AnswerDelta(text="I run **them**."),
    RequestRetried(attempt=1, of=5, delay_s=1.5, reason="overloaded"),
    Answered(reply=REPLY, cost_usd=0.1),
    CallBegan(call=CALL),
    PermissionAsked(question=question()),
    PermissionAnswered(question_id="q1", answer=PermissionAnswer(True)),
    CallDecided(call=CALL, decision=ALLOWED),
    CallFinished(call=CALL, outcome=ToolOutcome("ok\n3 passed"), duration_ms=12),
    RoomMade(kind="summary", before=110_000, after=31_000, window=128_000),
    Notice(text="Mind this.", level="warning"),
    SubAgentChanged(agent="ann", parent="main", id="a1", kind="Explore", description="look", state="queued"),
    TeamEvent(kind="merged", team="t", member="alice", detail={"commit": "abc123"}),
    ended(),
)
EVENT_IDS = [f"{number}-{type(event).__name__}" for number, event in enumerate(EVENTS)]
