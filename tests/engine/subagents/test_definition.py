"""Definitions as people write them."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from roocode.engine.subagents.definition import AgentDefinition, read
from roocode.protocol.errors import UserError

CORPUS = Path(os.environ.get("ROOCODE_SHARED", "/nowhere")) / "corpus" / "agents"


def said(head: str, body: str = "Do it.\n") -> AgentDefinition:
    return read(f"---\nname: a\ndescription: d\n{head}\n---\n{body}", "file")[0]


def notes(head: str) -> tuple[str, ...]:
    return read(f"---\nname: a\ndescription: d\n{head}\n---\n", "file")[1]


@pytest.mark.parametrize(
    ("head", "tools"),
    [
        ("", None),
        ("tools: '*'", None),
        ("tools: Read, Write, Task", ("ReadFile", "WriteFile", "Agent")),
        ("tools: [Read, MultiEdit, Edit]", ("ReadFile", "EditFile")),
        ("tools: read grep bash", ("ReadFile", "Grep", "Bash")),
        ("tools:\n  - Bash(git log *)\n  - Read", ("Bash(git log *)", "ReadFile")),
        ("tools: Bash(git add, git rm), Read", ("Bash(git add, git rm)", "ReadFile")),
        ("tools: mcp__docs__find, mcp__web__*", ("mcp__docs__find", "mcp__web__*")),
        ("tools: []", ()),
        ("tools: codebase, terminalCommand", ()),
        ("tools: 7", ()),
        ("allowed-tools: Read", ("ReadFile",)),
    ],
)
def test_tools_in_all_shapes(head: str, tools: tuple[str, ...] | None) -> None:
    assert said(head).tools == tools


def test_what_it_must_not_use() -> None:
    assert said("disallowedTools: [Agent, Edit, Bash(rm *)]").disallowed == (
        "Agent",
        "EditFile",
        "Bash(rm *)",
    )
    assert said("disallowedTools: '*'").disallowed == ("*",)
    mapped = said("tools: {write: false, bash: true}")
    assert (mapped.tools, mapped.disallowed) == (None, ("WriteFile",))


def test_the_other_fields() -> None:
    made = said(
        "model: haiku\npermissionMode: plan\nmaxTurns: '7'\nbackground: yes\neffort: xhigh\n"
        "isolation: worktree"
    )
    assert made == AgentDefinition(
        "a", "d", "Do it.", model="haiku", effort="high", max_turns=7, mode="plan", background=True,
        in_worktree=True,
    )  # fmt: skip
    assert said("maxSteps: 3").max_turns == 3


def test_what_cannot_be_read_is_told_and_never_widens() -> None:
    head = (
        "model: [a]\npermissionMode: yolo\nmaxTurns: many\nbackground: 3\neffort: 9\nisolation: vm\nhooks: {}"
    )
    made = said(head)
    assert (made.model, made.mode, made.max_turns, made.background, made.effort, made.in_worktree) == (
        "inherit", None, None, False, None, False,
    )  # fmt: skip
    assert len(notes(head)) == 7
    assert "`hooks` is not honoured" in notes(head)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Just words.\n", "no front matter"),
        ("---\nname: a\n\nno end", "no closing"),
        ("---\ntitle: x\n---\nBody", "neither `name` nor `description`"),
        ("---\nname: a:b\ndescription: d\n---\nBody", "`:`"),
        ("---\nname: '\x1b[2J'\ndescription: d\n---\nBody", "its name"),
        (f"---\nname: {'x' * 200}\n---\nBody", "its name"),
    ],
)
def test_a_file_that_is_none_says_why(text: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        read(text, "file")


def test_slips_and_examples_survive() -> None:
    text = "\ufeff---\r\nname: a\r\ndescription: Use: always\\n<example>x</example>\r\n---\r\nBody"
    made, told = read(text, "file")
    assert made.description == "Use: always\n<example>x</example>"
    assert told == ("`description` is no valid YAML and was taken as plain text",)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
def test_every_real_file_is_a_definition_or_is_refused_for_a_reason(
    record_property: pytest.RecordProperty,
) -> None:
    refused: Counter[str] = Counter()
    loaded = 0
    for path in sorted(CORPUS.glob("*.md")):
        try:
            made, _ = read(path.read_text(encoding="utf-8"), path.stem)
        except UserError as error:
            refused[error.what] += 1
        else:
            loaded += 1
            assert made.name
    record_property("agents_loaded", loaded)
    record_property("agents_refused", dict(refused))
    assert loaded > 170
    assert set(refused) == {"it has no front matter, so it is a note and no agent definition"}
