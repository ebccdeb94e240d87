"""Waking an agent that waits for mail."""

import asyncio
import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from roocode.engine.team.mailbox import Mailbox
from roocode.engine.team.runtime import MAX_SOCKET_PATH
from roocode.engine.team.wake import WakeSocket, discard_socket, poke, socket_path, wait_for_mail
from roocode.protocol.errors import HostError
from tests.engine.team.on_disk import status_mail, text_mail


@pytest.fixture
def box(tmp_path: Path) -> Mailbox:
    box = Mailbox(tmp_path / "bob")
    box.create()
    return box


@pytest.fixture
def runtime() -> Iterator[Path]:
    """A short directory, since the path of a socket has a limit."""
    with tempfile.TemporaryDirectory(prefix="rw-", dir="/tmp") as folder:
        yield Path(folder)


@pytest.fixture
def env(runtime: Path) -> dict[str, str]:
    return {"XDG_RUNTIME_DIR": str(runtime)}


@pytest.mark.asyncio
async def test_a_poke_wakes(box: Mailbox, env: dict[str, str]):
    socket_ = WakeSocket.open(box.directory, env)
    waiting = asyncio.create_task(socket_.wait(10))
    await asyncio.sleep(0)
    assert poke(socket_.path)
    assert await waiting
    assert not await socket_.wait(0.01)
    await socket_.close()


@pytest.mark.asyncio
async def test_only_this_user_can_reach_the_socket(box: Mailbox, env: dict[str, str]):
    """P30"""
    before = os.umask(0)
    try:
        socket_ = WakeSocket.open(box.directory, env)
    finally:
        os.umask(before)
    assert socket_.path.stat().st_mode & 0o777 == 0o600
    assert socket_.path.parent.stat().st_mode & 0o777 == 0o700
    await socket_.close()


@pytest.mark.asyncio
async def test_a_poke_before_the_wait_is_not_missed_and_many_count_once(box: Mailbox, env: dict[str, str]):
    socket_ = WakeSocket.open(box.directory, env)
    assert all(poke(socket_.path) for _ in range(100))
    assert await socket_.wait(10)
    assert not await socket_.wait(0.01)
    await socket_.close()


@pytest.mark.asyncio
async def test_a_poke_to_nobody_is_harmless(box: Mailbox, env: dict[str, str], tmp_path: Path):
    socket_ = WakeSocket.open(box.directory, env)
    await socket_.close()
    assert not socket_.path.exists()
    assert not poke(socket_.path)
    (tmp_path / "plain").write_text("")
    assert not poke(tmp_path / "plain")
    assert not poke("x" * 300)


@pytest.mark.asyncio
async def test_mail_that_came_before_the_wait_is_not_missed(box: Mailbox, env: dict[str, str]):
    box.deliver(text_mail("hello"))
    socket_ = WakeSocket.open(box.directory, env)
    assert await wait_for_mail(box, socket_, 0)
    await socket_.close()


@pytest.mark.asyncio
async def test_mail_and_a_poke_end_the_wait(box: Mailbox, env: dict[str, str]):
    socket_ = WakeSocket.open(box.directory, env)
    waiting = asyncio.create_task(wait_for_mail(box, socket_))
    await asyncio.sleep(0)
    Mailbox(box.directory).deliver(text_mail("hello"))
    poke(socket_.path)
    async with asyncio.timeout(10):
        assert await waiting
    await socket_.close()


@pytest.mark.asyncio
async def test_status_updates_and_empty_pokes_do_not_end_the_wait(box: Mailbox, env: dict[str, str]):
    socket_ = WakeSocket.open(box.directory, env)
    waiting = asyncio.create_task(wait_for_mail(box, socket_, 0.2))
    box.deliver(status_mail("task 1 is completed"))
    poke(socket_.path)
    assert not await waiting
    await socket_.close()


