"""Skills at the terminal: called by name, and there as soon as their file is."""

from __future__ import annotations

import pytest

from tests.e2e.screen import chat_run

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60)]

LOAD = {"calls": [{"tool": "LoadSkill", "input": {"name": "mend", "arguments": "the gate"}}]}


def test_a_skill_that_is_written_meanwhile_is_called_by_person_and_model() -> None:
    steps = (
        {"text": "Hello."},
        {"when": {"last_contains": "Mend the fence by the book."}, "text": "Fence mended."},
        LOAD,
        {"when": {"result": {"contains": "Mend the gate by the book."}}, "text": "Gate mended."},
    )
    with chat_run(*steps) as run:
        screen = run.open("Hi.")
        screen.wait_for("Hello.", "  ready")
        screen.say("/mend the fence")
        screen.wait_for("There is no command /mend.")
        path = run.home / ".roocode/skills/mend/SKILL.md"
        path.parent.mkdir(parents=True)
        path.write_text("---\nname: mend\ndescription: Mends things.\n---\nMend $ARGUMENTS by the book.\n")
        screen.say("/mend the fence")
        screen.wait_for("Fence mended.", "  ready")
        assert screen.text.count("> /mend the fence") == 1
        assert "by the book" not in screen.text
        screen.say("Now the gate.")
        screen.wait_for("Gate mended.", "  ready")
        screen.say("/help")
        screen.wait_for("/mend", "Mends things.")
        assert "- mend: Mends things." in run.asked(1)
        run.check_pairs()
