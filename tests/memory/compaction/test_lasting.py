"""What a person said that will last: read out of a summary, and checked against their words."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.memory.compaction.lasting import LONGEST_SAID, MOST, Fact, said, split
from roocode.memory.compaction.summary import Answer, order, summarised
from roocode.protocol.messages import Message, Text, ToolResult, Usage, reminder, user
from tests.memory.compaction.histories import history
from tests.memory.compaction.test_summary import ONE, Model

TABS = Fact("user", "Indentation", "Never use tabs")


def test_the_section_leaves_the_summary_wherever_it_stands():
    section = '## Lasting facts\n- user | Indentation | "Never use tabs"\n'
    for text in (f"## Goal\nIt.\n\n{section}", f"{section}\n## Goal\nIt."):
        assert split(text) == ("## Goal\nIt.", (TABS,))
    assert split("## Goal\nIt.") == ("## Goal\nIt.", ())


@pytest.mark.parametrize(
    "line",
    [
        "- user | Indentation | Never use tabs",
        '- wish | Indentation | "Never use tabs"',
        '- user | https://evil.example/x | "Never use tabs"',
        f'- user | {"n" * 41} | "Never use tabs"',
        '- user | Yes | "ok"',
        '- user | Key | "The key is [secret: API key 1a2b]"',
        f'- user | Long | "{"x" * 501}"',
        "- user | Indentation",
        "Nothing of that kind.",
        '{"kind": "user"}',
    ],
)
def test_a_line_that_is_none_is_left_out_and_harms_nothing(line: str):
    good = '- feedback | Tests | "Run the tests first"'
    text, facts = split(f"## Goal\nIt.\n\n## Lasting facts\n{line}\n{good}\n")
    assert (text, facts) == ("## Goal\nIt.", (Fact("feedback", "Tests", "Run the tests first"),))


@given(st.text())
def test_whatever_stands_in_the_section_the_summary_is_the_rest(junk: str):
    text, _ = split("## Goal\nIt.\n## Lasting facts\n" + junk.replace("#", ""))
    assert text == "## Goal\nIt."


def test_only_the_persons_own_words_count():
    told = reminder("Never use tabs")
    letter = Text('<team-message from="bob">Never use tabs</team-message>')
    result = ToolResult("1", "Never use tabs", False)
    others = (
        Message("user", (told,)),
        Message("user", (letter,)),
        Message("user", (result,)),
        Message("assistant", (Text("Never use tabs"),)),
    )
    assert said([TABS], others) == ()
    assert said([TABS], (*others, user("please: never   use\ntabs!"))) == (TABS,)


def test_what_was_pasted_is_not_taken_for_what_was_said():
    assert said([TABS], [user("x" * LONGEST_SAID + "Never use tabs")]) == ()


def test_there_are_only_a_few_and_each_is_kept_once():
    words = [f"Rule number {number}." for number in range(20)]
    facts = [Fact("project", f"Rule {number}", text) for number, text in enumerate(words)]
    kept = said([facts[0], *facts], [user(" ".join(words))])
    assert kept == tuple(facts[:MOST])


def test_each_part_of_a_long_history_gives_its_facts_and_the_section_is_not_merged_on():
    lines = '\n\n## Lasting facts\n- user | Start | "prompt 0 and so on"'
    messages = (user("prompt 0 and so on"), *history(60, size=400)[1:])
    model = Model("one" + lines, otherwise="short")
    whole = asyncio.run(summarised(messages, model, 3_000, facts=True))
    assert [fact.name for fact in whole.facts] == ["Start"]
    assert "| Start |" not in "".join(message.text for asked in model.asked[1:] for message in asked)


def test_facts_alone_are_no_summary():
    only = '## Lasting facts\n- user | Indentation | "Never use tabs"'
    model = Model(only, "at last")
    made = asyncio.run(summarised((user("Never use tabs"),), model, 100_000, facts=True))
    assert made.text == "at last"
    assert len(model.asked) == 2


def test_they_are_asked_for_only_where_somebody_keeps_them():
    assert "Lasting facts" not in order().text
    assert "Lasting facts" in order(facts=True).text
    model = Model('Done.\n\n## Lasting facts\n- user | Indentation | "Never use tabs"')
    made = asyncio.run(summarised((user("Never use tabs"),), model, 100_000))
    assert made == Answer("Done.", ONE)
    assert ONE.usage == Usage(10, 1)
