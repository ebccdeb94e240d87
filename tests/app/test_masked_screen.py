"""What stands before every screen: events without secrets, and streams that hold back what may become one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from roocode.app.masked_screen import MaskedEvents
from roocode.protocol.events import (
    AnswerDelta,
    Answered,
    CallFinished,
    Event,
    Notice,
    RequestRetried,
    RequestStarted,
    RunEnded,
)
from roocode.protocol.messages import Message, Reply, Text, ToolCall, Usage
from roocode.protocol.tools import ToolOutcome
from roocode.security.isolation.secrets import Secrets
from tests.interaction.ui.samples import EVENTS

TOKEN = "ghp_Kd8Wq2Lm6Xv1Rb9Yc5Nh3Pj7Sf0Ga2Te4Uz8"
SECRETS = Secrets("salt")
TEXT = f"It is {TOKEN}, they say."
ENDED = RunEnded(end="done", text=TEXT, turns=1, usage=Usage(), cost_usd=None, duration_ms=1, reason=TOKEN)
RETRY = RequestRetried(attempt=1, of=2, delay_s=1, reason=f"refused {TOKEN}")


def shown(events: Iterable[Event]) -> list[Event]:
    seen: list[Event] = []
    masked = MaskedEvents(SECRETS, seen.append)
    for event in events:
        masked(event)
    return seen


def pieces(text: str, agent: str = "main", kind: Literal["text", "thinking"] = "text") -> list[AnswerDelta]:
    return [AnswerDelta(text=text[at : at + 3], agent=agent, kind=kind) for at in range(0, len(text), 3)]


def streamed(events: Iterable[Event], agent: str = "main", kind: str = "text") -> str:
    found = (event for event in events if isinstance(event, AnswerDelta))
    return "".join(event.text for event in found if (event.agent, event.kind) == (agent, kind))


def test_events_without_a_secret_are_the_very_same() -> None:
    events = [event for event in EVENTS if not isinstance(event, AnswerDelta)]
    assert all(new is old for new, old in zip(shown(events), events, strict=True))


def test_every_text_of_an_event_is_masked() -> None:
    call = ToolCall("c1", "Bash", {"command": TOKEN})
    events = [
        ENDED,
        RETRY,
        Notice(text=TEXT),
        CallFinished(call=call, outcome=ToolOutcome(TEXT, shown=f"+{TOKEN}")),
        Answered(reply=Reply(Message("assistant", (Text(TEXT), call)), "tools")),
    ]
    assert TOKEN not in repr(shown(events))
    assert repr(shown(events)).count(SECRETS(TOKEN)) == 9


def test_a_stream_shows_what_the_whole_text_shows_and_ends_before_its_answer() -> None:
    answer = Answered(reply=Reply(Message("assistant", (Text(TEXT),)), "end"))
    seen = shown([RequestStarted(turn=1), *pieces(TEXT), answer])
    assert streamed(seen) == SECRETS(TEXT)
    assert isinstance(seen[-1], Answered)
    assert len([event for event in seen if isinstance(event, AnswerDelta)]) > 2


def test_a_stream_that_is_cancelled_shows_its_rest_masked() -> None:
    assert streamed(shown([*pieces(f"It is {TOKEN}"), ENDED])) == SECRETS(f"It is {TOKEN}")


def test_what_a_failed_try_held_back_is_void() -> None:
    seen = shown([*pieces("It was th"), RETRY, *pieces("Now it is so"), ENDED])
    assert streamed(seen) == "It was Now it is so"


def test_reasoning_and_text_and_the_agents_are_streams_of_their_own() -> None:
    mixed: list[Event] = []
    for mine, theirs in zip(pieces(TEXT), pieces(TEXT, "alice"), strict=True):
        mixed += [mine, Notice(text="meanwhile", agent="main"), theirs]
    seen = shown([*pieces(TEXT, kind="thinking"), *mixed, ENDED])
    assert streamed(seen, kind="thinking") == SECRETS(TEXT)
    assert streamed(seen) == SECRETS(TEXT)
    assert SECRETS(TEXT).startswith(streamed(seen, "alice"))
    assert SECRETS(TOKEN) in streamed(seen, "alice")
