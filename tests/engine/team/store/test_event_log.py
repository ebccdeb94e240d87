"""The append-only record: numbered, whole lines, a torn tail dropped."""

import json
import resource
import threading
from pathlib import Path

import pytest

from roocode.engine.team.store.event_log import EventLog
from roocode.protocol.errors import HostError


def log_at(directory: Path) -> EventLog:
    return EventLog(directory / "events.jsonl", "crew")


def test_lines_are_numbered_across_openings(tmp_path: Path):
    log_at(tmp_path).append("claimed", "alice", {"task": "1"})
    log_at(tmp_path).append("completed", "alice", {"task": "1"})
    records = log_at(tmp_path).read()
    assert [(r.seq, r.kind, r.team, r.member, r.detail) for r in records] == [
        (1, "claimed", "crew", "alice", {"task": "1"}),
        (2, "completed", "crew", "alice", {"task": "1"}),
    ]
    assert log_at(tmp_path).read(after=1) == records[1:]


def test_a_line_is_a_json_object_without_line_separators(tmp_path: Path):
    log_at(tmp_path).append("idle", "alice", {"text": "a\nb\u2028c\x00", "commits": ("a", "b")})
    line = (tmp_path / "events.jsonl").read_text()
    assert line.isascii()
    assert line.count("\n") == 1
    assert json.loads(line) == {
        "seq": 1,
        "timestamp": log_at(tmp_path).read()[0].timestamp,
        "kind": "idle",
        "team": "crew",
        "member": "alice",
        "detail": {"text": "a\nb\u2028c\x00", "commits": ["a", "b"]},
    }


def test_no_log_yet(tmp_path: Path):
    assert log_at(tmp_path).read() == ()


def test_a_tail_torn_at_any_byte_is_dropped_and_never_joined(tmp_path: Path):
    log = log_at(tmp_path)
    log.append("claimed", "alice", {})
    whole = log.path.stat().st_size
    log.append("completed", "alice", {})
    content = log.path.read_bytes()
    for length in range(whole, len(content)):
        log.path.write_bytes(content[:length])
        assert [record.kind for record in log.read()] == ["claimed"]
        log.append("released", "alice", {})
        assert [(record.seq, record.kind) for record in log.read()] == [(1, "claimed"), (2, "released")]


def test_a_log_that_is_only_a_torn_line_starts_anew(tmp_path: Path):
    log = log_at(tmp_path)
    log.path.write_bytes(b'{"seq": 1, "kin')
    assert log.append("created", "lead", {}).seq == 1
    assert len(log.read()) == 1


@pytest.mark.parametrize("size", [10, 4000, 4096, 5000, 50_000])
def test_a_long_last_line_is_found(tmp_path: Path, size: int):
    log = log_at(tmp_path)
    log.append("created", "lead", {})
    log.append("idle", "alice", {"text": "x" * size})
    assert log.append("claimed", "alice", {}).seq == 3


def test_a_broken_line_is_an_error_that_names_it(tmp_path: Path):
    log = log_at(tmp_path)
    log.append("created", "lead", {})
    with log.path.open("a") as file:
        file.write("not json\n")
    with pytest.raises(HostError, match="broken in line 2"):
        log.read()
    with pytest.raises(HostError, match="broken in the last line"):
        log.append("claimed", "alice", {})


def test_threads_get_different_numbers(tmp_path: Path):
    log = log_at(tmp_path)
    threads = [
        threading.Thread(target=lambda n=n: [log.append("active", f"m{n}", {}) for _ in range(25)])
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [record.seq for record in log.read()] == list(range(1, 101))


def test_a_full_disk_leaves_no_half_line(tmp_path: Path):
    log = log_at(tmp_path)
    log.append("created", "lead", {})
    before = log.path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 50, limits[1]))
    try:
        with pytest.raises(HostError, match="cannot write"):
            log.append("idle", "alice", {"text": "x" * 200})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert log.path.read_bytes() == before
    assert log.append("claimed", "alice", {}).seq == 2
