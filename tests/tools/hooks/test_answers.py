"""What a hook's exit code and output mean, alone and together with others."""

from __future__ import annotations

import json
from typing import Any

import pytest

from roocode.tools.hooks.answers import Printed, Said, said_by, together, verdict_in

NO = {"behavior": "deny", "message": "m", "interrupt": True}


def said(value: dict[str, Any], code: int = 0) -> Said:
    return said_by(Printed(code, json.dumps(value)), text_counts=False)


def specific(**fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **fields}}


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (Printed(0, "words"), Said()),
        (Printed(2, "out", "no"), Said(refused="no")),
        (Printed(2, "out"), Said(refused="out")),
        (Printed(2, '{"decision": "approve"}', "no"), Said(refused="no")),
        (Printed(1, "", "boom\nmore"), Said(fault="it ended with exit code 1: boom")),
        (Printed(1, '{"systemMessage": "m"}'), Said(message="m")),
        (Printed(0, "[1]"), Said()),
    ],
)
def test_exit_codes_and_text(printed: Printed, expected: Said) -> None:
    assert said_by(printed, text_counts=False) == expected


def test_text_counts_where_it_does() -> None:
    assert said_by(Printed(0, "words\n"), text_counts=True).context == "words"
    failed = said_by(Printed(1, "a", "b"), text_counts=True, failure_counts=True)
    assert (failed.context, failed.fault) == ("a\nb", "it ended with exit code 1: b")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (specific(permissionDecision="allow", permissionDecisionReason="x"), Said()),
        (specific(permissionDecision="deny", permissionDecisionReason="x"), Said(refused="x")),
        (specific(permissionDecision="ask", permissionDecisionReason="x"), Said(ask="x")),
        (specific(permissionDecision="defer"), Said(ask="it gave no reason")),
        (specific(updatedInput={"a": 1}), Said(arguments={"a": 1})),
        (specific(additionalContext="c"), Said(context="c")),
        (specific(updatedToolOutput="o"), Said(output="o")),
        (
            specific(decision={"behavior": "deny", "message": "m", "interrupt": True}),
            Said(refused="m", stop="m"),
        ),
        (specific(decision={"behavior": "allow", "updatedInput": {"a": 1}}), Said(arguments={"a": 1})),
        (specific(sessionTitle="t"), Said(unheeded=("sessionTitle",))),
        ({"decision": "block", "reason": "r"}, Said(refused="r")),
        ({"decision": "approve"}, Said()),
        ({"continue": False, "stopReason": "s"}, Said(stop="s")),
        ({"continue": True, "suppressOutput": True}, Said()),
        ({"decision": 5, "reason": [], "hookSpecificOutput": "x"}, Said()),
    ],
)
def test_answers_in_json(value: dict[str, Any], expected: Said) -> None:
    assert said(value) == expected


def test_broken_json_is_a_fault() -> None:
    assert "is not JSON" in said_by(Printed(0, "{oops"), text_counts=True).fault
    assert said_by(Printed(0, "{" * 100_000), text_counts=True).fault


def test_the_first_of_each_counts_and_a_second_rewrite_is_refused() -> None:
    outcome, remarks = together(
        [
            ("a", Said(context="1", arguments={"x": 1})),
            ("b", Said(ask="sure?", arguments={"x": 2})),
            ("c", Said(refused="no", context="2", arguments={"x": 1})),
            ("d", Said(refused="never", stop="end")),
        ]
    )
    assert (outcome.refused, outcome.ask, outcome.stop) == ("no", "sure?", "end")
    assert (outcome.arguments, outcome.context) == ({"x": 1}, ("1", "2"))
    assert remarks == ("the hook b would rewrite what a has rewritten already: refused",)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('{"ok": true}', Said()),
        ('Well: {"ok": false, "reason": "r"} so', Said(refused="r")),
        ('{"ok": "yes"}', Said(fault="the agent gave no verdict")),
        ("yes", Said(fault="the agent gave no verdict")),
    ],
)
def test_verdicts_of_an_agent(answer: str, expected: Said) -> None:
    assert verdict_in(answer) == expected
