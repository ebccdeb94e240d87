"""What finished things look like."""

import pytest

from roocode.engine.subagents.framing import notification
from roocode.engine.subagents.outcome import Outcome, Profile
from roocode.interaction.ui.columns import columns
from roocode.interaction.ui.terminal import blocks
from roocode.interaction.ui.terminal.styles import GREEN, RED, RESET, trimmed, unstyled, wants_styles
from roocode.protocol.messages import Message, Text, ToolCall, reminder, user
from roocode.protocol.tools import ToolOutcome

CALL = ToolCall("1", "Bash", {"command": "make"})


def plain(outcome: ToolOutcome, width: int = 40, who: str = "") -> list[str]:
    return unstyled(blocks.call(CALL, outcome, width, who)).split("\n")


def test_a_prompt_is_echoed_without_its_reminders():
    message = Message("user", (reminder("Today."), Text("one\ntwo \x1b[2J")))
    assert unstyled(blocks.prompt(message)) == "\n> one\n  two \\x1b[2J"
    assert blocks.prompt(Message("user", (reminder("Today."),))) == ""


def test_a_result_is_folded():
    assert plain(ToolOutcome("one\n")) == ["● Bash(make)", "  ⎿ one"]
    assert plain(ToolOutcome("1\n2\n3")) == ["● Bash(make)", "  ⎿ 1", "    2", "    3"]
    assert plain(ToolOutcome("1\n2\n3\n4\n5"))[-1] == "    … +2 lines"
    assert plain(ToolOutcome("")) == ["● Bash(make)", "  ⎿ (no output)"]


def test_who_acts_stands_before_the_call_of_another():
    assert plain(ToolOutcome("x"), who="alice")[0] == "alice ● Bash(make)"


@pytest.mark.parametrize("width", [1, 20, 33, 80])
def test_no_line_of_a_result_is_wider_than_the_terminal(width: int):
    outcome = ToolOutcome("x" * 300 + "\n" + "漢" * 200 + "\n\t\ttabs" + "y" * 100)
    assert max(map(columns, plain(outcome, width, who="bob"))) <= max(width, blocks.NARROWEST)
    shown = ToolOutcome("", shown="+" + "z" * 300)
    assert max(map(columns, plain(shown, width))) <= max(width, blocks.NARROWEST)


def test_a_diff_has_colours_and_is_folded_only_where_it_was_approved():
    text = "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same"
    assert f"{RED}-old{RESET}" in blocks.diff(text)
    assert f"{GREEN}+new{RESET}" in blocks.diff(text)
    long = "\n".join(f"+{number}" for number in range(100))
    assert len(blocks.diff(long).split("\n")) == 100
    assert unstyled(blocks.diff(long, limit=10)).split("\n")[-1] == "  … +90 lines"


def test_what_is_asked_is_never_cut():
    assert "x" * 5000 in blocks.diff("x" * 5000)


def test_a_failed_call_is_red():
    assert RED in blocks.call(CALL, ToolOutcome("no", is_error=True), 40)
    assert GREEN in blocks.call(CALL, ToolOutcome("yes"), 40)


def test_a_notice_shows_escapes_and_keeps_lines():
    assert unstyled(blocks.notice("a\nb\x07", "error")) == "a\nb\\x07"
    assert blocks.notice("a", "error").startswith(RED)


def test_a_wide_notice_goes_on_behind_blanks() -> None:
    shown = unstyled(blocks.notice("short\n" + "word " * 6, "info", 20))
    assert shown.split("\n") == ["short", "word word word ", "  word word word "]


def test_a_person_can_do_without_styles():
    assert wants_styles({"TERM": "xterm"})
    assert not wants_styles({"TERM": "xterm", "NO_COLOR": "1"})
    assert wants_styles({"TERM": "xterm", "NO_COLOR": ""})
    assert not wants_styles({"TERM": "dumb"})
    assert not wants_styles({})
    assert unstyled(blocks.prompt(user("x"))) == "\n> x"


def test_blanks_at_the_end_of_a_line_go_but_styles_stay():
    assert trimmed("a\x1b[1m b \x1b[0m  \x1b[2m ") == "a\x1b[1m b\x1b[0m\x1b[2m"


def test_mail_of_other_agents_is_folded_and_never_looks_like_the_persons_words() -> None:
    frame = '<team-idle from="bob" id="m1">\nbob stopped.\n\n' + "\n".join("123456789") + "\n</team-idle>"
    shown = unstyled(blocks.prompt(Message("user", (Text(frame),))))
    assert shown.split("\n")[1:3] == ["✉ bob stopped.", "  1"]
    assert shown.endswith("… +4 lines")
    assert "> " not in shown


def test_a_sub_agents_report_is_shown_under_its_name_without_what_the_model_is_told_of_it() -> None:
    profile = Profile("a1b2c3", "parser", "Explore", "look")
    frame = notification(profile, Outcome("completed", "It is in a.py.\n<b>"))
    shown = unstyled(blocks.prompt(Message("user", (Text(frame),))))
    assert shown.split("\n")[1:] == ["✉ parser:", "  It is in a.py.", "  &lt;b>"]
