"""Events in, finished text out."""

from dataclasses import replace
from typing import get_args

import pytest

from roocode.interaction.ui.pane import Pane
from roocode.interaction.ui.terminal.status import WAITING, sub_agent_lines
from roocode.interaction.ui.terminal.styles import unstyled
from roocode.interaction.ui.terminal.transcript import Transcript
from roocode.protocol.decisions import Decision
from roocode.protocol.events import (
    AnswerDelta,
    Answered,
    CallBegan,
    CallDecided,
    CallFinished,
    Event,
    PermissionAsked,
    PromptAdded,
    RequestRetried,
    RequestStarted,
    RunEnded,
    SessionStarted,
    SubAgentChanged,
)
from roocode.protocol.messages import Message, Reply, Text, Usage, user
from roocode.protocol.tools import ToolOutcome
from tests.interaction.ui.samples import CALL, EVENT_IDS, EVENTS, STARTED, ended, question


def transcript() -> Transcript:
    return Transcript(lambda: 60)


def told(*events: Event, to: Transcript | None = None) -> str:
    screen = to or transcript()
    return "\n".join(filter(None, (unstyled(screen.take(event)) for event in events)))


def answered(text: str, cost: float | None = 0.5) -> Answered:
    return Answered(reply=Reply(Message("assistant", (Text(text),)), "end", Usage(1000, 200)), cost_usd=cost)


def test_the_samples_hold_every_kind_of_event():
    assert {type(event) for event in EVENTS} == set(get_args(Event))


@pytest.mark.parametrize("event", EVENTS, ids=EVENT_IDS)
def test_every_event_is_taken(event: Event):
    for screen in (transcript(), Transcript(lambda: 1, "somebody else")):
        text = screen.take(event)
        assert isinstance(text, str)


def test_a_session_introduces_itself():
    assert told(STARTED) == "RooCode · model-1 · /work · session s1"
    resumed = SessionStarted(session_id="s1", model="m", cwd="/w", mode="plan", tools=(), resumed=True)
    assert "resumed session" in told(resumed)


def test_whole_blocks_are_printed_while_the_rest_is_live():
    screen = transcript()
    assert told(AnswerDelta(text="One"), AnswerDelta(text=" block.\n"), to=screen) == ""
    assert screen.last_lines(10) == "\nOne block."
    assert told(AnswerDelta(text="\nTwo"), to=screen) == "\nOne block."
    assert screen.last_lines(10) == "\nTwo"
    assert told(AnswerDelta(text=" **blocks**."), answered("…"), to=screen) == "\nTwo blocks."
    assert screen.last_lines(10) == ""


def test_an_answer_that_did_not_stream_is_printed_whole():
    assert told(answered("Whole.")) == "\nWhole."


def test_the_live_part_is_safe_and_not_too_long():
    screen = transcript()
    screen.take(AnswerDelta(text="\n".join(f"line {number} \x1b[2J" for number in range(30))))
    assert screen.last_lines(3) == "\n" + "\n".join(f"line {number} \\x1b[2J" for number in (27, 28, 29))


def test_what_a_failed_try_has_shown_is_void():
    screen = transcript()
    screen.take(AnswerDelta(text="Half an ans"))
    retry = RequestRetried(attempt=1, of=5, delay_s=2.0, reason="overloaded")
    assert "Trying again in 2 s (1 of 5): overloaded. What was shown" in told(retry, to=screen)
    assert told(AnswerDelta(text="Whole."), answered("Whole."), to=screen) == "\nWhole."


def test_thinking_is_not_printed():
    screen = transcript()
    assert told(AnswerDelta(text="Hm.\n\nHm.", kind="thinking"), to=screen) == ""
    assert screen.last_lines(5) == ""


def test_calls_stand_together_behind_a_blank_line():
    done = CallFinished(call=CALL, outcome=ToolOutcome("ok"))
    assert told(answered("I run them."), done, done) == (
        "\nI run them.\n\n● Bash(make test)\n  ⎿ ok\n● Bash(make test)\n  ⎿ ok"
    )


