"""Our own regular expressions: as Python's where both read a pattern, and never slow."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.tools.hooks.linear import Pattern, PatternFault

PATTERNS = [
    *("", "a", "a*b", "^(Edit|Write|MultiEdit)$", r"\bgit push\b", r"\.(ts|tsx|js)$", "mcp__.*__write.*"),
    *("[^a-c]+x{2,3}$", "(?i)HELLO", "a|b|", "(ab)+?c", r"\d{3}-\d+", r"^\s*#", "x{,2}", "a{2}", "x{,}"),
    *("(?:a|b)*c", "(?P<name>x)y", r"\x41\u0042", "[]]", "[^]]", "[a-]", r"[\]\\]", "a.c", r"\Bx", r"\Aa"),
    *("a$", r"[\w.-]+@\w+", "{x}", "x{y}"),
]
TEXTS = [
    *("", "a", "b", "ab", "aab", "abc", "Edit", "xEdit", "git push -f", "legit pushes", "a.ts", "a.tsx\n"),
    *("Hello", "123-4", "  # c", "dddxxx", "AB", "]", "-", "\\", "a\nc", "x", " x", "mcp__db__write_row"),
    *("é", "a@b", "{x}", "x{y}"),
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_finds_what_pythons_finds(pattern: str) -> None:
    for text in TEXTS:
        assert Pattern(pattern).found_in(text) == bool(re.search(pattern, text)), text


@pytest.mark.parametrize(
    ("pattern", "why", "at"),
    [
        ("(a", "a `(` that nothing closes", 0),
        ("a)", "a `)` that nothing opened", 1),
        ("*a", "nothing that could be repeated", 0),
        ("a**", "a repeat of a repeat", 2),
        ("[a", "a `[` that nothing closes", 0),
        ("(?=a)", "look-around", 0),
        (r"(a)\1", "references back", 3),
        ("a++", "possessive", 2),
        (r"a\q", "is not read here", 1),
        ("x{9,2}", "a count from 0", 1),
        ("(a{500}){500}", "too large", 0),
        ("\\", "a backslash at the end", 0),
        ("(" * 70 + ")" * 70, "nested too deeply", 60),
    ],
)
def test_what_cannot_be_read_is_refused_by_name_and_place(pattern: str, why: str, at: int) -> None:
    with pytest.raises(PatternFault) as fault:
        Pattern(pattern)
    assert why in fault.value.why
    assert fault.value.at == at


@pytest.mark.parametrize("pattern", ["(a*)*b", "(a|a)*b", "(a|aa)+b", "(.*)*x", ".*.*.*.*.*.*=", "(x+x+)+y"])
def test_patterns_that_explode_elsewhere_are_matched_step_by_step(pattern: str) -> None:
    """With a backtracking engine each of these would take longer than the universe has."""
    assert not Pattern(pattern).found_in("a" * 20_000)


@given(st.text(alphabet="ab|()*+?[]^$\\.{},12-", max_size=12), st.text(alphabet="ab\n1", max_size=8))
def test_any_pattern_is_read_as_python_reads_it_or_refused(pattern: str, text: str) -> None:
    try:
        found = Pattern(pattern).found_in(text)
    except PatternFault as fault:
        place = fault.at
    else:
        place = len(pattern)
        agrees(pattern, text, found)
    assert 0 <= place <= len(pattern)


def agrees(pattern: str, text: str, found: bool) -> None:
    """What we found is what Python finds, where it reads the pattern at all and means the same."""
    try:
        theirs = re.compile(pattern)
    except re.error:
        return
    if r"\Z" not in pattern:
        assert found == bool(theirs.search(text))
