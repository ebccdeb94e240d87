"""Many processes, and processes that are killed, on one team on disk."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from roocode.engine.team import tasks
from roocode.engine.team.dependencies import Tasks
from roocode.engine.team.mailbox import Mailbox
from roocode.engine.team.store.shared_file import locked
from tests.engine.team.on_disk import AT, team_store

REPOSITORY = Path(__file__).parents[3]


def crowd(*arguments: object) -> list[int]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.team.crowd", *map(str, arguments)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert (done.returncode, done.stderr) == (0, "")
    exits: list[int] = json.loads(done.stdout)
    return exits


def start(*arguments: object) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.engine.team.crowd", *map(str, arguments)],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def test_16_processes_claim_200_tasks_none_twice_none_lost(tmp_path: Path):
    store = team_store(tmp_path)

    def fill(now: Tasks) -> tuple[Tasks, None]:
        for number in range(200):
            now, _ = tasks.create(now, f"task {number}", "", by="lead", at=AT)
        return now, None

    store.change_tasks(fill)
    assert crowd("claim", store.root, 16) == [0] * 16
    claims = {path.stem: json.loads(path.read_text()) for path in store.root.glob("*.claims")}
    assert len(claims) == 16
    owners = {task_id: name for name, ids in claims.items() for task_id in ids}
    assert Counter(task_id for ids in claims.values() for task_id in ids) == Counter(
        str(number) for number in range(1, 201)
    )
    assert {task.id: task.owner for task in store.tasks()} == owners
    assert all(task.status == "in_progress" for task in store.tasks())


def test_8_senders_of_1000_messages_none_lost_none_partial_in_order_per_sender(tmp_path: Path):
    inbox = tmp_path / "bob"
    Mailbox(inbox).create()
    assert crowd("send", inbox, 8, 1000) == [0] * 8
    received = json.loads((inbox / "received").read_text())
    by_sender = {f"m{n}": [int(number) for name, number in received if name == f"m{n}"] for n in range(8)}
    assert by_sender == {f"m{n}": list(range(1000)) for n in range(8)}
    assert len(list((inbox / "cur").iterdir())) == 8000
    assert not list((inbox / "new").iterdir())
    assert not list((inbox / "tmp").iterdir())
    assert not (inbox / "quarantine").exists()


@pytest.mark.parametrize(("step", "fewest"), [("change tasks", 40), ("deliver", 20)])
def test_a_kill_at_any_line_of_storage_leaves_the_old_or_the_new(tmp_path: Path, step: str, fewest: int):
    exits = crowd("die", tmp_path, step)
    assert exits[-1] == 0
    assert set(exits[:-1]) == {-9}
    assert len(exits) > fewest


def test_a_killed_holder_frees_the_lock_of_a_file_at_once(tmp_path: Path):
    store = team_store(tmp_path)
    holder = start("lock", store.root / "tasks.json")
    end(holder)
    with locked(store.root / "tasks.json"):
        assert store.tasks() == ()


def test_a_killed_member_is_dead_at_once_and_another_can_take_its_place(tmp_path: Path):
    store = team_store(tmp_path, "alice")
    lock = store.member_lock("alice")
    assert not lock.is_held()
    holder = start("live", store.root, "alice")
    assert lock.is_held()
    end(holder)
    assert not lock.is_held()
    held = lock.hold()
    assert lock.is_held()
    held.release()
    assert not lock.is_held()
