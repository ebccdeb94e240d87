"""What is wrong with a log is found and mended, and the old file stays."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roocode.memory.sessions.checkup import check, repair
from roocode.memory.sessions.conversation import Conversation
from roocode.memory.sessions.log import Header
from roocode.memory.sessions.pairing import LOST
from roocode.memory.sessions.replay import replay
from roocode.protocol.errors import UserError
from roocode.protocol.messages import Message, Reply, Text, ToolCall, ToolResult, user

HEADER = Header(id="s1", cwd="/w", model="m", mode="default", system="S")


def told(path: Path) -> list[str]:
    """A sound log with two calls and their results; returns its lines."""
    conversation = Conversation.create(path, HEADER)
    conversation.add_prompt(user("one"))
    calls = (ToolCall("c1", "ReadFile", {"path": "a"}), ToolCall("c2", "ReadFile", {"path": "b"}))
    conversation.add_reply(Reply(Message("assistant", (Text("I look."), *calls)), "tools"))
    conversation.note("decision", call="c1", verdict="allow")
    conversation.add_result(ToolResult("c2", "b"))
    conversation.add_result(ToolResult("c1", "a"))
    conversation.add_reply(Reply(Message("assistant", (Text("done"),)), "end"))
    conversation.add_prompt(user("two"))
    conversation.close()
    return path.read_text().splitlines()


def faults(path: Path) -> list[tuple[int, str]]:
    return [(fault.line, fault.what) for fault in check(path)]


def rewrite(path: Path, *lines: str, end: str = "\n") -> None:
    path.write_text("\n".join(lines) + end)


def test_a_sound_log_is_left_alone(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    told(path)
    content = path.read_bytes()
    assert faults(path) == []
    assert repair(path) is None
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_each_fault_is_named_with_its_line(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    lines = told(path)
    without_results = [line for line in lines if '"type":"result"' not in line]
    stray = json.dumps(
        {"type": "result", "result": {"type": "result", "callId": "x", "content": "", "isError": False}}
    )
    rewrite(
        path,
        without_results[0],
        "not json",
        '{"type":"prompt"}',
        *without_results[1:],
        stray,
        '{"type":"pro',
        end="",
    )
    found = faults(path)
    assert [line for line, _ in found] == [2, 3, 5, 5, 9, 10]
    words = " ".join(what for _, what in found)
    for part in ("not a record", "damaged record of type prompt", "call c1 has no result", "no open call: x"):
        assert part in words


def test_a_mended_log_is_sound_and_goes_on(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    lines = told(path)
    broken = [line for line in lines if '"callId":"c1"' not in line]
    rewrite(path, *broken[:2], "garbage", *broken[2:])
    before = path.read_bytes()
    kept = repair(path)
    assert kept is not None
    assert kept.read_bytes() == before
    assert kept.name == "s.jsonl.bak"
    assert faults(path) == []
    assert path.stat().st_mode & 0o777 == 0o600
    results = [result for message in replay(path).messages for result in message.results]
    assert results == [ToolResult("c2", "b"), ToolResult("c1", LOST, True)]
    again, past = Conversation.resume(path)
    assert past.skipped == 0
    assert again.messages()[-1].text == "two"


def test_an_old_backup_is_never_overwritten(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    told(path)
    for number in range(3):
        with path.open("a") as log:
            log.write(f"garbage {number}\n")
        repair(path)
    backups = sorted(each.name for each in tmp_path.iterdir())
    assert backups == ["s.jsonl", "s.jsonl.bak", "s.jsonl.bak2", "s.jsonl.bak3"]
    assert "garbage 0" in (tmp_path / "s.jsonl.bak").read_text()


def test_a_second_result_inside_a_prompt_is_taken_out(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    told(path)
    conversation, _ = Conversation.resume(path)
    conversation.add_prompt(Message("user", (ToolResult("c1", "again"), Text("three"))))
    conversation.close()
    assert "c1" in faults(path)[0][1]
    repair(path)
    assert replay(path).messages[-1] == user("three")


def test_a_file_without_a_header_is_no_session(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    rewrite(path, *told(tmp_path / "other.jsonl")[1:])
    assert "no header" in faults(path)[0][1]
    with pytest.raises(UserError, match="holds no session"):
        repair(path)


def test_a_newer_schema_is_not_rewritten(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    lines = told(path)
    header: dict[str, Any] = json.loads(lines[0]) | {"schema": 99}
    rewrite(path, json.dumps(header), *lines[1:])
    content = path.read_bytes()
    with pytest.raises(UserError):
        repair(path)
    assert path.read_bytes() == content


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_whatever_is_lost_behind_the_header_the_rest_is_mended(tmp_path: Path, data: st.DataObject):
    path = tmp_path / "s.jsonl"
    for old in tmp_path.iterdir():
        old.unlink()
    lines = told(path)
    kept = data.draw(st.lists(st.sampled_from(lines[1:]), max_size=10))
    torn = data.draw(st.integers(0, len(lines[-1])))
    rewrite(path, lines[0], *kept, lines[-1][:torn], end="")
    repair(path)
    assert faults(path) == []
    messages = replay(path).messages
    calls = [call.id for message in messages for call in message.calls]
    results = [result.call_id for message in messages for result in message.results]
    assert len(calls) == len(results)
