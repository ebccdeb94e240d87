"""Slash commands and words."""

from __future__ import annotations

import pytest

from roocode.interaction.commands.invoking import Invocable
from roocode.interaction.commands.reading import help_text, read, slash_commands
from roocode.protocol.commands import (
    Command,
    CompactNow,
    Invoke,
    Rewind,
    ShowContext,
    ShowHelp,
    SubmitPrompt,
)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/compact", CompactNow()),
        ("  /compact  the table\nof ports ", CompactNow("the table\nof ports")),
        ("/context", ShowContext()),
        ("/help", ShowHelp()),
        ("/rewind", Rewind()),
        ("/rewind 3", Rewind(3)),
        ("/rewind 3 code", Rewind(3, "code")),
        ("/rewind  12  conversation", Rewind(12, "conversation")),
        ("/rewind 3 both", Rewind(3, "both")),
        ("/rewind code", Rewind(unclear="code")),
        ("/rewind 3 files", Rewind(unclear="3 files")),
        ("/rewind 3 code both", Rewind(unclear="3 code both")),
        ("/rewind -1", Rewind(unclear="-1")),
        ("/compcat", Invoke("compcat")),
        ("/commit  the\nfix ", Invoke("commit", "the\nfix")),
        ("/kit:Tidy.up", Invoke("kit:Tidy.up")),
        ("/mcp__time__now UTC", Invoke("mcp__time__now", "UTC")),
        ("/1", SubmitPrompt("/1")),
        ("/etc/hosts is wrong", SubmitPrompt("/etc/hosts is wrong")),
        ("/", SubmitPrompt("/")),
        ("why /compact?", SubmitPrompt("why /compact?")),
        ("// a comment", SubmitPrompt("// a comment")),
        ("", SubmitPrompt("")),
    ],
)
def test_what_a_line_means(text: str, command: Command) -> None:
    assert read(text) == command


def test_help_has_a_line_for_each() -> None:
    lines = help_text().splitlines()
    assert [line.split()[0] for line in lines] == [f"/{name}" for name in slash_commands()]
    assert help_text("x").startswith("There is no command /x.")


def test_help_lists_what_else_can_be_called_and_says_what_was_meant() -> None:
    others = (Invocable("commit", "[hint]", "Commits."), Invocable("review"))
    assert "/commit [hint]" in help_text("", others)
    assert help_text("comit", others).splitlines()[0] == (
        "There is no command /comit. Did you mean /commit or /compact?"
    )


def test_help_stays_short_however_much_there_is() -> None:
    many = tuple(Invocable(f"skill-{number}") for number in range(100))
    lines = help_text("", many).splitlines()
    assert len(lines) < 60
    assert lines[-1] == "and 60 more: roocode skills list"
