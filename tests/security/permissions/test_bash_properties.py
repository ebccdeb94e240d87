"""Properties of the shell analysis: what must hold for every line, whatever stands around it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tests.security.bash_cases import cases, judged, rank
from tests.security.bash_transforms import AROUND, BEHIND, IN_FRONT, QUOTES, is_plain, requoted

_LINES = [case["cmd"] for case in cases()]
_REFUSED = [case["cmd"] for case in cases() if case["expect"] == "hard_deny"]

_PLAIN = [line for line in _REFUSED if is_plain(line)]

_PIECES = [
    "$(", "`", ")", '"', "'", "\\", "\n", ";", "&&", "|", "<<EOF", "EOF", "{", "}", "${", "$((", "))",
    "[[", "]]", "case", "esac", " in ", "for", "do", "done", "if", "then", "fi", "<(", ">(", "<<<",
    "2>&1", "#", "!", "()", "\0", "\u200b", "\u202e", "a=", "=(", "~", "*", "?", "[", "]", "$x", "${x:-",
    "%", "time ", "coproc ", "\ud800", "é", "\r", "\x1b[", "&>", ";;", "@(", "$'", '$"', "eval ",
    "rm -rf /", "sh -c ", "\\\n", "{a,b}", "{1..9}",
]  # fmt: skip


@pytest.mark.parametrize("suffix", BEHIND)
@settings(max_examples=20, deadline=None)
@given(line=st.sampled_from(_LINES))
def test_what_stands_behind_never_lowers_a_verdict(suffix: str, line: str) -> None:
    """But where it makes a line whole that is not."""
    assume(judged(line).parsed or rank(line) == 2)
    assert rank(line + suffix) >= rank(line)


@pytest.mark.parametrize("prefix", IN_FRONT)
@settings(max_examples=20, deadline=None)
@given(line=st.sampled_from(_LINES))
def test_what_stands_in_front_never_lowers_a_verdict(prefix: str, line: str) -> None:
    assert rank(prefix + line) >= rank(line)


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND.keys())
@settings(max_examples=20, deadline=None)
@given(line=st.sampled_from(_LINES))
def test_what_stands_around_never_lowers_a_verdict(around: Callable[[str], str], line: str) -> None:
    assert rank(around(line)) >= rank(line)


@pytest.mark.parametrize("quote", QUOTES.values(), ids=QUOTES.keys())
@settings(max_examples=30, deadline=None)
@given(line=st.sampled_from(_PLAIN))
def test_other_quotes_never_lift_a_refusal(quote: Callable[[str], str], line: str) -> None:
    assert rank(requoted(line, quote)) == 2


@settings(max_examples=20, deadline=None)
@given(first=st.sampled_from(_LINES), second=st.sampled_from(_LINES))
def test_a_second_command_never_lowers_a_verdict(first: str, second: str) -> None:
    """But for a quote that the second closes."""
    assume(judged(first).parsed)
    assert rank(f"{first}\n{second}") >= rank(first)


@settings(max_examples=150, deadline=None)
@given(line=st.lists(st.sampled_from(_PIECES) | st.sampled_from(_LINES) | st.text(max_size=8)).map("".join))
@example("$" * 50 + "{a:-" * 80)
@example("'" + "\ud800" * 3)
def test_no_line_raises(line: str) -> None:
    assert judged(line).level in ("safe", "modify", "danger", "blocked")


@pytest.mark.parametrize(
    "padding",
    ["true; ", "true && ", "ls | ", "x=1 ", "\n", "# a\n", "a() { b; }; ", "{ ls; }; ", "'' ", "(ls); "],
)
def test_no_count_or_length_lifts_a_refusal(padding: str) -> None:
    """P9."""
    for count in (1, 60, 600):
        assert rank(padding * count + "rm -rf /") == 2


@pytest.mark.parametrize(("opening", "closing"), [("( ", ")"), ("$(", ")"), ("{ ", "; }"), ("eval ", "")])
def test_no_depth_lifts_a_refusal(opening: str, closing: str) -> None:
    for depth in (1, 20, 200):
        assert rank(opening * depth + "rm -rf /" + closing * depth) == 2


@pytest.mark.parametrize(
    "unit",
    [
        "a|",
        "$(",
        '"$(',
        "((",
        "[[ ",
        "a=(",
        "f() ",
        "{1..9}",
        "x=$x$x;",
        "set -- $@ a; ",
        "eval ",
        "a(){ a;a;}; ",
    ],
)
def test_lines_made_to_grow_come_to_an_end(unit: str) -> None:
    assert judged((unit * 12_000)[:12_000]).level in ("modify", "danger", "blocked")
