"""Questions of permission and of the model, at the terminal."""

from __future__ import annotations

import pytest

from tests.e2e.screen import chat_run

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60)]


def bash(command: str) -> dict[str, object]:
    return {"tool": "Bash", "input": {"command": command}}


def edit(old: str, new: str) -> dict[str, object]:
    return {"tool": "EditFile", "input": {"path": "notes.md", "old_string": old, "new_string": new}}


READ = {"tool": "ReadFile", "input": {"path": "notes.md"}}


def test_yes_runs_the_command_that_was_shown_and_no_does_not() -> None:
    steps = (
        {"calls": [bash("echo made >made.txt"), bash("echo never >never.txt")]},
        {"when": {"result": {"error": True}}, "text": "As you wish."},
    )
    with chat_run(*steps) as run:
        screen = run.open("Go.")
        asked = screen.wait_for("  echo made >made.txt", "[y]es once")
        assert "echo never" not in asked, "one question at a time"
        screen.answer("y", to="  echo made >made.txt")
        screen.answer("n", to="  echo never >never.txt")
        text = screen.wait_for("As you wish.", "  ready")
        assert "  approved once" in text
        assert "the person said no" in text
        assert (run.project / "made.txt").read_text() == "made\n"
        assert not (run.project / "never.txt").exists()


def test_always_stores_the_rule_and_says_where() -> None:
    steps = ({"calls": [edit("one", "two")]}, {"calls": [edit("two", "three")]}, {"text": "Done."})
    with chat_run({"calls": [READ]}, *steps) as run:
        (run.project / "notes.md").write_text("one\n")
        screen = run.open("Go.")
        screen.wait_for("? wants to use EditFile", "  -one", "  +two")
        screen.answer("a", to="[a]lways: EditFile(")
        screen.wait_for("Always allow", "in .roocode/config.local.yaml:", "1 [x] EditFile(/notes.md)")
        assert (run.project / "notes.md").read_text() == "one\n"
        screen.wait_for("Enter stores and runs")
        screen.press("Enter")
        text = screen.wait_for("Done.", "  ready")
        assert "config.local.yaml" in text
        assert text.count("? wants to use") == 1
        assert (run.project / "notes.md").read_text() == "three\n"
        assert "EditFile(" in (run.project / ".roocode" / "config.local.yaml").read_text()


def test_for_this_session_the_same_call_is_not_asked_again() -> None:
    again = {"calls": [bash("echo x >>made.txt")]}
    with chat_run(again, {"text": "Once more.", **again}, {"text": "Done."}) as run:
        screen = run.open("Go.")
        screen.answer("s", to="echo x >>made.txt")
        text = screen.wait_for("Done.", "  ready")
        assert text.count("? wants to use") == 1
        assert (run.project / "made.txt").read_text() == "x\nx\n"


def test_words_that_are_being_typed_never_approve() -> None:
    call = {"calls": [bash("echo made >made.txt")], "first_token_delay_s": 0.5}
    with chat_run(call, {"text": "As you wish."}) as run:
        screen = run.open("Go.")
        run.wait_until_asked(1)
        screen.type("yes, always say yes")
        screen.wait_for("? wants to use Bash", "> yes, always say yes", "[y]es once")
        screen.type("sayany")
        screen.wait_for("> yes, always say yessayany")
        screen.wait_for("[y]es once")
        assert not (run.project / "made.txt").exists()
        screen.press("Enter")
        screen.press("Escape")
        text = screen.wait_for("As you wish.", "  ready")
        assert "the person said no" in text
        assert "> yes, always say yessayany" in text
        assert not (run.project / "made.txt").exists()


def test_esc_at_a_question_is_no_and_ctrl_c_ends_the_run() -> None:
    steps = ({"calls": [bash("echo a >a.txt")]}, {"calls": [bash("echo b >b.txt")]}, {"text": "Here."})
    with chat_run(*steps) as run:
        screen = run.open("Go.")
        screen.answer("Escape", to="echo a >a.txt")
        screen.answer("C-c", to="echo b >b.txt")
        screen.wait_for("interrupted")
        screen.say("And now?")
        screen.wait_for("Here.")
        assert list(run.project.iterdir()) == []
        run.check_pairs()


def test_shift_tab_changes_the_mode_from_the_next_decision_on() -> None:
    steps = ({"calls": [READ]}, {"calls": [edit("one", "two")]}, {"text": "Done."})
    with chat_run(*steps) as run:
        (run.project / "notes.md").write_text("one\n")
        screen = run.open()
        screen.wait_for_ready()
        screen.press("BTab")
        screen.wait_for("acceptEdits")
        screen.say("Go.")
        text = screen.wait_for("Done.", "  ready")
        assert "wants to use" not in text
        assert "  +two" in text
        assert "acceptEdits" in run.asked(0)


def test_questions_of_the_model_are_answered_by_number_or_words() -> None:
    questions = [
        {"question": "Which one?", "header": "Pick", "options": [{"label": "Alpha"}, {"label": "Beta"}]},
        {
            "question": "Which ones?",
            "options": [{"label": "Red"}, {"label": "Green"}, {"label": "Blue"}],
            "multiple": True,
        },
        {"question": "What else?", "options": [{"label": "This"}, {"label": "That"}]},
    ]
    steps = (
        {"calls": [{"tool": "AskUser", "input": {"questions": questions}}]},
        {"when": {"last_contains": ["Beta", "Red, Blue", "neither of them"]}, "text": "I see."},
        {"calls": [{"tool": "AskUser", "input": {"questions": questions[:1]}}]},
        {"text": "Never mind."},
    )
    with chat_run(*steps) as run:
        screen = run.open("Go.")
        screen.wait_for("? Pick: Which one?", "  1. Alpha", "  2. Beta", "1-2 picks")
        screen.press("2")
        screen.wait_for("? Which ones?", "1-3 picks (none so far)")
        screen.press("1")
        screen.wait_for("(1 so far)")
        screen.press("3")
        screen.wait_for("(1 3 so far)")
        screen.press("Enter")
        screen.wait_for("? What else?", "1-2 picks")
        screen.type("neither of them")
        screen.wait_for("> neither of them")
        screen.press("Enter")
        screen.wait_for("I see.", "  ready")
        screen.say("Again.")
        screen.wait_for("1-2 picks")
        screen.press("Escape")
        screen.wait_for("no answer", "Never mind.")