def test_a_diff_that_a_person_approved_is_not_shown_twice():
    finished = CallFinished(call=CALL, outcome=ToolOutcome("changed", shown="-a\n+b"))
    assert "+b" in told(finished)
    approved = CallDecided(call=CALL, decision=Decision("allow", "person", "approved once"))
    text = told(approved, finished)
    assert "  approved once" in text
    assert "+b" not in text
    assert "changed" in text


def test_the_status_follows_what_goes_on():
    screen = transcript()
    doings = []
    for event in (
        RequestStarted(turn=1),
        AnswerDelta(text="x"),
        CallBegan(call=CALL),
        PermissionAsked(question=question()),
        CallFinished(call=CALL, outcome=ToolOutcome("ok")),
        ended(),
    ):
        screen.take(event)
        doings.append(screen.status.doing)
    assert doings == ["thinking", "answering", "running Bash(make test)", WAITING, "thinking", ""]


def test_tokens_are_the_size_and_cost_is_the_sum():
    screen = transcript()
    for event in (answered("a"), answered("b"), answered("c", None)):
        screen.take(event)
    assert screen.status.tokens == 1200
    assert (screen.status.cost_usd, screen.status.cost_unknown) == (1.0, True)


def test_what_was_said_before_a_resume_makes_no_cost_unknown():
    screen = transcript()
    screen.take(Answered(reply=Reply(Message("assistant", (Text("a"),)), "end")))
    assert not screen.status.cost_unknown


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (ended(), ""),
        (ended("cancelled", reason="cancelled", exit_code=130), "⎿ interrupted"),
        (ended("failed", reason="the key is refused", exit_code=42), "the key is refused"),
        (ended("done", reason="the answer is cut off", exit_code=1), "the answer is cut off"),
    ],
)
def test_an_end_says_why(event: RunEnded, text: str):
    assert told(event) == text


def test_a_cancel_prints_what_was_shown():
    assert told(AnswerDelta(text="As far as"), ended("cancelled")) == "\nAs far as\n⎿ interrupted"


def test_of_other_agents_only_what_they_do_is_shown():
    screen = transcript()
    other = {"agent": "alice", "parent": "a-t-lead"}
    for event in (
        AnswerDelta(text="secret\n\nx", **other),
        PromptAdded(message=user("p"), **other),
        RequestStarted(turn=1, **other),
    ):
        assert told(event, to=screen) == ""
    assert screen.status.doing == ""
    finished = CallFinished(call=CALL, outcome=ToolOutcome("ok"), **other)
    assert told(finished, to=screen) == "\nalice ● Bash(make test)\n  ⎿ ok"


def test_a_pane_prints_what_its_agent_does(capsys: pytest.CaptureFixture[str]):
    pane = Pane("main")
    for event in EVENTS:
        pane.show(event)
    pane.close()
    out = unstyled(capsys.readouterr().out)
    assert "> Run the tests." in out
    assert "● Bash(make test)" in out


def test_a_pane_that_is_closed_is_no_error(tmp_path):
    out = (tmp_path / "pane").open("w")
    out.close()
    Pane("main", out).show(STARTED)


def test_of_a_sub_agent_only_its_end_is_printed_and_a_line_tells_what_it_does():
    screen = transcript()
    ann = {"agent": "ann", "parent": "main"}
    about = {"id": "a1", "kind": "Explore", "description": "look"}
    for event in (
        SubAgentChanged(**ann, **about, state="queued"),
        SubAgentChanged(**ann, **about, state="working"),
        PromptAdded(message=user("p"), **ann),
        AnswerDelta(text="secret\n\nx", **ann),
        CallBegan(call=CALL, **ann),
        CallFinished(call=CALL, outcome=ToolOutcome("ok"), **ann),
        replace(answered("x"), **ann),
    ):
        assert told(event, to=screen) == ""
    (line,) = sub_agent_lines(screen.sub_agents)
    assert (line.name, line.task) == ("ann (Explore)", "look")
    assert line.state.startswith("working ")
    assert line.last == "Bash(make test) · 1 call · 1.2k tokens · 0.5000 USD"
    assert screen.status.cost_usd == 0.5
    ended = SubAgentChanged(**ann, **about, state="completed", text="Found.")
    assert told(ended, to=screen).startswith("⏺ ann (Explore: look) completed: 1 call")
    assert sub_agent_lines(screen.sub_agents) == ()
