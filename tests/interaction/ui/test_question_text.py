"""A question as a person reads it."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.interaction.ui.columns import columns
from roocode.interaction.ui.terminal.question_text import details, names
from roocode.interaction.ui.terminal.questions import Questions, bar
from roocode.interaction.ui.terminal.styles import RED, unstyled
from roocode.protocol.decisions import PermissionQuestion, QuestionPart
from tests.interaction.ui.samples import question

LINE = "cd docs && rm -rf build; make all"
PARTS = (
    QuestionPart("cd docs", asks=False, why="only reads"),
    QuestionPart("rm -rf build", why="deletes files"),
    QuestionPart("make all", why="asked about by Bash(make *) (user.yaml:3)", layer="rules"),
)


def lines(*asked: PermissionQuestion, width: int = 80) -> list[str]:
    return unstyled(details(asked, width)).split("\n")


def test_one_command_is_shown_once_with_who_asks_and_why():
    assert lines(question()) == [
        "", "? wants to use Bash", "  make test", "  asked by the permission mode: may write",
    ]  # fmt: skip
    assert lines(question(agent="alice"))[1] == "? alice wants to use Bash"


def test_a_line_of_several_commands_is_shown_whole_and_part_by_part():
    asked = question(command=LINE, parts=PARTS, level="danger", warnings=("docs/build holds 3 entries",))
    assert lines(asked) == [
        "",
        "! Danger: wants to use Bash",
        f"  {LINE}",
        "",
        "  ✓ cd docs · only reads",
        "  ? rm -rf build · deletes files",
        "  ? make all · asked about by Bash(make *) (user.yaml:3), a rule asks",
        "  asked by the permission mode: may write",
        "  ⚠ docs/build holds 3 entries",
    ]


def test_what_is_inside_a_wrapper_stands_below_it():
    parts = (QuestionPart("sudo make", why="sudo"), QuestionPart("make", why="make", inside=("sudo",)))
    text = lines(question(command="sudo make", parts=parts))
    assert text[4:6] == ["  ? sudo make · sudo", "    ? make · make"]


@pytest.mark.parametrize(
    ("root", "directory", "place"),
    [
        ("/w", "/w", ""),
        ("/w", "/w/docs", " in docs"),
        ("/w", "/wide", " in /wide"),
        ("/", "/tmp/x", " in tmp/x"),
    ],
)
def test_a_directory_is_named_where_it_is_not_the_agents_own(root: str, directory: str, place: str):
    assert lines(question(root=root, directory=directory))[1] == f"? wants to use Bash{place}"


def test_a_danger_looks_different_with_and_without_colours():
    calm, danger = question(), question(level="danger")
    assert RED not in details([calm], 80)
    assert RED in details([danger], 80)
    assert RED in bar([danger], 1, 80, 0.0)
    assert "Danger" in unstyled(details([danger], 80))


def test_equal_questions_name_all_askers():
    asked = [question(name, name) for name in ("alice", "bob", "carol")]
    assert names(asked) == "alice, bob and carol"
    assert lines(*asked)[1] == "? alice, bob and carol want to use Bash"
    assert "Allow all 3?" in unstyled(bar(asked, 1, 80, 0.0))


def test_the_age_of_a_members_question_is_shown():
    asked = question(agent="alice", asked_at="2026-01-02T03:04:00.000Z")
    now = 1767323040.0 + 200
    assert "asked 3 min ago" in unstyled(bar([asked], 1, 120, now))
    assert "ago" not in bar([question()], 1, 120, now)


def test_nothing_is_cut_however_long_the_command_is():
    """P18: the last part is seen, and what is broken for the width is marked."""
    command = "; ".join(f"echo part number {number}" for number in range(300)) + "; rm -rf last"
    text = lines(question(command=command), width=40)
    body = [line for line in text if line[:2] in ("  ", "↪ ")]
    assert "".join(line[2:] for line in body).startswith(command)
    assert all(columns(line) <= 40 for line in text)


def test_control_and_bidi_characters_are_written_out_in_every_part():
    evil = "echo \u202e\x1b[2K\u200b"
    asked = question(
        command=evil, parts=(QuestionPart(evil, why=evil),) * 2, warnings=(evil,), directory=evil
    )
    shown = unstyled(details([replace(asked, agent=evil, reason=evil)], 80))
    assert not set("\u202e\x1b\u200b") & set(shown)
    assert "\\u202e\\x1b[2K\\u200b" in shown


@given(st.text(min_size=1), st.text(), st.integers(20, 60))
def test_no_line_is_wider_than_the_screen(command: str, why: str, width: int):
    parts = (QuestionPart(command, why=why), QuestionPart(why, asks=False, inside=("sudo",)))
    text = details([question(command=command, parts=parts, warnings=(why,))], width)
    assert all(columns(line) <= width for line in unstyled(text).split("\n"))


def test_a_question_travels_as_json():
    asked = question(parts=PARTS, warnings=("w",), level="danger", root="/w", directory="/w/x")
    assert PermissionQuestion.from_json(json.loads(json.dumps(asked.to_json()))) == asked
    assert PermissionQuestion.from_json({**asked.to_json(), "more": 1}) == asked


def test_only_what_looks_the_same_is_asked_together():
    one = question("q1", "alice", root="/w/alice", directory="/w/alice/docs")
    same = question("q2", "bob", root="/w/bob", directory="/w/bob/docs")
    others = [
        question("q3", "carol", root="/w/carol", directory="/w/carol"),
        question("q4", "dave", root="/w/dave", directory="/w/alice/docs"),
        replace(same, id="q5", agent="eve", warnings=("x",)),
        replace(same, id="q6", agent="fay", preview="make  test"),
        replace(same, id="q7", agent="gus", level="danger"),
        replace(same, id="q8", agent="hal", input={"command": "make test", "timeout": 1}),
        replace(same, id="q9", agent="bob"),
    ]
    queue = Questions()
    assert [queue.add(each) for each in (one, same, *others)] == [True, True, *[False] * len(others)]
    assert [each.agent for each in queue.asked] == ["alice", "bob"]
    assert len(queue.waiting) == 1 + len(others)
