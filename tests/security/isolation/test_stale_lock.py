"""An index.lock goes only when it is old and nobody holds it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from pathlib import Path

import pytest

from roocode.security.isolation.stale_lock import clear_stale_lock
from roocode.security.sandbox.process import until
from tests.gitrepo import Repo

linux = pytest.mark.skipif(not Path("/proc").is_dir(), reason="holders are seen through /proc")


def plant(lock: Path, *, age: float) -> None:
    lock.write_text("")
    os.utime(lock, (time.time() - age,) * 2)


@pytest.mark.asyncio
async def test_old_and_unheld_goes(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    lock = repo.root / ".git" / "index.lock"
    plant(lock, age=3600)
    assert await clear_stale_lock(await repo.open())
    assert not lock.exists()
    assert not await clear_stale_lock(await repo.open())


@linux
@pytest.mark.asyncio
async def test_held_open_stays(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    lock = repo.root / ".git" / "index.lock"
    plant(lock, age=3600)
    with lock.open("w"):
        os.utime(lock, (time.time() - 3600,) * 2)
        assert not await clear_stale_lock(await repo.open(), patience_s=0.1)
    assert lock.exists()


async def writer_of(fifo: Path) -> int:
    """The writing end of a fifo, once somebody reads it."""
    opened: list[int] = []

    def is_read() -> bool:
        with contextlib.suppress(OSError):
            opened.append(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK))
        return bool(opened)

    assert await until(is_read, 10)
    return opened[0]


@linux
@pytest.mark.asyncio
async def test_a_git_that_works_there_is_waited_for(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    lock = repo.root / ".git" / "index.lock"
    plant(lock, age=3600)
    git = await repo.open()
    holder = asyncio.create_task(git("hash-object", str(fifo)))
    writer = await writer_of(fifo)
    clearing = asyncio.create_task(clear_stale_lock(git))
    done, _ = await asyncio.wait({clearing}, timeout=0.2)
    assert not done
    assert lock.exists()
    os.close(writer)
    await holder
    assert await clearing


@pytest.mark.asyncio
async def test_young_is_given_time_to_go(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    lock = repo.root / ".git" / "index.lock"
    plant(lock, age=-1000)
    clearing = asyncio.create_task(clear_stale_lock(await repo.open()))
    done, _ = await asyncio.wait({clearing}, timeout=0.1)
    assert not done
    lock.unlink()
    assert not await clearing
