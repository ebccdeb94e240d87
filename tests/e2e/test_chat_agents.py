"""Sub-agents at the terminal: a live line, Esc, and the report that begins a run."""

from __future__ import annotations

import pytest

from tests.e2e.screen import chat_run

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60)]

ANN = {
    "prompt": "Find it.",
    "description": "find the word",
    "subagent_type": "general-purpose",
    "name": "ann",
}


def test_esc_sends_it_to_the_background_and_its_report_begins_a_run() -> None:
    agents = {
        "main": [
            {"calls": [{"tool": "Agent", "input": ANN}]},
            {"when": {"result": {"contains": "async_launched"}}, "text": "I go on with something else."},
            {
                "when": {"last_contains": ["<task-notification", "It is swordfish."]},
                "text": "Now I know the word.",
            },
        ],
        "ann": [{"text": "It is swordfish.", "first_token_delay_s": 4}],
    }
    with chat_run(agents=agents) as run:
        screen = run.open("Go.")
        screen.wait_for("ann (general-purpose)", "find the word", "esc: to the background")
        screen.press("Escape")
        screen.wait_for("I go on with something else.", "background")
        screen.wait_for("ann (general-purpose: find the word) completed", "Now I know the word.", "  ready")
        assert "Too late" not in screen.text
        screen.press("C-d")
        assert screen.exit_code() == 0
