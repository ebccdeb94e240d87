"""Hooks as they stand in a configuration: each fault with its file, line and column."""

from __future__ import annotations

import pytest

from roocode.interaction.config.document import parse_document
from roocode.interaction.config.schema import check
from roocode.protocol.errors import UserError
from roocode.tools.hooks.reading import read_hook

HINT = "action: {type: hint, text: x}"


def complaint(text: str) -> str:
    with pytest.raises(UserError) as error:
        check(parse_document(text, "f.yaml"))
    return error.value.what


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            f"hooks:\n  - event: stopp\n    {HINT}",
            "f.yaml:2: hooks.0.event: unknown event 'stopp': did you mean 'stop'?",
        ),
        (f"hooks:\n  - {HINT}", "f.yaml:2: hooks.0.event: is missing: say when the hook fires"),
        ("hooks:\n  - event: stop", "f.yaml:2: hooks.0.action: is missing: say what the hook does"),
        ("hooks:\n  - event: stop\n    action: {type: comand}", "did you mean 'command'?"),
        ("hooks:\n  - event: stop\n    action: {type: command}", "hooks.0.action.command: is missing"),
        (f"hooks:\n  - event: stop\n    wenn: x\n    {HINT}", "f.yaml:3: hooks.0.wenn: unknown key 'wenn'"),
        (
            f"hooks:\n  - event: stop\n    timeout: 0\n    {HINT}",
            "hooks.0.timeout: should be a number of seconds",
        ),
        (f"hooks:\n  - event: stop\n    once: yes\n    {HINT}", "hooks.0.once: should be true or false"),
        (f"hooks:\n  - event: stop\n    async: true\n    {HINT}", "nobody need wait for the action hint"),
        ("hooks:\n  - event: stop\n    action: {type: block}".replace("stop", "after_turn"), "use it at"),
        (
            "hooks:\n  - event: post_tool_use\n    action: {type: block_final, message: x}",
            "use it at subagent_stop, stop",
        ),
        ("hooks:\n  - event: stop\n    action: {type: http, url: 'file:///etc'}", "http or https"),
        (
            "hooks:\n  - event: stop\n    action: {type: require_tool, tool: Nope}",
            "there is no tool called Nope",
        ),
    ],
)
def test_each_fault_is_named_with_its_place(text: str, said: str) -> None:
    assert said in complaint(text)


@pytest.mark.parametrize(
    ("condition", "place"),
    [
        ('if: tol == "x"', "3:9"),
        ('if: tool == "x" && tol', "3:24"),
        ("if: 'tool == \"it''s\" && tol'", "3:29"),
        (r'if: "tool == \"x\" && tol"', "3:27"),
        ('if: |\n      tool == "x" &&\n        tol', "5:9"),
    ],
)
def test_a_condition_points_at_line_and_column(condition: str, place: str) -> None:
    text = f"hooks:\n  - event: pre_tool_use\n    {condition}\n    {HINT}\n"
    said = complaint(text)
    assert said.startswith(f"f.yaml:{place}: hooks.0.if: pre_tool_use has no field 'tol'")
    line, column = (int(number) for number in place.split(":"))
    assert text.splitlines()[line - 1][column - 1 :].startswith("tol")


def test_options_may_stand_beside_the_action_or_in_it_and_events_have_both_names() -> None:
    action = {"type": "command", "command": "x", "timeout": 3, "async": True}
    inside = read_hook({"event": "PostToolUse", "action": action}, "s")
    beside = read_hook({"event": "post_tool_use", "timeout": 3, "async": True, "action": {**action}}, "s")
    assert (inside.kind.name, inside.timeout_s, inside.waits) == ("post_tool_use", 3, False)
    assert inside == beside


def test_each_event_has_its_usual_time() -> None:
    times = {
        event: read_hook({"event": event, "action": {"type": "command", "command": "x"}}, "").timeout_s
        for event in ("pre_tool_use", "user_prompt_submit", "session_end")
    }
    assert times == {"pre_tool_use": 600, "user_prompt_submit": 30, "session_end": 1.5}
