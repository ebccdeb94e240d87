"""A person at the terminal: streaming, Esc, leaving, going on. Screens are compared by what matters."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from tests.e2e.screen import Screen, chat_run, runs, wait_until
from tests.processes import outer_pid

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60)]

MARKDOWN = "Here is **bold** text.\n\n- first\n- second\n\n```python\nx = 1\n```\n\nThe end."


@pytest.mark.parametrize("protocol", ["anthropic", "openai"])
def test_an_answer_streams_and_is_drawn_block_by_block(protocol: str) -> None:
    slow = {"delta_delay_s": 0.25, "chunk": 12}
    with chat_run({"text": MARKDOWN}, protocol=protocol, **slow) as run:
        screen = run.open("Say it.")
        early = screen.wait_for("> Say it.", "Here is bold text.", "answering")
        assert "The end." not in early
        lines = screen.wait_for_ready().split("\n")
        for line in (" • first", " • second", "  x = 1", "The end."):
            assert line in lines
        assert "**" not in screen.text
        assert "```" not in screen.text
        screen.press("C-d")
        assert screen.exit_code() == 0
        assert "Go on with: roocode -r " in screen.text


def test_esc_while_the_model_thinks_keeps_the_session() -> None:
    steps = ({"text": "Too late.", "first_token_delay_s": 60, "once": True}, {"text": "I am here."})
    with chat_run(*steps) as run:
        screen = run.open()
        screen.wait_for_ready()
        screen.say("First.")
        run.wait_until_asked(1)
        screen.wait_for("thinking", "esc to interrupt")
        screen.press("Escape")
        screen.wait_for("interrupted", "  ready")
        screen.say("Second.")
        screen.wait_for("I am here.", "  ready")
        assert "Too late." not in screen.text
        assert "First." in run.asked(1)


def test_esc_while_a_command_runs_ends_it_and_pairs_the_history() -> None:
    call = {"tool": "Bash", "input": {"command": "echo $$ >pid; exec sleep 300"}}
    with chat_run({"calls": [call]}, {"when": {"result": {"error": True}}, "text": "I am here."}) as run:
        screen = run.open("Go.", "--permission-mode", "bypassPermissions")
        pid = run.project / "pid"
        wait_until(lambda: pid.exists() and bool(pid.read_text().strip()), "the command did not start")
        command = outer_pid(int(pid.read_text()), run.project)
        screen.wait_for("running Bash(")
        screen.press("Escape")
        screen.wait_for("● Bash(", "Cancelled before it finished", "interrupted", "  ready")
        assert not runs(command)
        run.check_pairs()
        screen.say("And now?")
        screen.wait_for("I am here.")


def test_ctrl_c_interrupts_and_twice_leaves() -> None:
    call = {"tool": "Bash", "input": {"command": "echo $$ >pid; exec sleep 300"}}
    with chat_run({"calls": [call]}) as run:
        screen = run.open("Go.", "--permission-mode", "bypassPermissions")
        pid = run.project / "pid"
        wait_until(lambda: pid.exists() and bool(pid.read_text().strip()), "the command did not start")
        command = outer_pid(int(pid.read_text()), run.project)
        screen.press("C-c")
        screen.wait_for("interrupted", "press Ctrl+C again to leave")
        screen.press("C-c")
        assert screen.exit_code() == 0
        assert not runs(command)
        run.check_pairs()


def test_going_on_shows_the_last_exchange_and_sends_the_earlier_words() -> None:
    steps = (
        {"text": "The word is swordfish."},
        {"when": {"any_contains": "swordfish", "last_contains": "Which?"}, "text": "Still swordfish."},
        {"when": {"any_contains": "Still"}, "text": "Picked."},
    )
    with chat_run(*steps) as run:
        first = run.open("Tell me.")
        first.wait_for("The word is swordfish.", "  ready")
        first.press("C-d")
        assert first.exit_code() == 0
        second = run.open("-c")
        shown = second.wait_for("resumed session", "  ready")
        assert shown.index("> Tell me.") < shown.index("The word is swordfish.")
        second.say("Which?")
        second.wait_for("Still swordfish.", "  ready")
        second.press("C-d")
        second.exit_code()
        third = run.open("-r")
        third.wait_for("1  ", "Tell me.", "Go on with which one?")
        third.press("Enter")
        third.wait_for("Still swordfish.", "  ready")
        third.say("This one.")
        third.wait_for("Picked.")
        assert len(run.sessions) == 1


def test_words_while_it_works_wait_for_the_next_request() -> None:
    call = {"tool": "Bash", "input": {"command": "until test -e go; do sleep 0.02; done"}}
    steps = ({"calls": [call]}, {"when": {"last_contains": "Mind the gap."}, "text": "I mind."})
    with chat_run(*steps) as run:
        screen = run.open("Go.", "--permission-mode", "bypassPermissions")
        screen.wait_for("running Bash(")
        screen.say("Mind the gap.")
        screen.wait_for("queued: Mind the gap.")
        (run.project / "go").touch()
        lines = screen.wait_for("I mind.", "  ready").split("\n")
        assert lines.index("> Mind the gap.") < lines.index("I mind.")


def test_slash_commands_are_shown_obeyed_and_never_sent() -> None:
    write = {"tool": "WriteFile", "input": {"path": "n.txt", "content": "new"}}
    with chat_run({"calls": [write]}, {"text": "Written."}) as run:
        screen = run.open("Go.", "--permission-mode", "bypassPermissions")
        screen.wait_for("Written.", "  ready")
        screen.say("/context")
        lines = screen.wait_for("> /context", "system prompt and tools", "free").split("\n")
        assert lines.index("> /context") > lines.index("Written.")
        screen.say("/rewind 1")
        screen.wait_for("> /rewind 1", "Removed, since the agent made them: n.txt", "takes this back.")
        assert not (run.project / "n.txt").exists()
        screen.say("/nothing")
        screen.wait_for("There is no command /nothing.")


def test_an_error_is_shown_and_the_chat_goes_on() -> None:
    unknown = {"tool": "Frobnicate", "input": {}, "unoffered": True}
    steps = (
        {"error": {"status": 401, "message": "no such account"}},
        {"calls": [unknown, unknown, unknown]},
        {"text": "Better."},
    )
    with chat_run(*steps) as run:
        screen = run.open("One.")
        screen.wait_for("no such account", "  ready")
        screen.say("Two.")
        screen.wait_for("● Frobnicate()", "There is no tool 'Frobnicate'", "3 times in a row", "  ready")
        screen.say("Three.")
        screen.wait_for("Better.")


def test_sigterm_leaves_143_and_a_sane_terminal() -> None:
    slow = {"text": "Too late.", "first_token_delay_s": 60}
    with chat_run(slow, finishes=False) as run:
        screen = run.open("Go.")
        screen.wait_for("thinking")
        run.wait_until_asked(1)
        assert "-icanon" in settings(screen)
        os.kill(screen.pid, signal.SIGTERM)
        assert screen.exit_code() == 143
        assert "error: interrupted" in screen.text
        assert "esc to interrupt" not in screen.text
        assert "-icanon" not in settings(screen)
        assert "-echo " not in settings(screen)
        assert screen.shown("cursor_flag") == "1"


def settings(screen: Screen) -> str:
    """The terminal's, as stty tells them."""
    command = ["stty", "-a", "-F", screen.shown("pane_tty")]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_what_was_left_in_the_background_ends_with_the_chat() -> None:
    call = {"tool": "Bash", "input": {"command": "echo $$ >pid; exec sleep 300", "run_in_background": True}}
    with chat_run({"calls": [call]}, {"text": "It runs."}) as run:
        screen = run.open("Go.", "--permission-mode", "bypassPermissions")
        screen.wait_for("It runs.", "  ready")
        pid = run.project / "pid"
        wait_until(lambda: pid.exists() and bool(pid.read_text().strip()), "the command did not start")
        command = outer_pid(int(pid.read_text()), run.project)
        assert runs(command)
        screen.press("C-d")
        assert screen.exit_code() == 0
        assert not runs(command)


def test_a_chat_in_which_nothing_was_said_leaves_no_session() -> None:
    with chat_run() as run:
        screen = run.open()
        screen.wait_for_ready()
        screen.press("C-c", "C-c")
        assert screen.exit_code() == 0
        assert run.sessions == []
        assert "Go on with" not in screen.text


def test_without_a_key_no_screen_opens() -> None:
    with chat_run() as run:
        run.env.pop("ANTHROPIC_BASE_URL")
        screen = run.open("Go.")
        assert screen.exit_code() == 42
        assert screen.lines[0].startswith("error: no key is set: set ANTHROPIC_API_KEY")
        assert "ready" not in screen.text
