"""The result of a run, as text and as an object."""

import io
import json
from dataclasses import replace

import pytest

from roocode.interaction.ui.json_object import JsonObject
from roocode.interaction.ui.plain import Plain
from roocode.interaction.ui.result import Result
from roocode.protocol.events import Answered, CallBegan, CallDecided, Event, Notice, RunEnded
from roocode.protocol.messages import Message, Reply, Text, Usage
from tests.interaction.ui.samples import CALL, DENIED, EVENT_IDS, EVENTS, REPLY, STARTED, ended

KEYS = {
    "type",
    "subtype",
    "is_error",
    "result",
    "num_turns",
    "duration_ms",
    "duration_api_ms",
    "total_cost_usd",
    "usage",
    "modelUsage",
    "permission_denials",
    "session_id",
}


def gathered(*events: Event) -> Result:
    result = Result()
    for event in events:
        result.take(event)
    return result


def test_it_has_every_key_whatever_happened():
    assert gathered().as_json("no key", 42).keys() >= KEYS
    assert gathered(*EVENTS).as_json().keys() >= KEYS


@pytest.mark.parametrize(
    ("event", "subtype", "is_error", "text"),
    [
        (ended(), "success", False, "All green."),
        (ended("turn_limit", "Left: x.", "limit", 53), "error_max_turns", True, "Left: x."),
        (ended("budget", "Left: x.", "spent", 53), "error_max_budget_usd", True, "Left: x."),
        (ended("cancelled", "", "cancelled", 130), "error_during_execution", True, "cancelled"),
        (ended("failed", "", "lost", 1), "error_during_execution", True, "lost"),
        (ended("refused", "", "bad key", 42), "error_during_execution", True, "bad key"),
        (ended("done", "As far as", "cut off", 1), "error_during_execution", True, "As far as"),
    ],
)
def test_each_end_has_its_subtype(event: RunEnded, subtype: str, is_error: bool, text: str):
    value = gathered(STARTED, event).as_json("", event.exit_code)
    assert (value["subtype"], value["is_error"], value["result"]) == (subtype, is_error, text)
    assert value.get("error", "") == event.reason


def test_a_run_that_never_began_has_an_error_and_zeros():
    value = gathered().as_json("no key is set", 42)
    assert (value["is_error"], value["result"], value["error"]) == (True, "no key is set", "no key is set")
    assert (value["num_turns"], value["total_cost_usd"], value["session_id"]) == (0, None, "")


def test_usage_is_counted_for_each_model():
    other = Answered(reply=Reply(Message("assistant", (Text("x"),)), "end", Usage(1, 2), "model-2"))
    paid = Answered(reply=REPLY, cost_usd=0.1)
    value = gathered(paid, paid, other).as_json()
    assert value["modelUsage"]["model-1"]["inputTokens"] == 200
    assert value["modelUsage"]["model-1"]["costUSD"] == pytest.approx(0.2)
    assert value["modelUsage"]["model-2"]["costUSD"] is None


def test_a_price_that_is_not_known_is_no_zero_and_says_so():
    unknown = Answered(reply=REPLY, cost_usd=None)
    free = replace(ended(), cost_usd=None)
    value = gathered(unknown, free).as_json()
    assert value["total_cost_usd"] is None
    assert value["cost_note"] == "the cost is not known: there is no price for model-1"
    assert "cost_note" not in gathered(Answered(reply=REPLY, cost_usd=0.1), ended()).as_json()


def test_denials_are_listed_with_their_reason():
    value = gathered(CallDecided(call=CALL, decision=DENIED)).as_json()
    [denial] = value["permission_denials"]
    assert denial["tool_name"] == "Bash"
    assert denial["tool_input"] == {"command": "make test"}
    assert denial["reason"] == "not known to be harmless"


def test_only_the_run_of_its_own_agent_counts():
    value = gathered(STARTED, RunEnded(**{**_fields(ended()), "agent": "alice"})).as_json()
    assert value["result"] == ""
    assert value["is_error"]


def plain(*events: Event, verbose: bool = False) -> tuple[Plain, io.StringIO, io.StringIO]:
    out, err = io.StringIO(), io.StringIO()
    screen = Plain(out, err, verbose=verbose)
    for event in events:
        screen.show(event)
    return screen, out, err


@pytest.mark.parametrize("verbose", [False, True])
@pytest.mark.parametrize("event", EVENTS, ids=EVENT_IDS)
def test_no_event_writes_to_standard_output(event: Event, verbose: bool):
    _, out, _ = plain(event, verbose=verbose)
    assert out.getvalue() == ""


def test_standard_output_has_the_answer_only():
    screen, out, err = plain(*EVENTS)
    screen.finish()
    assert out.getvalue() == "All green.\n"
    assert "warning: Mind this." in err.getvalue()
    assert "retrying in 2 s (1 of 5): overloaded" in err.getvalue()


def test_denials_are_told_and_calls_where_one_wants_them():
    events = (CallBegan(call=CALL), CallDecided(call=CALL, decision=DENIED))
    assert plain(*events)[2].getvalue() == "denied: Bash(make test): not known to be harmless\n"
    assert plain(*events, verbose=True)[2].getvalue().startswith("→ Bash(make test)\n")


@pytest.mark.parametrize(
    ("event", "error", "code", "out", "err"),
    [
        (ended("failed", "", "lost", 1), "", 1, "", "error: lost\n"),
        (ended("turn_limit", "Left: x.", "limit", 53), "", 53, "Left: x.\n", "error: limit\n"),
        (None, "no key\nset one", 42, "", "error: no key\nset one\n"),
    ],
)
def test_an_error_goes_to_standard_error(event: RunEnded | None, error: str, code: int, out: str, err: str):
    screen, written, told = plain(*([event] if event else []))
    screen.finish(error, code)
    assert (written.getvalue(), told.getvalue()) == (out, err)


def test_each_of_several_prompts_has_its_answer():
    screen, out, _ = plain(ended(text="One."))
    screen.answered(0)
    for event in EVENTS:
        screen.show(event)
    screen.answered(0)
    screen.finish()
    assert out.getvalue() == "One.\nAll green.\n"


def test_what_cannot_be_encoded_or_seen_does_no_harm():
    screen, out, err = plain(Notice(text="a\x1b[2J"), ended(text="half \ud800"))
    screen.finish()
    assert out.getvalue() == "half \ufffd\n"
    assert err.getvalue() == "a\\x1b[2J\n"


def test_json_is_one_object_behind_everything_else():
    out, err = io.StringIO(), io.StringIO()
    screen = JsonObject(out, err)
    for event in EVENTS:
        screen.show(event)
    screen.answered(0)
    assert out.getvalue() == ""
    screen.finish()
    assert json.loads(out.getvalue())["result"] == "All green."
    assert out.getvalue().count("\n") == 1


def test_the_object_of_a_team_stands_alone():
    out, err = io.StringIO(), io.StringIO()
    JsonObject(out, err).finish("alice: conflict", 1, {"status": "conflict"})
    assert json.loads(out.getvalue()) == {"status": "conflict"}
    assert err.getvalue() == "error: alice: conflict\n"


def _fields(event: RunEnded) -> dict[str, object]:
    return {name: getattr(event, name) for name in RunEnded.__dataclass_fields__}
