"""The input line, and screens of every kind."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import subprocess
import sys
import termios

import pytest

from tests.e2e.screen import chat_run, runs, wait_until
from tests.processes import outer_pid

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60)]

LONG = (
    "This is a paragraph that goes on and on, wider than the terminal will be in a moment, "
    "with 漢字 of double width and some more words to wrap around."
)


def test_several_lines_are_one_prompt_and_come_back() -> None:
    with chat_run({"text": "One."}, {"text": "Two."}, {"text": "Three."}) as run:
        screen = run.open()
        screen.wait_for_ready()
        screen.type("first\\")
        screen.wait_for("> first\\")
        screen.press("Enter")
        screen.type("second")
        screen.press("C-j")
        screen.type("third")
        screen.press("M-Enter")
        screen.type("fourth")
        screen.wait_for("> first\n  second\n  third\n  fourth")
        screen.press("Enter")
        screen.wait_for("One.", "  ready")
        assert "first\\nsecond\\nthird\\nfourth" in run.asked(0)
        screen.paste("p1\np2\np3")
        screen.wait_for("> p1\n  p2\n  p3")
        assert len(run.server.log) == 1, "a paste is not sent"
        screen.press("Enter")
        screen.wait_for("Two.", "  ready")
        screen.press("Up", "Up", "Up", "Up")
        screen.wait_for("> first\n  second\n  third\n  fourth\n  ready")
        screen.press("Enter")
        screen.wait_for("Three.")
        assert "fourth" in run.asked(2)


def test_a_paste_is_not_sent_either_where_the_terminal_does_not_mark_it() -> None:
    with chat_run({"text": "One."}) as run:
        screen = run.open(env={"TERM": "linux"})
        screen.wait_for_ready()
        screen.paste("p1\np2\np3", bracketed=False)
        screen.wait_for("> p1\n  p2\n  p3")
        screen.press("Enter")
        screen.wait_for("One.", "  ready")
        assert "p1\\np2\\np3" in run.asked(0)


def test_a_narrower_terminal_keeps_the_screen_whole() -> None:
    with chat_run({"text": f"{LONG}\n\n{LONG}"}) as run:
        screen = run.open("Go.")
        screen.wait_for_ready()
        for part in ("a", "b", "c"):
            screen.type(f"begin {part * 80} end")
            screen.press("C-j")
        screen.type("last")
        screen.wait_for("last")
        for width in (70, 41):
            screen.resize(width, 40)
            screen.wait_for(f"  begin {'b' * (width - 8)}\n", f"  begin {'c' * (width - 8)}\n")
        screen.type(" typed")
        screen.wait_for("  last typed")
        screen.resize(90, 40)
        screen.type(" more")
        text = screen.wait_for("  last typed more")
        assert text.count("This is a paragraph") == 2
        assert text.count("begin") == 3
        assert text.count("  ready") == 1


def test_what_the_model_writes_cannot_steer_the_terminal() -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\u202e done 漢字 👍"
    call = {"tool": "Bash", "input": {"command": "printf '\\033[2J\\033]0;owned\\007x'"}}
    with chat_run({"text": evil, "calls": [call]}, {"text": "Done."}) as run:
        screen = run.open("Say \u202e it.", "--permission-mode", "bypassPermissions")
        text = screen.wait_for("Done.", "  ready")
        assert "\\x1b]0;owned\\x07\\x1b[2J\\u202e done 漢字 👍" in text
        assert "> Say \\u202e it." in text
        assert "● Bash(printf '\\033[2J" in text
        assert "owned" not in screen.shown("pane_title")


def test_no_color_means_none() -> None:
    call = {"tool": "Bash", "input": {"command": "touch made.txt"}}
    with chat_run({"text": "**Bold.**", "calls": [call]}, {"text": "`Done.`"}) as run:
        screen = run.open("Go.", env={"NO_COLOR": "1"})
        screen.answer("y", to="touch made.txt")
        screen.wait_for("Done.", "  ready")
        assert not re.search(r"\x1b\[[0-9;]*\b(3|4|9|10)[0-7]\b", screen.styled)


def test_a_dumb_terminal_has_a_chat_of_lines() -> None:
    call = {"tool": "Bash", "input": {"command": "touch made.txt"}}
    slow = {"text": "Too late.", "first_token_delay_s": 60, "once": True}
    with chat_run({"text": "**Bold.**", "calls": [call]}, {"text": "Done."}, slow) as run:
        screen = run.open(env={"TERM": "dumb"})
        screen.wait_for("RooCode", ">")
        screen.press("Go.", "Enter")
        screen.wait_for("Bold.", "? wants to use Bash", "[y]es once")
        screen.press("y", "Enter")
        screen.wait_for("approved once", "● Bash(touch made.txt)", "Done.")
        assert (run.project / "made.txt").exists()
        screen.press("Wait.", "Enter")
        run.wait_until_asked(3)
        screen.press("C-c")
        screen.wait_for("interrupted")
        screen.press("C-d")
        assert screen.exit_code() == 0
        assert "\x1b[" not in screen.styled


def test_a_terminal_that_closes_ends_the_chat_and_what_it_started() -> None:
    call = {"tool": "Bash", "input": {"command": "echo $$ >pid; exec sleep 300"}}
    with chat_run({"calls": [call]}, finishes=False) as run:
        ours, theirs = pty.openpty()
        errors, pid = run.base / "errors", run.project / "pid"
        with errors.open("w") as err:
            process = subprocess.Popen(
                [sys.executable, "-m", "roocode", "Go.", "--permission-mode", "bypassPermissions"],
                cwd=run.project,
                env=run.env,
                stdin=theirs,
                stdout=theirs,
                stderr=err,
                start_new_session=True,
                preexec_fn=_take_terminal,
            )
        os.close(theirs)
        wait_until(lambda: pid.exists() and bool(pid.read_text().strip()), "the command did not start")
        command = outer_pid(int(pid.read_text()), run.project)
        os.close(ours)
        assert process.wait(20) == 128 + signal.SIGHUP
        assert errors.read_text() == "error: interrupted\n"
        assert not runs(command)
        run.check_pairs()


def test_off_a_terminal_it_names_the_way_without_one() -> None:
    with chat_run() as run:
        done = subprocess.run(
            [sys.executable, "-m", "roocode", "Go."],
            cwd=run.project,
            env=run.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert "roocode -p" in done.stderr


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
