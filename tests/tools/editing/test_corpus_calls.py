"""Calls that other agents really made and lost: here they fail with words that mend them, or hit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from roocode.tools.editing.apply import Ambiguous, Edited, edit
from tests.tools.conftest import Bench

BEFORE, AFTER = "the first line\n\n", "\n\nthe last line\n"


def failures(corpus: Path, category: str) -> Iterator[dict[str, Any]]:
    """The failed Edit calls of a category."""
    found = 0
    for path in sorted(corpus.glob("claude-edit-errors/*/case.json")):
        case = json.loads(path.read_text())
        if case["tool"] == "Edit" and category in case["category"]:
            found += 1
            yield case["input"] | {"file_path": f"{found}/{Path(case['input']['file_path']).name}"}
    assert found


@pytest.mark.asyncio
async def test_missing_files_are_named(bench: Bench, corpus: Path) -> None:
    for call in failures(corpus, "does not exist"):
        assert "does not exist." in await bench.error("EditFile", **call)


@pytest.mark.asyncio
async def test_unread_files_need_a_long_anchor(bench: Bench, corpus: Path) -> None:
    for call in failures(corpus, "not been read"):
        old, new = call["old_string"], call["new_string"]
        file = bench.write(call["file_path"], BEFORE + old + AFTER)
        outcome = await bench.call("EditFile", **call)
        lines = [line for line in old.splitlines() if line.strip()]
        if len(old) >= 200 or len(lines) >= 5:
            assert not outcome.is_error
            assert file.read_bytes().decode() == BEFORE + new + AFTER
        else:
            assert "was not read; nothing was changed.\nRead it first." in outcome.content
            assert file.read_bytes().decode() == BEFORE + old + AFTER


@pytest.mark.asyncio
async def test_files_that_changed_must_be_read_again(bench: Bench, corpus: Path) -> None:
    for call in failures(corpus, "modified since"):
        file = bench.write(call["file_path"], BEFORE + call["old_string"] + AFTER)
        await bench.text("ReadFile", path=call["file_path"])
        file.write_text(BEFORE + call["old_string"] + AFTER + "more\n")
        outcome = await bench.call("EditFile", **call)
        if outcome.is_error:
            assert "has changed since it was read" in outcome.content
        else:
            assert len(call["old_string"]) >= 200 or call["old_string"].count("\n") >= 4


def test_edits_of_nothing_are_complaints(bench: Bench, corpus: Path) -> None:
    for call in failures(corpus, "No changes"):
        assert "changes nothing" in bench.tools["EditFile"].complaint(call)


@pytest.mark.asyncio
async def test_several_matches_are_counted_with_their_lines(bench: Bench, corpus: Path) -> None:
    for call in failures(corpus, "matches of the string"):
        old = call["old_string"]
        bench.write(call["file_path"], f"{old}\n{AFTER}{old}\n")
        await bench.text("ReadFile", path=call["file_path"])
        outcome = edit(f"{old}\n{AFTER}{old}\n", old, call["new_string"])
        assert isinstance(outcome, Ambiguous)
        error = await bench.error("EditFile", **call)
        assert f"is {len(outcome.lines)} times in" in error
        assert f"at lines {outcome.lines[0]}, {outcome.lines[1]}" in error


@pytest.mark.asyncio
async def test_what_is_not_found_shows_the_nearest_lines(bench: Bench, corpus: Path) -> None:
    """One word of the passage is another one in the file, as it is when a model remembers an old state."""
    for call in failures(corpus, "not found"):
        words = call["old_string"].split()
        there = call["old_string"].replace(max(words, key=len), "renamed_meanwhile")
        bench.write(call["file_path"], BEFORE + there + AFTER)
        await bench.text("ReadFile", path=call["file_path"])
        error = await bench.error("EditFile", **call)
        assert "is not in" in error
        if len(words) > 3:
            assert "The most similar lines are:\n     3\t" in error
            assert "differs" in error


def test_search_and_replace_blocks_are_literal(corpus: Path) -> None:
    done = 0
    for path in sorted(corpus.glob("aider-blocks/*/case.json")):
        for block in json.loads(path.read_text())["blocks_regex_parsed"]:
            old, new = block["search"], block["replace"]
            if not old or old == new or old in BEFORE + AFTER:
                continue
            done += 1
            assert edit(BEFORE + old + AFTER, old, new) == Edited(BEFORE + new + AFTER, (3,))
    assert done > 15
