"""What the model hears of syntax over several edits."""

from __future__ import annotations

from pathlib import Path

from roocode.tools.syntax.watch import SyntaxWatch

FILE = Path("/a.py")


def test_an_error_is_told_then_reminded_of_then_gone() -> None:
    watch = SyntaxWatch()
    assert watch.told(FILE, "x = (1)\n", "x = (1\n").startswith(
        "This edit brings in a syntax error at line 1:"
    )
    assert watch.told(FILE, "x = (1\n", "x = (2\n").startswith("There is still a syntax error at line 1:")
    assert watch.told(FILE, "x = (2\n", "x = (2)\n") == "The syntax error is gone."
    assert watch.told(FILE, "x = (2)\n", "x = (3)\n") == ""


def test_old_errors_are_not_mentioned() -> None:
    watch = SyntaxWatch()
    assert watch.told(FILE, "x = (1\n", "x = (2\n") == ""
    assert watch.told(FILE, "x = (2\n", "x = (2)\n") == ""


def test_where_the_grammar_errs_it_says_what_tells() -> None:
    told = SyntaxWatch().told(Path("/a.sh"), None, "if true; then\n")
    assert told.startswith("This edit may bring in a syntax error at line 1:")
    assert told.endswith("`bash -n` tells for sure.")
