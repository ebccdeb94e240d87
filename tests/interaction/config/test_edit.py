"""One key changes, every other character stays."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roocode.interaction.config.document import parse_document
from roocode.interaction.config.edit import add_items, set_value
from roocode.protocol.errors import UserError

ALLOW = ("permissions", "allow")


@pytest.mark.parametrize(
    ("text", "key", "value", "result"),
    [
        ("", "model", "x", "model: x\n"),
        ("# c", "model", "x", "# c\nmodel: x\n"),
        ("model: x  # c\n# end\n", "model", "no", 'model: "no"  # c\n# end\n'),
        ("model:\nmax_turns: 2\n", "model", "x", "model: x\nmax_turns: 2\n"),
        ("a: 1 # c\n# end\n", "team.max_teammates", 2, "a: 1 # c\nteam:\n  max_teammates: 2\n# end\n"),
        (
            "team:\n    backend: tmux # t\n\n",
            "team.max_teammates",
            2,
            "team:\n    backend: tmux # t\n    max_teammates: 2\n\n",
        ),
        (
            "team: {backend: tmux} # t\n",
            "team.max_teammates",
            2,
            "team: {backend: tmux, max_teammates: 2} # t\n",
        ),
        ("team: # t\nmodel: x\n", "team.backend", "tmux", "team: {backend: tmux} # t\nmodel: x\n"),
        ("{}\n", "team.backend", "tmux", "{team: {backend: tmux}}\n"),
        ("team: {maxTeammates: 1}\n", "team.max_teammates", 2, "team: {maxTeammates: 2}\n"),
        ("model: é # ü\r\nmax_turns: 1\r\n", "max_turns", 2, "model: é # ü\r\nmax_turns: 2\r\n"),
        ("model: x\r\n", "team.backend", "tmux", "model: x\r\nteam:\r\n  backend: tmux\r\n"),
        ("\ufeffmodel: x\n", "model", "z", "\ufeffmodel: z\n"),
        ("model: x\n...\n", "max_turns", 1, "model: x\nmax_turns: 1\n...\n"),
    ],
)
def test_a_key_is_set_in_its_place(text: str, key: str, value: Any, result: str) -> None:
    assert set_value(text, key.split("."), value, "f") == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("", "permissions:\n  allow: [a]\n"),
        (
            "permissions:\n  allow:\n  - b  # why\n  # tail\n",
            "permissions:\n  allow:\n  - b  # why\n  - a\n  # tail\n",
        ),
        ("permissions: {allow: [b], deny: []}\n", "permissions: {allow: [b, a], deny: []}\n"),
        (
            "permissions:\n  allow: [\n    'b', # why\n  ]\n",
            "permissions:\n  allow: [\n    'b', a, # why\n  ]\n",
        ),
        ("permissions:\n  allow: []\n", "permissions:\n  allow: [a]\n"),
        ("permissions:\n  allow: [ # none\n  ]\n", "permissions:\n  allow: [a # none\n  ]\n"),
        ("permissions:\n  allow: [# none\n  ]\n", "permissions:\n  allow: [a # none\n  ]\n"),
        ("permissions: { # mine\n  }\n", "permissions: {allow: [a] # mine\n  }\n"),
        (
            "permissions: {\n  allow: [b, # one\n    c  # two\n  ], # end\n}\n",
            "permissions: {\n  allow: [b, # one\n    c, a  # two\n  ], # end\n}\n",
        ),
        ("permissions:\r\n  allow:\r\n  - b # x\r\n", "permissions:\r\n  allow:\r\n  - b # x\r\n  - a\r\n"),
        ("\ufeffpermissions:\n  allow: [b,]\n", "\ufeffpermissions:\n  allow: [b, a,]\n"),
        ("permissions:\n  allow:\n    - b # c", "permissions:\n  allow:\n    - b # c\n    - a"),
        ("permissions:\n  allow:\n", "permissions:\n  allow: [a]\n"),
        ("permissions:\n  allow: [a]\n", "permissions:\n  allow: [a]\n"),
    ],
)
def test_an_item_is_added_at_the_end_of_its_list(text: str, result: str) -> None:
    assert add_items(text, ALLOW, ["a", "a"], "f") == result


def test_what_yaml_would_misread_is_quoted() -> None:
    rules = ["Bash(git log *)", "no", "a: b", "- x", "# c", "\u2028\x85\x7f", "😀", 'q"\\', "1", "", " x "]

    assert parse_document(add_items("", ALLOW, rules, "f"), "f").data == {"permissions": {"allow": rules}}


@pytest.mark.parametrize(
    "text",
    [
        "permissions: [x]\n",
        "permissions: x\n",
        "permissions: {allow: x}\n",
        "a: [\n",
        "permissions:\n  allow: &a [x]\n  ask: *a\n",
        "permissions: {allow: [x]}\npermissions: {}\n",
    ],
)
def test_a_text_that_does_not_fit_is_left_alone(text: str) -> None:
    with pytest.raises(UserError):
        add_items(text, ALLOW, ["a"], "f")


words = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=12)
values = st.one_of(words, st.booleans(), st.integers(-99, 99), st.lists(words, max_size=3))
COMMENTS = ["", "  # why", "\n# alone", "\n\n  # deep"]
BODIES = {
    "model": [": x", ': "y"', ":"],
    "team": [":", ": {backend: tmux}", ":\n  backend: tmux", ": {}"],
    "permissions": [
        ":\n  allow:\n    - a\n    - 'b'",
        ": {allow: [a, b]}",
        ":\n  allow: [a,\n    b]",
        ":\n  deny: [c]",
        ":\n  allow:\n    - |\n      block\n    - >-\n      folded",
    ],
}


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A configuration text in the styles that people mix: block and flow, with comments."""
    names = draw(st.lists(st.sampled_from([*BODIES]), unique=True))
    parts = []
    for name in names:
        body = draw(st.sampled_from(BODIES[name]))
        comment = "" if "folded" in body else draw(st.sampled_from(COMMENTS))
        parts.append(f"{name}{body}{comment}\n")
    return "".join(parts) + draw(st.sampled_from(["", "# end\n", "# end"]))


@given(texts(), st.sampled_from(["model", "team.backend", "permissions.allow"]), values)
@settings(max_examples=150, deadline=None)
def test_a_set_key_has_its_value_and_the_rest_stays(text: str, dotted: str, value: Any) -> None:
    key = dotted.split(".")
    before = parse_document(text, "f").data

    after_text = set_value(text, key, value, "f")

    after = parse_document(after_text, "f").data
    inner = after
    for part in key[:-1]:
        inner = inner[part]
    assert inner.pop(key[-1]) == value
    assert {name for name in before if name != key[0]} <= after.keys()
    for line in text.splitlines():
        if "#" in line:
            assert line[line.index("#") :] in after_text


@given(texts(), st.lists(words, min_size=1, max_size=3))
@settings(max_examples=100, deadline=None)
def test_added_items_follow_the_old_ones(text: str, items: list[str]) -> None:
    before = (parse_document(text, "f").data.get("permissions") or {}).get("allow") or []

    after = parse_document(add_items(text, ALLOW, items, "f"), "f").data["permissions"]["allow"]

    assert after[: len(before)] == before
    assert set(after) == {*before, *items}
    assert len(after) == len(set(after))
