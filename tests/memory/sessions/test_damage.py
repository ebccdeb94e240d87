"""Whatever happened to a log on disk: what is sound in it is resumed, and `repair` makes it whole again."""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roocode.memory.sessions.checkup import check, repair
from roocode.memory.sessions.conversation import Conversation
from roocode.memory.sessions.log import LONGEST_LINE, Header, SessionLog, records
from roocode.memory.sessions.pairing import LOST
from roocode.memory.sessions.replay import Replayed, replay
from roocode.memory.sessions.turns import Turns
from roocode.protocol.errors import UserError
from roocode.protocol.messages import Message, Reply, Text, Thinking, ToolCall, ToolResult, Usage, user

HEADER = Header(id="s1", cwd="/w", model="m", mode="default", system="S")


def told(path: Path, words: str = "one") -> Replayed:
    """A sound log with all that a log may hold; returns what it holds."""
    conversation = Conversation.create(path, HEADER)
    conversation.note("turn", number=1, words="one", kind="prompt")
    conversation.add_prompt(user(words), mail=("m1",))
    call = ToolCall("c1", "ReadFile", {"path": "a"})
    conversation.add_reply(Reply(Message("assistant", (Thinking("hm", "sig"), call)), "tools", Usage(3, 4)))
    conversation.note("snapshot", turn=1, when="before", files={})
    conversation.note("todos", items=[{"content": "do", "status": "pending"}])
    conversation.add_result(ToolResult("c1", "text"))
    conversation.add_reply(Reply(Message("assistant", (Text("done"),)), "end", Usage(5, 6)))
    conversation.compact(conversation.messages()[2:], Usage(1, 1), kind="dropped")
    conversation.add_prompt(user("two"))
    conversation.close()
    return replay(path)


def as_told(past: Replayed) -> tuple[Any, ...]:
    return past.messages, past.usage, past.mail, past.todos


def put(path: Path, line: int, data: bytes) -> None:
    """Puts bytes before a line, counted from 0."""
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:line], data, *lines[line:]]))