@pytest.mark.asyncio
async def test_mail_is_found_when_no_datagram_can_come(box: Mailbox, env: dict[str, str]):
    socket_ = WakeSocket.open(box.directory, env)
    socket_.path.unlink()
    waiting = asyncio.create_task(wait_for_mail(box, socket_, 30))
    await asyncio.sleep(0)
    box.deliver(text_mail("hello"))
    assert await waiting
    await socket_.close()


@pytest.mark.asyncio
async def test_the_file_system_wakes_when_no_datagram_can_come(box: Mailbox, env: dict[str, str]):
    socket_ = WakeSocket.open(box.directory, env)
    socket_.path.unlink()
    socket_.watch(box.new)
    waiting = asyncio.create_task(socket_.wait(30))
    number = 0
    while not waiting.done():
        box.deliver(text_mail(f"{number}"))
        number += 1
        await asyncio.wait({waiting}, timeout=0.05)
    assert waiting.result()
    await socket_.close()


@pytest.mark.asyncio
async def test_a_watch_on_a_directory_that_is_gone_is_no_harm(box: Mailbox, env: dict[str, str]):
    socket_ = WakeSocket.open(box.directory, env)
    socket_.watch(box.directory / "gone")
    assert not await socket_.wait(0.2)
    assert poke(socket_.path)
    assert await socket_.wait(10)
    await socket_.close()


@pytest.mark.asyncio
async def test_a_restarted_member_takes_the_place_of_a_killed_one(box: Mailbox, env: dict[str, str]):
    killed = WakeSocket.open(box.directory, env)
    restarted = WakeSocket.open(box.directory, env)
    assert restarted.path == killed.path
    await killed.close()
    assert poke(restarted.path)
    assert await restarted.wait(10)
    await restarted.close()


@pytest.mark.asyncio
async def test_a_cancelled_wait_loses_no_later_poke(box: Mailbox, env: dict[str, str]):
    socket_ = WakeSocket.open(box.directory, env)
    waiting = asyncio.create_task(socket_.wait())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait({waiting})
    assert poke(socket_.path)
    assert await socket_.wait(10)
    await socket_.close()


@pytest.mark.asyncio
async def test_the_directory_is_private(box: Mailbox):
    with tempfile.TemporaryDirectory(prefix="rw-", dir="/tmp") as short:
        socket_ = WakeSocket.open(box.directory, {"XDG_RUNTIME_DIR": short})
        assert socket_.path.parent == Path(short) / "roocode"
        assert socket_.path.parent.stat().st_mode & 0o777 == 0o700
        await socket_.close()


@pytest.mark.asyncio
async def test_a_directory_that_others_can_enter_or_that_is_a_link_is_refused(
    box: Mailbox, env: dict[str, str], tmp_path: Path
):
    directory = Path(env["XDG_RUNTIME_DIR"]) / "roocode"
    directory.mkdir()
    directory.chmod(0o755)
    with pytest.raises(HostError, match="not a private directory"):
        WakeSocket.open(box.directory, env)
    directory.rmdir()
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    directory.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(HostError, match="not a private directory"):
        WakeSocket.open(box.directory, env)


def test_a_path_fits_a_socket_address_wherever_the_runtime_directory_lies(box: Mailbox, tmp_path: Path):
    deep = tmp_path / ("x" * 100)
    deep.mkdir()
    fallback = Path(f"/tmp/roocode-{os.getuid()}")
    for runtime in (str(deep), "", "relative", str(tmp_path / "missing")):
        path = socket_path(box.directory, {"XDG_RUNTIME_DIR": runtime})
        assert path.parent == fallback
        assert len(os.fsencode(path)) <= MAX_SOCKET_PATH
    assert socket_path(box.directory, {}) != socket_path(tmp_path / "alice", {})


@pytest.mark.asyncio
async def test_what_a_killed_member_left_is_discarded_and_nothing_else(box: Mailbox, env: dict[str, str]):
    path = socket_path(box.directory, env)
    path.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as left:
        left.bind(str(path))
    discard_socket(box.directory, env)
    assert not path.exists()
    path.write_text("not a socket")
    discard_socket(box.directory, env)
    assert path.exists()
    path.unlink()
    discard_socket(box.directory, env)
