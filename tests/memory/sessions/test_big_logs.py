"""A log of any size is read with the memory of what it comes to, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from roocode.memory.sessions.conversation import Conversation
from roocode.memory.sessions.log import Header
from roocode.protocol.messages import Message, Reply, ToolCall, ToolResult, Usage, user

MEGABYTE = 1024 * 1024
SIZE = 64 * MEGABYTE
MOST_MORE = 24 * MEGABYTE
"""What reading may need beyond what a process needs for a short log."""
READ = """
import json, resource, sys
from pathlib import Path
from roocode.memory.sessions.checkup import check, repair
from roocode.memory.sessions.conversation import Conversation
from roocode.memory.sessions.turns import Turns

path, work = Path(sys.argv[1]), sys.argv[2]
if work == "resume":
    conversation, past = Conversation.resume(path)
    found = [len(conversation.messages()), past.usage.total, past.skipped, Turns.read(path).next]
elif work == "check":
    found = len(check(path))
else:
    found = repair(path) is not None
print(json.dumps([found, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024]))
"""


def reading(path: Path, work: str) -> tuple[object, int]:
    """What a process finds, and the memory that it took."""
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path), work], check=True, capture_output=True, timeout=300
    )
    found, memory = json.loads(done.stdout)
    return found, memory


def written(path: Path, size: int, compacted_every: int) -> None:
    """A log of turns with big results, which summaries replace again and again."""
    conversation = Conversation.create(path, Header(id="s", cwd="/w", model="m", mode="default", system="S"))
    turn = 0
    while path.stat().st_size < size:
        turn += 1
        conversation.note("turn", number=turn, words=f"turn {turn}", kind="prompt")
        conversation.add_prompt(user(f"turn {turn}"))
        call = ToolCall(f"c{turn}", "ReadFile", {"path": "a"})
        conversation.add_reply(Reply(Message("assistant", (call,)), "tools", Usage(1, 1)))
        conversation.add_result(ToolResult(call.id, "a line of text\n" * 5_000))
        if turn % compacted_every == 0:
            conversation.compact(conversation.messages()[-3:], Usage(1, 1), kind="dropped")
    conversation.close()


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("big") / "s.jsonl"
    written(path, SIZE, compacted_every=20)
    return path


@pytest.fixture(scope="module")
def least(tmp_path_factory: pytest.TempPathFactory) -> int:
    path = tmp_path_factory.mktemp("small") / "s.jsonl"
    written(path, 1, compacted_every=20)
    return reading(path, "resume")[1]


def test_a_resume_keeps_nothing_that_a_summary_replaced(big: Path, least: int) -> None:
    found, memory = reading(big, "resume")
    assert isinstance(found, list)
    messages, usage, skipped, following = found
    assert following > 500
    assert 3 <= messages <= 3 + 2 * 20
    assert usage >= 2 * (following - 1)
    assert skipped == 0
    assert memory < least + MOST_MORE


def test_a_checkup_and_a_repair_keep_one_line(big: Path, least: int, tmp_path: Path) -> None:
    found, memory = reading(big, "check")
    assert found == 0
    assert memory < least + MOST_MORE
    broken = tmp_path / "s.jsonl"
    with broken.open("wb") as log, big.open("rb") as source:
        log.write(source.readline())
        log.write(b"no record\n")
        log.writelines(source)
    found, memory = reading(broken, "repair")
    assert found is True
    assert memory < least + MOST_MORE
    assert broken.stat().st_size == big.stat().st_size


def test_a_line_of_a_quarter_gigabyte_is_passed_over(tmp_path: Path, least: int) -> None:
    """One line that is longer than any of ours; nothing of it is kept."""
    path = tmp_path / "s.jsonl"
    written(path, 1, compacted_every=20)
    before, _ = reading(path, "resume")
    with path.open("r+b") as log:
        log.seek(0, 2)
        log.write(b'{"type":"prompt","message":"')
        log.seek(256 * MEGABYTE, 2)
        log.write(b'"}\n')
    assert path.stat().st_size > 256 * MEGABYTE
    found, memory = reading(path, "resume")
    assert isinstance(before, list)
    assert isinstance(found, list)
    assert found[:2] == before[:2]
    assert found[2] == 1
    assert memory < least + 4 * SIZE