DAMAGE: dict[str, bytes] = {
    "words": b"not a record\n",
    "a foreign record of a known type": b'{"type":"prompt","message":"hello","sessionId":"x"}\n',
    "a foreign header": b'{"type":"session","schema":"x","id":"other"}\n',
    "NUL bytes": b"\0" * 4096 + b"\n",
    "no UTF-8": b'{"type":"\xff\xfe\n',
    "a bare list": b"[1, 2]\n",
    "numbers beyond all measure": b'{"type":"compaction","messages":[],"usage":{"input":Infinity}}\n',
    "depth beyond all measure": b"[" * 200_000 + b"\n",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
@pytest.mark.parametrize("line", [0, 1, 4])
def test_what_is_none_of_ours_is_left_out(tmp_path: Path, damage: bytes, line: int) -> None:
    path = tmp_path / "s.jsonl"
    before = told(path)
    put(path, line, damage)
    past = replay(path)
    assert past.header == before.header
    assert as_told(past) == as_told(before)
    assert [fault.line for fault in check(path)] == ([] if not damage.strip(b"\0\n") else [line + 1])
    if damage.strip(b"\0\n"):
        assert repair(path) is not None
    assert check(path) == ()
    assert as_told(replay(path)) == as_told(before)
    assert replay(path).skipped == 0


def test_another_header_makes_it_no_other_session(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    before = told(path)
    put(path, 5, b'{"type":"session","schema":99,"id":"other"}\n{"type":"session","id":"third"}\n')
    assert replay(path).header == before.header
    assert [fault.line for fault in check(path)] == [6, 7]
    repair(path)
    assert as_told(replay(path)) == as_told(before)


def test_a_foreign_type_is_kept_and_does_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    before = told(path)
    put(path, 3, b'{"type":"summary","leafUuid":"x"}\n')
    assert as_told(replay(path)) == as_told(before)
    assert check(path) == ()


@pytest.mark.parametrize(
    "words", ["a\u2028b\u2029c\x85d", "half \ud83d of a pair", "\0 in the words", "\ufeff"]
)
def test_odd_characters_are_no_damage(tmp_path: Path, words: str) -> None:
    path = tmp_path / "s.jsonl"
    told(path, words)
    raw = path.read_bytes()
    conversation, past = Conversation.resume(path)
    conversation.close()
    assert past.skipped == 0
    assert check(path) == ()
    assert raw.isascii()
    first = next(record for record in records(path) if record and record["type"] == "prompt")
    assert first["message"]["blocks"][0]["text"] == words


def test_line_separators_that_another_program_unescaped_end_no_line(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    before = told(path, "a\u2028b")
    path.write_bytes(path.read_bytes().replace(b"\\u2028", "\u2028".encode()))
    assert as_told(replay(path)) == as_told(before)
    assert repair(path) is None


def test_nul_bytes_beside_a_record_do_not_hide_it(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    before = told(path)
    put(path, 2, b"\0" * 512)
    assert as_told(replay(path)) == as_told(before)
    assert replay(path).skipped == 0
    assert [(fault.line, fault.what) for fault in check(path)] == [(3, "NUL bytes beside a record")]
    repair(path)
    assert b"\0" not in path.read_bytes()
    assert as_told(replay(path)) == as_told(before)


def test_a_spoilt_byte_spoils_a_letter_and_not_the_words(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    Conversation.create(path, HEADER).add_prompt(user("swordfish, please"))
    path.write_bytes(path.read_bytes().replace(b"swordfish", b"sword\xffish"))
    assert replay(path).messages == (user("sword\ufffdish, please"),)
    (fault,) = check(path)
    assert "no UTF-8" in fault.what
    repair(path)
    assert path.read_bytes().isascii()
    assert replay(path).messages == (user("sword\ufffdish, please"),)


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_torn_last_line_loses_itself_alone(tmp_path: Path, end: bytes) -> None:
    path = tmp_path / "s.jsonl"
    before = told(path)
    path.write_bytes(path.read_bytes() + b'{"type":"prompt","at":"2026-01-01T00:00:00.0' + end)
    assert as_told(replay(path)) == as_told(before)
    conversation, _ = Conversation.resume(path)
    conversation.add_prompt(user("more"))
    conversation.close()
    assert replay(path).messages == (*before.messages, user("more"))
    repair(path)
    assert replay(path).messages == (*before.messages, user("more"))
    assert replay(path).skipped == 0


@pytest.mark.parametrize("copied", [slice(0, None), slice(2, 3), slice(3, 7), slice(4, None)])
def test_copies_of_records_count_once(tmp_path: Path, copied: slice) -> None:
    path = tmp_path / "s.jsonl"
    before = told(path)
    raw, lines = path.read_bytes(), path.read_bytes().splitlines(keepends=True)[copied]
    path.write_bytes(raw + b"".join(lines))
    assert as_told(replay(path)) == as_told(before)
    assert Turns.read(path).next == 2
    assert len(check(path)) == len(lines)
    repair(path)
    assert path.read_bytes() == raw


def test_the_same_words_twice_are_no_copy(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    conversation = Conversation.create(path, HEADER)
    for _ in range(50):
        conversation.add_prompt(user("again"))
    assert len(replay(path).messages) == 50


def test_processes_that_share_a_log_by_mistake_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    told(path)
    one, other = SessionLog(path), SessionLog(path)
    for log in (one, other, one, other):
        log.append("prompt", message={"role": "user", "blocks": [{"type": "text", "text": "x"}]})
    assert replay(path).messages[-4:] == (user("x"),) * 4
    assert check(path) == ()


def test_old_logs_without_keys_are_read(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    before = told(path)
    old = []
    for record in records(path):
        assert record is not None
        old.append({name: value for name, value in record.items() if name != "key"})
    path.write_text("".join(json.dumps(record) + "\n" for record in old))
    assert as_told(replay(path)) == as_told(before)
    assert check(path) == ()


@pytest.mark.parametrize("filler", [b"x", b"\0"])
def test_a_line_of_absurd_length_is_passed_over(tmp_path: Path, filler: bytes) -> None:
    path = tmp_path / "s.jsonl"
    before = told(path)
    head, tail = (
        path.read_bytes().splitlines(keepends=True)[:3],
        path.read_bytes().splitlines(keepends=True)[3:],
    )
    with path.open("wb") as log:
        log.writelines(head)
        for _ in range(3):
            log.write(filler * (LONGEST_LINE // 2))
        log.write(b"" if filler == b"\0" else b"\n")
        log.writelines(tail)
    assert as_told(replay(path)) == as_told(before)
    assert {fault.line for fault in check(path)} == {4}
    repair(path)
    assert as_told(replay(path)) == as_told(before)
    assert path.stat().st_size < 10_000


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def places_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where values stand in a JSON value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in pairs for place in places_in(item, (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    changed = dict(value) if isinstance(value, dict) else list(value)
    changed[path[0]] = replaced(value[path[0]], path[1:], new)
    return changed


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_any_value_in_any_place_of_any_record_leaves_the_others(tmp_path: Path, data: st.DataObject) -> None:
    """A record of a foreign shape is passed over or taken as it is; none keeps a session from going on."""
    path, folder = tmp_path / "s.jsonl", tmp_path
    for old in folder.iterdir():
        old.unlink() if old.is_file() else shutil.rmtree(old)
    told(path)
    lines = path.read_bytes().splitlines()
    number = data.draw(st.integers(1, len(lines) - 1))
    record = json.loads(lines[number])
    changed = replaced(record, data.draw(st.sampled_from(places_in(record))), data.draw(JSON))
    lines[number] = json.dumps(changed).encode()
    path.write_bytes(b"\n".join(lines) + b"\n")
    conversation, _ = Conversation.resume(path)
    conversation.add_prompt(user("more"))
    conversation.close()
    Turns.read(path)
    repair(path)
    assert check(path) == ()
    again, past = Conversation.resume(path)
    assert past.skipped == 0
    messages = again.messages()
    assert messages[-1].text.endswith("more")
    for message, following in pairwise(messages):
        assert [call.id for call in message.calls] == [result.call_id for result in following.results]


def test_a_damaged_result_is_made_good_by_an_error(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    conversation = Conversation.create(path, HEADER)
    conversation.add_prompt(user("one"))
    conversation.add_reply(Reply(Message("assistant", (ToolCall("c1", "Bash", {}),)), "tools"))
    conversation.close()
    put(path, 3, b'{"type":"result","result":{"type":"result","callId":"c1","content":\xc0\n')
    resumed, past = Conversation.resume(path)
    assert past.skipped == 1
    assert resumed.messages()[-1].results == (ToolResult("c1", LOST, True),)


def test_a_log_of_damage_alone_is_no_session(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"".join(DAMAGE.values()))
    with pytest.raises(UserError):
        replay(path)
    with pytest.raises(UserError, match="holds no session"):
        repair(path)
    assert path.read_bytes() == b"".join(DAMAGE.values())
    assert list(tmp_path.iterdir()) == [path]
