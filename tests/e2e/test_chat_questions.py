"""Questions of permission and of the model, at the terminal."""

from __future__ import annotations

import pytest

from tests.e2e.screen import chat_run

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60)]


def bash(command: str) -> dict[str, object]:
    return {"tool": "Bash", "input": {"command": command}}


def edit(old: str, new: str) -> dict[str, object]:
    return {"tool": "EditFile", "input": {"path": "notes.md", "old_string": old, "new_string": new}}


READ_N = {"tool": "ReadFile", "input": {"path": "n.txt"}}
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


def test_a_line_of_several_commands_is_asked_about_part_by_part_and_a_no_takes_words() -> None:
    line = "cd docs && rm -rf build; ls | head"
    steps = ({"calls": [bash(line)]}, {"when": {"last_contains": "keep it, use git rm"}, "text": "I see."})
    with chat_run(*steps) as run:
        (run.project / "docs/build").mkdir(parents=True)
        (run.project / "docs/build/a").write_text("x" * 100)
        screen = run.open("Go.", width=80)
        text = screen.wait_for("! Danger: wants to use Bash", f"  {line}", "[t]ell it why not")
        assert "  ✓ cd docs · only reads\n  ? rm -rf build · deletes files\n  ✓ ls · only reads" in text
        assert "⚠ docs/build holds 1 entry, 100 bytes" in text
        screen.press("t")
        screen.wait_for("What should it do instead?")
        screen.type("keep it, use git rm")
        screen.wait_for("> keep it, use git rm")
        screen.press("Enter")
        screen.wait_for("I see.", "  ready")
        assert (run.project / "docs/build/a").exists()


@pytest.mark.parametrize(("draft", "keys"), [("then look at", "t"), ("", "t\r")])
def test_a_draft_stays_with_the_person_while_the_words_of_a_no_are_written(draft: str, keys: str) -> None:
    step = {"calls": [bash("echo made >made.txt")], "first_token_delay_s": 0.5}
    with chat_run(step, {"when": {"last_contains": "use tox"}, "text": "I see."}, {"text": "Fine."}) as run:
        screen = run.open("Go.")
        run.wait_until_asked(1)
        screen.type(draft)
        screen.wait_for("? wants to use Bash", f"> {draft}".rstrip(), "[t]ell it why not")
        screen.type(keys)
        screen.wait_for("What should it do instead?")
        screen.type("use tox")
        screen.wait_for("> use tox")
        screen.press("Enter")
        screen.wait_for("I see.", "  ready", f"> {draft}".rstrip())
        screen.type(" the log")
        screen.wait_for(f"> {draft} the log")
        screen.press("Enter")
        screen.wait_for("Fine.", "  ready")
        screen.press("Up", "Up")
        screen.wait_for("> use tox")
        run.check_pairs()


def test_the_rules_of_an_always_are_left_out_narrowed_and_written_by_keys() -> None:
    both, one = "git add . && make -s all", "git commit -m x"
    steps = ({"calls": [bash(both)]}, {"calls": [bash(one)]}, {"text": "Done."})
    with chat_run(*steps) as run:
        screen = run.open("Go.", width=80)
        screen.wait_for("[a]lways: 2 rules")
        screen.press("a")
        screen.wait_for("1 [x] Bash(git add *)", "2 [x] Bash(make -s all)", "Enter stores and runs")
        screen.press("Space")
        screen.wait_for("1 [ ] Bash(git add *)")
        screen.press("Down", "e")
        screen.wait_for("it has to cover: make -s all", "> Bash(make -s all)")
        screen.press("BSpace")
        screen.type(" x)")
        screen.press("Enter")
        screen.wait_for("Bash(make -s all x): it does not cover make -s all")
        screen.press("C-u")
        screen.type("Bash(make -s *)")
        screen.press("Enter")
        screen.wait_for("2 [x] Bash(make -s *)", "it covers everything that make can do", "Enter stores and")
        screen.press("Enter")
        screen.wait_for("once more, and it is stored all the same")
        screen.wait_for("Enter stores and runs")
        assert not (run.project / ".roocode").exists()
        screen.press("Enter")
        screen.wait_for("always allowed: Bash(make -s *) (in .roocode/config.local.yaml)")
        screen.answer("n", to=f"  {one}")
        screen.wait_for("Done.", "  ready")
        assert "git add" not in (run.project / ".roocode/config.local.yaml").read_text()


def test_an_always_holds_in_the_next_session_below_the_project_and_without_trust() -> None:
    """anthropics/claude-code#6850 and its like: stored, but not honoured."""
    write = {"tool": "WriteFile", "input": {"path": "n.txt", "content": "one\n"}}
    again = {"tool": "EditFile", "input": {"path": "n.txt", "old_string": "one", "new_string": "two"}}
    with chat_run(
        {"calls": [write]}, {"text": "Done."}, {"calls": [READ_N, again]}, {"text": "Once more."}
    ) as run:
        (run.project / ".git").mkdir()
        (run.project / "sub").mkdir()
        screen = run.open("Go.", "--cwd", str(run.project / "sub"))
        screen.wait_for("[a]lways: EditFile(/sub/n.txt)")
        screen.press("a")
        screen.wait_for("Enter stores and runs")
        screen.press("Enter")
        screen.wait_for("Done.", "  ready")
        screen.press("C-d")
        assert screen.exit_code() == 0
        second = run.open("-c", "Again.", "--cwd", str(run.project / "sub"))
        text = second.wait_for("Once more.", "  ready")
        assert "to use EditFile" not in text
        assert (run.project / "sub/n.txt").read_text() == "two\n"
