"""Slash commands and words."""

from __future__ import annotations

import pytest

from roocode.interaction.commands.reading import help_text, read, slash_commands
from roocode.protocol.commands import Command, CompactNow, Rewind, ShowContext, ShowHelp, SubmitPrompt


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
        ("/compcat", ShowHelp(unknown="compcat")),
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
