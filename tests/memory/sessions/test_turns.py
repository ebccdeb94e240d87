"""Turns as the log marks them, and conversations that go back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roocode.memory.sessions.checkup import check, repair
from roocode.memory.sessions.conversation import Conversation
from roocode.memory.sessions.log import Header
from roocode.memory.sessions.replay import replay
from roocode.memory.sessions.turns import Turn, Turns, turn_record
from roocode.protocol.errors import UserError
from roocode.protocol.messages import Message, Reply, Text, ToolCall, ToolResult, Usage, user
from roocode.security.isolation.secrets import Secrets

HEADER = Header(id="s1", cwd="/w", model="m", mode="default", system="S")
DONE = Reply(Message("assistant", (Text("done"),)), "end", Usage(1, 2))


def told(path: Path) -> Conversation:
    """Two turns; the first with a call and a list, the second with another list."""
    conversation = Conversation.create(path, HEADER)
    for number in (1, 2):
        conversation.note("turn", **turn_record(Turn(number, f"turn\n {number} " + "x" * 200)))
        conversation.add_prompt(user(f"prompt {number}"))
        call = ToolCall("c", "ReadFile", {"path": "a"})
        conversation.add_reply(Reply(Message("assistant", (call,)), "tools", Usage(1, 2)))
        conversation.note("todos", items=[{"content": f"item {number}", "status": "pending"}])
        conversation.add_result(ToolResult("c" if number == 1 else "c-2", "text"))
        conversation.add_reply(DONE)
    return conversation


def back(conversation: Conversation, number: int, to: int) -> None:
    conversation.note("turn", **turn_record(Turn(number, f"/rewind {to}", "rewind")))
    conversation.rewind(to)


def shown(path: Path) -> list[int]:
    return [turn.number for turn in Turns.read(path).shown]


def test_a_conversation_goes_back_to_where_a_turn_began(tmp_path: Path) -> None:
    conversation = told(tmp_path / "s.jsonl")
    both = conversation.messages()
    back(conversation, 3, 2)
    assert conversation.messages() == both[:4]
    assert conversation.todos[0]["content"] == "item 1"
    conversation.add_prompt(user("other"))
    conversation.close()
    resumed, past = Conversation.resume(tmp_path / "s.jsonl")
    assert resumed.messages() == conversation.messages()
    assert resumed.todos == conversation.todos
    assert past.usage == Usage(4, 8)
    assert past.skipped == 0
    assert check(tmp_path / "s.jsonl") == ()


def test_going_back_can_be_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    conversation = told(path)
    both = conversation.messages()
    assert shown(path) == [1, 2]
    back(conversation, 3, 1)
    assert (conversation.messages(), shown(path)) == ((), [3])
    back(conversation, 4, 3)
    assert (conversation.messages(), shown(path)) == (both, [1, 2, 4])
    back(conversation, 5, 2)
    assert (conversation.messages(), shown(path)) == (both[:4], [1, 5])


def test_a_turn_has_the_first_words_on_one_line(tmp_path: Path) -> None:
    told(tmp_path / "s.jsonl")
    words = Turns.read(tmp_path / "s.jsonl").all[1].words
    assert words.startswith("turn 1 x")
    assert len(words) == 100


def test_there_is_no_way_back_to_a_turn_that_was_not(tmp_path: Path) -> None:
    conversation = told(tmp_path / "s.jsonl")
    before = (tmp_path / "s.jsonl").read_bytes()
    with pytest.raises(UserError, match="holds no turn 9"):
        conversation.rewind(9)
    assert (tmp_path / "s.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    "damaged",
    [
        '{"type":"turn"}',
        '{"type":"turn","number":1,"words":"again","kind":"prompt"}',
        '{"type":"turn","number":"x","words":"","kind":"prompt"}',
        '{"type":"snapshot","turn":7,"when":"before","files":{}}',
        '{"type":"snapshot","turn":1,"when":"later","files":{}}',
        '{"type":"snapshot","turn":1,"when":"after","files":3}',
        '{"type":"rewind","turn":9,"todos":[],"messages":[{"role":"user"}]}',
        '{"type":"rewind","turn":9,"messages":[]}',
        "torn",
    ],
)
def test_damaged_records_are_left_out(tmp_path: Path, damaged: str) -> None:
    path = tmp_path / "s.jsonl"
    conversation = told(path)
    sound, turns = conversation.messages(), Turns.read(path).all
    with path.open("a") as log:
        log.write(damaged + "\n")
    resumed, _ = Conversation.resume(path)
    assert resumed.messages() == sound
    assert Turns.read(path).all == turns
    assert shown(path) == [1, 2]


@pytest.mark.parametrize(
    "damaged",
    [
        '{"type":"rewind","turn":1,"messages":[]}',
        '{"type":"turn","number":5}',
        '{"type":"snapshot","turn":1}',
    ],
)
def test_verify_knows_the_records_and_mends_the_log(tmp_path: Path, damaged: str) -> None:
    path = tmp_path / "s.jsonl"
    conversation = told(path)
    conversation.note("snapshot", turn=1, when="before", files={"tree": "t", "leftOut": {}})
    back(conversation, 3, 2)
    assert check(path) == ()
    with path.open("a") as log:
        log.write(damaged + "\n")
    (fault,) = check(path)
    assert f"damaged record of type {json.loads(damaged)['type']}" in fault.what
    assert repair(path) is not None
    assert check(path) == ()
    assert replay(path).messages == conversation.messages()


def test_going_back_brings_no_secret_back(tmp_path: Path) -> None:
    token, path = "ghp_Kd8Wq2Lm6Xv1Rb9Yc5Nh3Pj7Sf0Ga2Te4Uz8", tmp_path / "s.jsonl"
    conversation = Conversation.create(path, HEADER)
    for number in (1, 2):
        conversation.note("turn", **turn_record(Turn(number, f"prompt {number}")))
        conversation.add_prompt(user(f"My key is {token}."))
        conversation.add_reply(DONE)
        conversation.note("todos", items=[{"content": f"use {token}", "status": "pending"}])
    conversation.close()
    resumed, _ = Conversation.resume(path, Secrets("salt"))
    already = path.read_text().count(token)
    back(resumed, 3, 2)
    forked, _ = Conversation.fork(path, tmp_path / "f.jsonl", Secrets("salt"))
    assert token not in repr((resumed.messages(), resumed.todos, forked.messages(), forked.todos))
    assert path.read_text().count(token) == already
    assert token not in (tmp_path / "f.jsonl").read_text()
