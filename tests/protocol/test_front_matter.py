"""Front matter as people write it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from roocode.interaction.config.data_root import data_root
from roocode.protocol.front_matter import LONGEST, FrontMatter, read, simple, split


def test_fields_and_body() -> None:
    text = "---\nname: a\ntools: [ReadFile, Bash]\n---\n\nDo it.\n"
    assert read(text) == FrontMatter({"name": "a", "tools": ["ReadFile", "Bash"]}, "Do it.\n")


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff---\nname: a\n---\nBody\n",
        "---\r\nname: a\r\n---\r\nBody\r\n",
        "--- \nname: a\n---\t\nBody\n",
        "---\rname: a\r---\rBody\r",
        "\ufeff\ufeff---\nname: a\n---\nBody\n",
        "\n \n---\nname: a\n---\nBody\n",
    ],
)
def test_marks_and_blanks_hide_no_fence(text: str) -> None:
    assert split(text) == ("name: a", "Body\n")


def test_a_file_without_front_matter_is_all_body() -> None:
    assert read("# Title\n---\nText\n") == FrontMatter({}, "# Title\n---\nText\n")


def test_a_rule_at_the_top_is_no_front_matter() -> None:
    assert read("---\n\nText below a rule\n").error == ""


def test_an_empty_head_is_no_body() -> None:
    assert read("---\n---\nBody\n") == FrontMatter({}, "Body\n")


def test_a_head_that_ends_with_the_file() -> None:
    assert split("---\nname: a\n---") == ("name: a", "")


def test_a_missing_fence_is_told() -> None:
    assert read("---\nname: a\nBody\n").error == "its front matter has no closing ---"


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("description: Use when: asked", "Use when: asked"),
        ("argument-hint: [a] [b]", "[a] [b]"),
        ("description: 'It''s: fine' or not: so", "'It''s: fine' or not: so"),
        ('description: "a" then: b', '"a" then: b'),
        ("description: @me", "@me"),
        ("description: `code` first", "`code` first"),
    ],
)
def test_a_slip_costs_one_key_its_structure(line: str, value: str) -> None:
    key = line.partition(":")[0]
    parsed = read(f"---\nname: a\n{line}\ntools: [x]\n---\nBody")
    assert parsed.fields == {"name": "a", key: value, "tools": ["x"]}
    assert parsed.slips == (key,)


@pytest.mark.parametrize(
    ("head", "fields"),
    [
        ("1: a\nname: b", {"1": "a", "name": "b"}),
        ("1: {a: b}", {"1": {"a": "b"}}),
        ("2020-01-01: a", {"2020-01-01": "a"}),
        ("\tname: a\n\tmode: fork", {"name": "a", "mode": "fork"}),
    ],
)
def test_odd_keys_and_tabs_spoil_nothing(head: str, fields: dict[str, object]) -> None:
    assert read(f"---\n{head}\n---\nBody").fields == fields


def test_a_blank_line_before_a_rule_is_text() -> None:
    assert read("\n---\n\nText\n---\n") == FrontMatter({}, "\n---\n\nText\n---\n")


def test_a_slip_keeps_the_lines_below_it() -> None:
    parsed = read("---\ndescription: first: line\n  second: line: more\nname: a\n---\n")
    assert parsed.fields == {"description": "first: line\nsecond: line: more", "name": "a"}


def test_tags_and_anchors_are_not_unfolded() -> None:
    parsed = read("---\na: &x [y, y]\nb: *x\nc: !!python/name:os.system\n---\n")
    assert parsed.fields["b"] == "*x"
    assert parsed.fields["c"] == "!!python/name:os.system"


def test_what_is_no_mapping_is_told() -> None:
    assert read("---\njust words\n---\nBody").error == "its front matter is not `key: value` lines"


def test_an_endless_head_is_not_parsed() -> None:
    assert "longer than" in read("---\n" + "a: b\n" * LONGEST + "---\n").error


WORDS = st.text("aZ09 -_,.()*[]{}&!|>%@`'\":#~?/\\\u00e9", max_size=12)
PLAIN = st.one_of(
    WORDS, st.sampled_from(["true", "True", "no", "null", "a b (c *)", "1", "30", "007", "on", "y"])
)


@given(st.lists(st.tuples(st.sampled_from(["name", "on", "a-b", "Y"]), PLAIN), min_size=1, max_size=3))
def test_simple_lines_mean_what_yaml_makes_of_them(lines: list[tuple[str, str]]) -> None:
    text = "\n".join(f"{key}: {value}" for key, value in lines)
    plain = simple(text)
    if plain is not None:
        assert plain == yaml.safe_load(text)


def test_what_ships_needs_no_parser() -> None:
    assert simple("name: commit\nallowed-tools: ReadFile, Bash(git add *)\nuser-invocable: false") == {
        "name": "commit",
        "allowed-tools": "ReadFile, Bash(git add *)",
        "user-invocable": False,
    }


@pytest.mark.parametrize("path", sorted((data_root() / "agents").glob("*.md")), ids=lambda path: path.stem)
def test_the_agents_that_ship_need_no_parser(path: Path) -> None:
    assert simple(split(path.read_text(encoding="utf-8"))[0]) is not None
