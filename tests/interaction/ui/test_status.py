"""The lines around the input."""

import pytest

from roocode.interaction.ui.columns import columns
from roocode.interaction.ui.terminal.status import WAITING, MemberLine, Status, member_lines, toolbar
from roocode.interaction.ui.terminal.styles import unstyled
from roocode.interaction.ui.terminal.team_lines import WORDS, team_line
from roocode.protocol.events import TeamEvent


def test_an_idle_chat_says_what_it_is():
    status = Status(model="m-1", mode="plan", tokens=12_345, cost_usd=0.5)
    assert toolbar(status, 0.0, 80) == "  ready · m-1 · plan · 12.3k tokens · 0.5000 USD"
    assert toolbar(Status(model="m-1"), 0.0, 80) == "  ready · m-1"


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (Status(cost_unknown=True), "cost unknown"),
        (Status(cost_usd=0.5, cost_unknown=True), "0.5000 USD and unknown cost"),
    ],
)
def test_a_cost_that_is_not_known_is_never_shown_as_a_sum(status: Status, words: str):
    assert toolbar(status, 0.0, 80) == f"  ready · {words}"


def test_what_goes_on_comes_first_with_its_seconds():
    assert toolbar(Status(model="m", doing="thinking", since=10.0), 12.6, 80) == (
        "  thinking 3 s · esc to interrupt · m"
    )
    assert "esc: no" in toolbar(Status(doing=WAITING), 0.0, 80)


@pytest.mark.parametrize("width", [1, 2, 10, 40, 200])
def test_no_line_is_wider_than_the_terminal(width: int):
    status = Status(model="漢字" * 40, doing="running", tokens=5)
    assert columns(toolbar(status, 0.0, width)) < max(width, 1)
    members = (MemberLine("alice", "active", "task " * 50, "last"), MemberLine("漢字", "idle"))
    assert all(columns(line) < max(width, 1) for line in member_lines(members, width).split("\n"))


def test_members_stand_in_columns():
    members = (MemberLine("alice", "active", "3 parse", "12 tokens"), MemberLine("漢", "idle"))
    assert member_lines(members, 80).split("\n") == ["  alice  active · 3 parse · 12 tokens", "  漢     idle"]
    assert member_lines((), 80) == ""


def test_what_a_person_should_see_of_a_team_is_a_line():
    event = TeamEvent(kind="conflict", team="t", member="bob", detail={"paths": ["a.py", "b\x1b.py"]})
    assert unstyled(team_line(event)) == "◆ merging bob conflicts in a.py, b\\x1b.py"
    assert team_line(TeamEvent(kind="message_read", team="t")) == ""


@pytest.mark.parametrize("kind", WORDS)
def test_an_event_without_its_details_is_still_a_line(kind: str):
    assert team_line(TeamEvent(kind=kind, team="t", member="bob"))
