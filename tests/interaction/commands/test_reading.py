"""Slash commands and words."""

from __future__ import annotations

import pytest

from roocode.interaction.commands.reading import help_text, read, slash_commands
from roocode.protocol.commands import Command, CompactNow, ShowContext, ShowHelp, SubmitPrompt


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/compact", CompactNow()),
        ("  /compact  the table\nof ports ", CompactNow("the table\nof ports")),
        ("/context", ShowContext()),
        ("/help", ShowHelp()),
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
