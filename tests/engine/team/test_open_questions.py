"""What waits, what looks the same, and how it is named."""

from dataclasses import replace

from roocode.engine.team.open_questions import age_s, groups, open_questions, short_ids
from roocode.engine.team.store.event_log import Record
from tests.engine.team.test_permission_mail import ROOT, question


def test_groups_are_of_equal_looks_in_the_order_of_the_oldest():
    bobs = ROOT.replace("alice", "bob")
    alice, other = question(identifier="a1"), question("make all", "a2")
    bob = replace(question(identifier="b1"), agent="bob", root=bobs, directory=bobs)
    assert groups([alice, other, bob]) == ((alice, bob), (other,))
    assert groups([alice, replace(bob, directory=f"{bobs}/docs")]) != ((alice, bob),)


def test_short_ids_name_one_question_each():
    asked = [question(identifier=i) for i in ("abcdef111111", "abcdef222222", "123456789012", "q1")]
    assert short_ids(asked) == {
        "abcdef111111": "abcdef1", "abcdef222222": "abcdef2", "123456789012": "123456", "q1": "q1",
    }  # fmt: skip


def test_a_record_that_is_no_question_is_left_out():
    broken = Record(1, "", "permission_asked", "t", "alice", {"id": "q1", "parts": 3})
    assert open_questions([broken]) == ()


def test_ages_never_run_backwards():
    assert age_s("2026-01-02T03:04:05.000Z", 1767323045.0 + 90) == 90
    assert age_s("2026-01-02T03:04:05.000Z", 0) == 0
    assert age_s("", 5) == 0
