"""Run as a program: what many processes, and processes that are killed, do to one team on disk.

A program of its own, so that it can fork before it has any thread.
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from roocode.engine.team import durable, mailbox, tasks
from roocode.engine.team.dependencies import Tasks
from roocode.engine.team.mailbox import Mailbox
from roocode.engine.team.store import shared_file
from roocode.engine.team.store.files import FileTeamStore
from roocode.engine.team.store.shared_file import locked
from roocode.engine.team.tasks import TaskRefused
from tests.engine.team.on_disk import AT, roster, text_mail

STORAGE = frozenset(str(module.__file__) for module in (durable, mailbox, shared_file))


def fork(work: Callable[[], None]) -> int:
    child = os.fork()
    if child:
        return child
    try:
        work()
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)


def all_exits(children: list[int]) -> list[int]:
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def claim_all(root: Path, processes: int) -> list[int]:
    """Each process claims the first task that it finds free, and writes down what it got."""

    def work(name: str) -> None:
        store, mine = FileTeamStore(root), []
        while waiting := [task.id for task in store.tasks() if task.status == "pending"]:
            if claim(store, waiting[0], name):
                mine.append(waiting[0])
        (root / f"{name}.claims").write_text(json.dumps(mine))

    return all_exits([fork(partial(work, f"m{n}")) for n in range(processes)])


def claim(store: FileTeamStore, task_id: str, name: str) -> bool:
    def transition(now: Tasks) -> tuple[Tasks, None]:
        return tasks.claim(now, task_id, by=name, at=AT), None

    try:
        store.change_tasks(transition)
    except TaskRefused:
        return False
    return True


def send_all(inbox: Path, senders: int, each: int) -> list[int]:
    """Each process sends numbered messages; the parent reads and acknowledges meanwhile."""

    def work(name: str) -> None:
        box = Mailbox(inbox)
        for number in range(each):
            box.deliver(text_mail(f"{number} " + "x" * 200, to=inbox.name, sender=name))

    children = [fork(partial(work, f"m{n}")) for n in range(senders)]
    box, got = Mailbox(inbox, lambda name, why: print(name, why, file=sys.stderr)), []
    while len(got) < senders * each:
        for message in box.unread():
            assert message.text.endswith("x" * 200)  # type: ignore[union-attr]
            got.append((message.from_, message.text.split()[0]))  # type: ignore[union-attr]
            box.acknowledge(message)
    (inbox / "received").write_text(json.dumps(got))
    return all_exits(children)


def die_everywhere(root: Path, act: str) -> list[int]:
    """Kills the same step at its first line of storage code, its second, … until it survives."""
    points = []
    prepare, step, check = STEPS[act]
    while not points or points[-1] != 0:
        target = root / str(len(points))
        prepare(target)
        points.append(all_exits([fork(partial(killed_at, len(points) + 1, partial(step, target)))])[0])
        check(target, points[-1] == 0)
    return points


def killed_at(line: int, step: Callable[[], None]) -> None:
    left = line

    def trace(frame: FrameType, event: str, _arg: Any) -> Any:
        nonlocal left
        if frame.f_code.co_filename not in STORAGE:
            return None
        if event == "line":
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)
    step()
    sys.settrace(None)


def prepare_tasks(target: Path) -> None:
    store = FileTeamStore(target)
    store.create(roster("alice"))
    store.change_tasks(lambda now: tasks.create(now, "old", "", by="lead", at=AT))


def change_tasks(target: Path) -> None:
    FileTeamStore(target).change_tasks(lambda now: tasks.create(now, "new", "", by="lead", at=AT))


def check_tasks(target: Path, survived: bool) -> None:
    store = FileTeamStore(target)
    subjects = [task.subject for task in store.tasks()]
    assert subjects == ["old", "new"] if survived else subjects in (["old"], ["old", "new"]), subjects
    store.change_tasks(lambda now: tasks.create(now, "next", "", by="lead", at=AT))
    assert store.tasks()[-1].subject == "next"
    left = sorted(path.name for path in target.iterdir() if path.name.startswith("."))
    assert left == [], left


def prepare_inbox(target: Path) -> None:
    Mailbox(target / "bob").create()


def deliver(target: Path) -> None:
    Mailbox(target / "bob").deliver(text_mail("whole"))


def check_inbox(target: Path, survived: bool) -> None:
    refused: list[str] = []
    box = Mailbox(target / "bob", lambda name, why: refused.append(why))
    texts = [message.text for message in box.unread()]  # type: ignore[union-attr]
    assert refused == []
    assert texts == ["whole"] if survived else texts in ([], ["whole"]), texts


STEPS: dict[str, tuple[Any, Any, Any]] = {
    "change tasks": (prepare_tasks, change_tasks, check_tasks),
    "deliver": (prepare_inbox, deliver, check_inbox),
}


def hold_lock(path: Path) -> None:
    with locked(path):
        print("held", flush=True)
        signal.pause()


def hold_life(root: Path, name: str) -> None:
    held = FileTeamStore(root).member_lock(name).hold()
    print("held", flush=True)
    signal.pause()
    held.release()


if __name__ == "__main__":
    command, where, *more = sys.argv[1:]
    match command:
        case "claim":
            print(json.dumps(claim_all(Path(where), int(more[0]))))
        case "send":
            print(json.dumps(send_all(Path(where), int(more[0]), int(more[1]))))
        case "die":
            print(json.dumps(die_everywhere(Path(where), more[0])))
        case "lock":
            hold_lock(Path(where))
        case "live":
            hold_life(Path(where), more[0])
