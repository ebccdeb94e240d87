"""What stands in a skill's text, and what is put there."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.interaction.skills.substitute import Given, Literal, ShellCommand, filled

PLACES = {"CLAUDE_SKILL_DIR": "/s", "ROOCODE_SKILL_DIR": "/s"}
FENCE = "```"


def text(body: str, arguments: str = "", names: tuple[str, ...] = (), *, one: bool = False) -> str:
    parts = filled(body, Given(arguments, names, PLACES, one))
    return "".join(part.text if isinstance(part, Literal) else f"<{part.command}>" for part in parts)


@pytest.mark.parametrize(
    ("body", "arguments", "expected"),
    [
        ("Fix $ARGUMENTS now", "a  b", "Fix a  b now"),
        ("Fix $ARGUMENTS.", "", "Fix ."),
        ("$0, $1, $2", 'a "b c"', "a, b c, $2"),
        ("$ARGUMENTS[1] of $ARGUMENTS[0]$ARGUMENTS[7]", "a b", "b of a"),
        ("No place", "a b", "No place\n\nARGUMENTS: a b"),
        ("No place", " ", "No place"),
        ("it's $0", "it's", "it's it's"),
        (r"It costs \$1.00, write \$ARGUMENTS", "", "It costs $1.00, write $ARGUMENTS"),
        ("In ${CLAUDE_SKILL_DIR}/x, ${ROOCODE_SKILL_DIR}, ${HOME}, $HOME", "", "In /s/x, /s, ${HOME}, $HOME"),
        ("$ARGUMENTS_FILE", "a", "$ARGUMENTS_FILE\n\nARGUMENTS: a"),
        ("$100", "a", "$100\n\nARGUMENTS: a"),
    ],
)
def test_arguments_and_places(body: str, arguments: str, expected: str) -> None:
    assert text(body, arguments) == expected


def test_named_ones_follow_their_order_and_missing_ones_are_empty() -> None:
    assert text("$what in $where, not $when", "bug src", ("what", "where")) == "bug in src, not $when"
    assert text("$what in $where.", "bug", ("what", "where")) == "bug in ."


def test_code_keeps_what_is_its_own() -> None:
    awk = f"{FENCE}sh\nawk '{{print $1, $0}}' f\nf() {{ echo $3; }}\n{FENCE}\n"
    assert text(f"{awk}Then $0", "a b") == f"{awk}Then a"
    shell = '`find -exec awk "\\$1 > 5" {}`'
    assert text(f"{shell} $0", "a") == f"{shell} a"


def test_an_old_command_counts_from_one() -> None:
    assert text("Hello $1 and $2", "w v", one=True) == "Hello w and v"


@pytest.mark.parametrize(
    ("body", "commands"),
    [
        ("- status: !`git status`\n(!`b`)", ["git status", "b"]),
        (f"{FENCE}!\nls\npwd\n{FENCE}\n", ["ls\npwd"]),
        (f"{FENCE}\n!`git diff`\n{FENCE}", ["git diff"]),
        ("the `println!` macro, the `x`", []),
        ("**`!`command`` syntax**", []),
        ("wow!`x`", []),
    ],
)
def test_what_is_a_command(body: str, commands: list[str]) -> None:
    parts = filled(body, Given())
    assert [part.command for part in parts if isinstance(part, ShellCommand)] == commands


@given(
    st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12),
    st.sampled_from(["printf %s $0", 'printf %s "$0"', "printf %s '$0'", 'printf %s a"$0"b']),
)
def test_an_argument_in_a_command_stays_one_word(word: str, template: str) -> None:
    quoted = "'" + word.replace("'", "'\\''") + "'"
    [command] = filled(f"!`{template}`", Given(quoted))
    assert isinstance(command, ShellCommand)
    said = subprocess.run(["bash", "-c", command.command], capture_output=True, text=True, check=True).stdout
    assert said in (word, f"a{word}b")


def test_all_arguments_are_words_of_a_command() -> None:
    [command] = filled("!`gh pr view $ARGUMENTS`", Given("12 --json 'a b; rm'"))
    assert command == ShellCommand("gh pr view 12 --json 'a b; rm'")
