"""Path patterns."""

from __future__ import annotations

import fnmatch
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.tools.search.wildcards import alternatives, matches, split_base


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("a.py", "a.py", True),
        ("*.py", "a.py", True),
        ("*.py", ".py", True),
        ("*.py", "x/a.py", False),
        ("**/*.py", "a.py", True),
        ("**/*.py", "x/y/a.py", True),
        ("**", "x/y", True),
        ("src/**", "src/a/b", True),
        ("src/**/t?.[ch]", "src/t1.c", True),
        ("src/**/t?.[ch]", "src/a/b/t1.h", True),
        ("src/**/t?.[ch]", "src/a/b/t12.h", False),
        ("{a,b}/{c,d{e,f}}.x", "b/df.x", True),
        ("{a,b}/{c,d{e,f}}.x", "b/d.x", False),
        ("a{b}c", "a{b}c", True),
        ("a{b", "a{b", True),
        ("{,x}a", "a", True),
        ("[^a]*", "bx", True),
        ("[!a]*", "ax", False),
        ("[]a]", "]", True),
        ("[a", "[a", True),
        (r"a\*b", "a*b", True),
        (r"a\*b", "axb", False),
        (r"\[a\]\{\!", "[a]{!", True),
        ("**/a/**/b", "a/x/a/c/b", True),
        ("**/a/**/b", "x/b", False),
        ("*", "é", True),
        ("A", "a", False),
    ],
)
def test_matches(pattern: str, path: str, fits: bool) -> None:
    assert matches(pattern, path) is fits


@pytest.mark.parametrize(
    ("pattern", "base", "rest"),
    [
        ("src/x/*.py", "src/x", "*.py"),
        ("a.py", "", "a.py"),
        ("src/a.py", "src", "a.py"),
        ("**/*.py", "", "**/*.py"),
        ("../*.c", "..", "*.c"),
        ("/etc/*", "/etc", "*"),
        ("/x", "/", "x"),
        ("s{a,b}/c", "", "s{a,b}/c"),
    ],
)
def test_the_fixed_start_is_split_off(pattern: str, base: str, rest: str) -> None:
    assert split_base(pattern) == (base, rest)


@given(st.text("ab*?[]", max_size=6), st.text("ab[]*", min_size=1, max_size=6))
def test_within_a_part_it_is_what_fnmatch_says(pattern: str, name: str) -> None:
    if pattern and "**" not in pattern:
        assert matches(pattern, name) == fnmatch.fnmatchcase(name, pattern)


@given(
    st.lists(st.sampled_from(["a", "b", "**", "*"]), min_size=1, max_size=6),
    st.lists(st.sampled_from("ab"), min_size=1, max_size=6),
)
def test_across_parts_it_is_the_plain_recursive_definition(pattern: list[str], path: list[str]) -> None:
    def fits(wanted: list[str], parts: list[str]) -> bool:
        if not wanted:
            return not parts
        if wanted[0] == "**":
            return any(fits(wanted[1:], parts[n:]) for n in range(len(parts) + 1))
        return bool(parts) and wanted[0] in ("*", parts[0]) and fits(wanted[1:], parts[1:])

    assert matches("/".join(pattern), "/".join(path)) == fits(pattern, path)


def test_hostile_patterns_take_no_time() -> None:
    started = time.process_time()
    assert not matches("*a" * 30 + "b", "a" * 250)
    assert not matches("**/a/" * 40 + "b", "/".join("a" * 1000))
    assert len(alternatives("{a,b}" * 40)) == 200
    assert time.process_time() - started < 5
