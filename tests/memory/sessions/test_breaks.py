"""Breaks of what is sent: named and counted where they happen, and the same from the log."""

from __future__ import annotations

from pathlib import Path

import pytest

from roocode.memory.sessions.breaks import Breaks
from roocode.memory.sessions.conversation import Conversation
from roocode.memory.sessions.log import Header
from roocode.protocol.messages import Break, Message, Reply, Text, Usage, user

HEADER = Header("s", "/project", "a/m", "default", "You work.")


def answer(text: str = "Yes.", by: str = "a/m", breaks: tuple[Break, ...] = ()) -> Reply:
    return Reply(Message("assistant", (Text(text),)), "end", Usage(1, 1), "m", by, breaks)


@pytest.fixture
def talk(tmp_path: Path) -> Conversation:
    conversation = Conversation.create(tmp_path / "s.jsonl", HEADER)
    conversation.offer("ReadFile")
    conversation.note("turn", number=1)
    conversation.add_prompt(user("Go."))
    conversation.add_reply(answer())
    return conversation


def again(talk: Conversation) -> Breaks:
    """What a new process makes of the log."""
    talk.close()
    return Conversation.resume(talk.path)[0].breaks


def test_a_conversation_that_only_grows_has_none(talk: Conversation):
    talk.offer("ReadFile")
    assert (talk.breaks.told, talk.breaks.open, talk.breaks.answered_by) == ("none", (), "a/m")
    assert again(talk) == talk.breaks


@pytest.mark.parametrize("kind", ["cleared", "summary", "dropped"])
def test_room_that_was_made_is_named_until_the_next_answer(talk: Conversation, kind: Break):
    talk.compact([user("Short.")], Usage(5), kind=kind, before=9, after=1)
    assert talk.breaks.open == (kind,)
    assert again(talk) == talk.breaks
    later, _ = Conversation.resume(talk.path)
    later.add_prompt(user("On."))
    later.add_reply(answer("On."))
    assert (later.breaks.open, later.breaks.told) == ((), f"1 ({kind} 1)")
    assert again(later) == later.breaks


def test_other_tools_are_a_break_and_the_first_ones_are_none(talk: Conversation):
    talk.offer("ReadFile, Fetch")
    assert talk.breaks.open == ("tools",)
    assert again(talk) == talk.breaks


def test_what_the_client_knows_comes_with_the_answer(talk: Conversation):
    talk.add_prompt(user("On."))
    talk.add_reply(answer("On.", by="b/n", breaks=("model", "endpoint")))
    assert (talk.breaks.open, talk.breaks.told) == ((), "2 (model 1, endpoint 1)")
    assert talk.breaks.answered_by == "b/n"
    assert again(talk) == talk.breaks


def test_a_secret_that_became_known_changes_what_was_sent(talk: Conversation):
    talk.close()
    later, _ = Conversation.resume(talk.path, lambda text: text.replace("Go.", "[secret: word 1a2b]"))
    assert later.breaks.open == ("masking",)


def test_a_log_of_a_later_version_counts_too():
    assert Breaks().taken({"type": "compaction", "kind": "folded"}).told == "1 (summary 1)"
    assert Breaks().taken({"type": "reply", "breaks": ["whim"]}).told == "none"
