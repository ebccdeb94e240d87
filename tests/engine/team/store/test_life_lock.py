"""Locks that say who is alive."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from roocode.engine.team.store.life_lock import AlreadyHeld, LifeLock
from roocode.protocol.errors import HostError


def test_a_second_holder_is_refused_and_told_who_holds_it(tmp_path: Path):
    held = LifeLock(tmp_path / "lead.lock").hold()
    with pytest.raises(AlreadyHeld, match=f"lead.lock is held by process {os.getpid()}"):
        LifeLock(tmp_path / "lead.lock").hold(patience_s=0.01)
    held.release()
    LifeLock(tmp_path / "lead.lock").hold().release()


def test_a_lock_that_nobody_ever_took_is_free(tmp_path: Path):
    assert not LifeLock(tmp_path / "lead.lock").is_held()
    assert not (tmp_path / "lead.lock").exists()


def test_letting_go_twice_lets_go_of_nothing_else(tmp_path: Path):
    held = LifeLock(tmp_path / "a.lock").hold()
    held.release()
    other = LifeLock(tmp_path / "b.lock").hold()
    held.release()
    assert LifeLock(tmp_path / "b.lock").is_held()
    other.release()


def test_it_is_held_as_long_as_the_process_lives_even_with_no_reference(tmp_path: Path):
    code = (
        "from pathlib import Path; from roocode.engine.team.store.life_lock import LifeLock; import gc;"
        "LifeLock(Path('a.lock')).hold(); gc.collect(); print('held', flush=True); input()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    assert LifeLock(tmp_path / "a.lock").is_held()
    process.communicate("\n")
    assert not LifeLock(tmp_path / "a.lock").is_held()


def test_a_program_that_was_started_meanwhile_does_not_keep_it(tmp_path: Path):
    lock = LifeLock(tmp_path / "a.lock")
    held = lock.hold()
    child = subprocess.Popen(
        [sys.executable, "-c", "print('up', flush=True); input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        close_fds=False,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"up\n"
    held.release()
    assert not lock.is_held()
    child.communicate(b"\n")


def test_opening_and_closing_the_file_elsewhere_does_not_free_it(tmp_path: Path):
    lock = LifeLock(tmp_path / "a.lock")
    held = lock.hold()
    (tmp_path / "a.lock").read_text()
    assert lock.is_held()
    held.release()


def ask_until(done: Callable[[], bool]) -> None:
    while not done():
        os.sched_yield()


def test_those_who_ask_disturb_neither_each_other_nor_a_new_holder(tmp_path: Path):
    lock = LifeLock(tmp_path / "a.lock")
    lock.hold().release()
    stop, alive = threading.Event(), []

    def ask() -> None:
        while not stop.is_set():
            alive.append(lock.is_held())

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    ask_until(lambda: len(alive) > 3000)
    stop.set()
    for thread in threads:
        thread.join()
    assert not any(alive)


def test_a_new_holder_waits_out_those_who_ask(tmp_path: Path):
    lock = LifeLock(tmp_path / "a.lock")
    lock.hold().release()
    stop = threading.Event()

    def ask() -> None:
        while not stop.is_set():
            lock.is_held()

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(50):
            lock.hold(patience_s=5).release()
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not lock.is_held()


def test_a_lock_whose_file_was_removed_does_not_let_a_second_holder_share_it(tmp_path: Path):
    lock = LifeLock(tmp_path / "a.lock")
    old = lock.hold()
    (tmp_path / "a.lock").unlink()
    new = lock.hold()
    assert lock.is_held()
    old.release()
    assert lock.is_held()
    new.release()


def test_a_missing_directory_is_an_error(tmp_path: Path):
    with pytest.raises(HostError, match="cannot open"):
        LifeLock(tmp_path / "gone" / "a.lock").hold()
