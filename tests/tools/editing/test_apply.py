"""Edits: found exactly or by whitespace, and not a byte changed beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from roocode.tools.editing.apply import Ambiguous, Edited, NotFound, edit

LINES = st.lists(st.text("ab \t", max_size=4), max_size=8)
MIXED = st.lists(st.tuples(st.text("abc \t", max_size=4), st.sampled_from(["\n", "\r\n"])), max_size=8).map(
    lambda lines: "".join(text + end for text, end in lines)
)


def edited(text: str, old: str, new: str, *, everywhere: bool = False) -> Edited:
    outcome = edit(text, old, new, everywhere=everywhere)
    assert isinstance(outcome, Edited)
    return outcome


@pytest.mark.parametrize(
    ("text", "old", "new", "after", "lines"),
    [
        ("a b c", "b", "x", "a x c", (1,)),
        ("a\nb\nc\n", "b\n", "", "a\nc\n", (2,)),
        ("a\nb", "b", "b\n", "a\nb\n", (2,)),
        ("é→😀", "→", "←", "é←😀", (1,)),
        (r"\1 $& \g<0>", r"$&", r"\1$&\\", r"\1 \1$&\\ \g<0>", (1,)),
        ("a\r\nb\r\nc\r\n", "a\nb", "a\nx\nb", "a\r\nx\r\nb\r\nc\r\n", (1,)),
        ("a\r\nb\r\nc", "a\r\nb", "x\r\ny", "x\r\ny\r\nc", (1,)),
        ("a\nb\r\nc\n", "b\nc", "B\nC", "a\nB\r\nC\n", (2,)),
        ("a\nb\r\nc\n", "a\nb\nc", "a\nx\nc", "a\nx\r\nc\n", (1,)),
        ("a\nb\nc", "a\r\nb", "x\r\ny", "x\ny\nc", (1,)),
        ("a\nb", "b", "x\r\ny", "a\nx\r\ny", (2,)),
        ("\r\n\r\n", "\n\n", "x", "x", (1,)),
    ],
)
def test_an_exact_match_is_spliced_literally(
    text: str, old: str, new: str, after: str, lines: tuple[int, ...]
) -> None:
    assert edit(text, old, new) == Edited(after, lines)


def test_several_matches_are_refused_or_all_replaced() -> None:
    assert edit("x\ny\nx x\n", "x", "z") == Ambiguous((1, 3, 3))
    assert edit("x\ny\nx x\n", "x", "z\nz", everywhere=True) == Edited("z\nz\ny\nz\nz z\nz\n", (1, 4, 5))
    assert edit("aaa", "aa", "b", everywhere=True) == Edited("ba", (1,))
    assert edit("aaa", "aa", "b") == Ambiguous((1, 1))


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        (
            "if x:\n\tfoo(1)\n\tbar()\n",
            "    foo(1)\n    bar()",
            "    foo(2)\n    bar()",
            "if x:\n\tfoo(2)\n\tbar()\n",
        ),
        ("a:\n  b:   1\n  c: 2\n", "b: 1\nc: 2", "b: 1\nd: 3\nc: 2", "a:\n  b:   1\n  d: 3\n  c: 2\n"),
        ("def f():\n\tx  \n\ty\n", "    x\n    y", "    if x:\n        y", "def f():\n\tif x:\n\t\ty\n"),
        ("    a\r\n    b\r\n", "a\nb", "a\nc", "    a\r\n    c\r\n"),
        ("\ta\n\tb\nc", "  a\n  b\n", "", "c"),
        ("a\n\tb()\n", "a\n  b()", "a\n\tb(1)\n\t\tc", "a\n\tb(1)\n\t\tc\n"),
        ("x\n  a \n", "a\n", "b\n", None),
    ],
)
def test_whitespace_alone_may_differ_and_the_files_own_is_kept(
    text: str, old: str, new: str, after: str | None
) -> None:
    outcome = edit(text, old, new)
    if after is not None:
        assert isinstance(outcome, Edited)
        assert (outcome.text, outcome.how) == (after, "whitespace" if old not in text else "exact")


def test_whitespace_matches_are_refused_when_there_are_two() -> None:
    assert edit("\ta\nb\n\t\ta\n", "   a", "c") == Ambiguous((1, 3), "whitespace")


@pytest.mark.parametrize("old", ["c", "ab", "a b c", "  ", "\n\n\n", "b\na"])
def test_nothing_else_counts_as_a_match(old: str) -> None:
    assert edit("a\nb\n", old, "x") == NotFound()


@given(MIXED, st.data())
def test_bytes_beside_the_passage_stay(text: str, data: st.DataObject) -> None:
    flat = text.replace("\r\n", "\n")
    assume(flat)
    start = data.draw(st.integers(0, len(flat) - 1))
    end = data.draw(st.integers(start + 1, len(flat)))
    new = data.draw(st.text("xy\n", max_size=5))
    outcome = edit(text, flat[start:end], new)
    assume(isinstance(outcome, Edited))
    assert isinstance(outcome, Edited)
    before, after = flat[:start], flat[end:]
    assert outcome.text.replace("\r\n", "\n") == before + new + after
    kept = outcome.text
    assert kept.count("\r") <= text.count("\r") + new.count("\n")
    assert _endings(kept)[: before.count("\n")] == _endings(text)[: before.count("\n")]
    if after.count("\n"):
        assert _endings(kept)[-after.count("\n") :] == _endings(text)[-after.count("\n") :]


def _endings(text: str) -> list[bool]:
    return [part.endswith("\r") for part in text.split("\n")[:-1]]


@given(LINES, LINES)
def test_an_edit_and_its_inverse_give_the_same_text(lines: list[str], new: list[str]) -> None:
    text, marked = "\n".join([*lines, "<old>", *lines]), "\n".join([*new, "<new>"])
    there = edited(text, "<old>", marked)
    assume(marked not in text)
    assert edited(there.text, marked, "<old>").text == text


@given(
    st.text("ab\n\r \t", max_size=20), st.text("ab\n \t", min_size=1, max_size=6), st.text("ab\n", max_size=6)
)
def test_it_never_raises(text: str, old: str, new: str) -> None:
    assert isinstance(edit(text, old, new), Edited | Ambiguous | NotFound)
    assert isinstance(edit(text, old, new, everywhere=True), Edited | Ambiguous | NotFound)


def test_real_edits_give_what_they_gave(corpus: Path) -> None:
    cases = sorted(corpus.glob("claude-edit/*/case.json"))
    assert len(cases) > 50
    for path in cases:
        case = json.loads(path.read_text())
        before = (path.parent / "pre.txt").read_bytes().decode()
        after = (path.parent / "post.txt").read_bytes().decode()
        outcome = edit(before, case["old_string"], case["new_string"], everywhere=case["replace_all"])
        assert isinstance(outcome, Edited), path
        assert (outcome.text, outcome.how) == (after, "exact"), path


def test_real_changes_of_text_files_give_the_bytes_that_were_committed(corpus: Path) -> None:
    """The hunks do not say whether a file's last line ends with a newline."""
    done = 0
    for path in sorted(corpus.glob("git-text-commits/*/case.json")):
        case = json.loads(path.read_text())
        texts: dict[str, str] = {}
        if not all((path.parent / "pre" / hunk["path"]).exists() for hunk in case["search_replace"]):
            continue
        for hunk in case["search_replace"]:
            name = hunk["path"]
            text = texts.get(name) or (path.parent / "pre" / name).read_bytes().decode(
                "utf-8", "surrogateescape"
            )
            outcome = edit(text, hunk["old"], hunk["new"]) if hunk["old"] else None
            if not isinstance(outcome, Edited) or outcome.how != "exact":
                break
            texts[name] = outcome.text
        else:
            for name, text in texts.items():
                after = (path.parent / "post" / name).read_bytes()
                ours = text.encode("utf-8", "surrogateescape")
                assert ours.removesuffix(b"\n") == after.removesuffix(b"\n"), path
                done += 1
    assert done > 20


def test_real_failures_fail_here_too(corpus: Path) -> None:
    for path in sorted(corpus.glob("claude-edit-errors/*/pre.txt")):
        case = json.loads((path.parent / "case.json").read_text())
        call, text = case["input"], path.read_bytes().decode()
        outcome = edit(text, call["old_string"], call["new_string"])
        if "not found" in case["category"]:
            assert isinstance(outcome, NotFound) or outcome.how == "whitespace", path
        elif "matches" in case["category"]:
            assert isinstance(outcome, Ambiguous), path
