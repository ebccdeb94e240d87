"""Programs without a shell: output, limits, and the end of whole groups."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from roocode.protocol.errors import HostError
from roocode.security.sandbox.descendants import MOST_SESSIONS, children, group_alive, started
from roocode.security.sandbox.process import find_program, run, spawn, until
from tests.processes import processes_of

ENV = {"PATH": os.environ["PATH"]}


@pytest.mark.asyncio
async def test_output_error_and_exit_code_are_told_apart(tmp_path: Path) -> None:
    done = await run(["sh", "-c", "printf out; printf err >&2; exit 7"], cwd=tmp_path, env=ENV)
    assert (done.code, done.out, done.err) == (7, b"out", b"err")
    assert not done.timed_out
    assert not done.truncated


@pytest.mark.asyncio
async def test_it_runs_in_its_directory_with_its_environment_alone(tmp_path: Path) -> None:
    done = await run(["sh", "-c", "pwd; echo $ROO; echo $HOME"], cwd=tmp_path, env={**ENV, "ROO": "x y"})
    assert done.out.decode().splitlines() == [str(tmp_path), "x y", ""]


@pytest.mark.asyncio
async def test_standard_input_is_what_was_given_or_empty(tmp_path: Path) -> None:
    big = os.urandom(300_000)
    assert (await run(["cat"], cwd=tmp_path, env=ENV, stdin=big)).out == big
    assert (await run(["cat"], cwd=tmp_path, env=ENV)).out == b""


@pytest.mark.asyncio
async def test_a_program_that_does_not_read_its_input_is_no_error(tmp_path: Path) -> None:
    done = await run(["true"], cwd=tmp_path, env=ENV, stdin=b"x" * 1_000_000)
    assert done.code == 0


@pytest.mark.asyncio
async def test_a_missing_program_or_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(HostError, match="no-such-program"):
        await run(["no-such-program"], cwd=tmp_path, env=ENV)
    with pytest.raises(HostError, match="gone"):
        await run(["true"], cwd=tmp_path / "gone", env=ENV)


@pytest.mark.asyncio
async def test_a_signal_shows_as_a_negative_code(tmp_path: Path) -> None:
    done = await run(["sh", "-c", "kill -9 $$"], cwd=tmp_path, env=ENV)
    assert done.code == -signal.SIGKILL


@pytest.mark.asyncio
async def test_a_timeout_keeps_the_output_and_ends_the_group(tmp_path: Path) -> None:
    done = await run(["sh", "-c", "echo $$; sleep 60 & sleep 60"], cwd=tmp_path, env=ENV, timeout_s=0.2)
    assert done.timed_out
    assert not group_alive(int(done.out))


@pytest.mark.asyncio
async def test_who_ignores_term_is_killed(tmp_path: Path) -> None:
    line = "trap '' TERM; echo $$; while :; do sleep 60; done"
    done = await run(["sh", "-c", line], cwd=tmp_path, env=ENV, timeout_s=0.2)
    assert done.timed_out
    assert done.code == -signal.SIGKILL
    assert not group_alive(int(done.out))


@pytest.mark.asyncio
async def test_endless_output_is_cut_at_the_limit(tmp_path: Path) -> None:
    done = await run(["yes"], cwd=tmp_path, env=ENV, limit=100_000)
    assert done.truncated
    assert len(done.out) == 100_000


@pytest.mark.asyncio
async def test_a_child_that_keeps_the_pipe_is_not_waited_for(tmp_path: Path) -> None:
    done = await run(["sh", "-c", "sleep 60 & echo $!"], cwd=tmp_path, env=ENV, timeout_s=30)
    assert not done.timed_out
    os.kill(int(done.out), signal.SIGKILL)


@pytest.mark.asyncio
async def test_a_cancel_ends_the_group(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    line = f"sleep 60 & echo $$ > {note}.tmp; mv {note}.tmp {note}; wait"
    task = asyncio.create_task(run(["sh", "-c", line], cwd=tmp_path, env=ENV))
    assert await until(note.exists, 10)
    group = int(note.read_text())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not group_alive(group)
    assert group not in started.pids


@pytest.mark.asyncio
@pytest.mark.parametrize("rounds", range(12))
async def test_a_cancel_at_any_moment_of_the_start_comes_back(tmp_path: Path, rounds: int) -> None:
    line, env = "exec 3<&0; sleep 60", {**ENV, "MARK": str(tmp_path)}
    task = asyncio.create_task(run(["sh", "-c", line], cwd=tmp_path, env=env, stdin=b""))
    for _ in range(rounds):
        await asyncio.sleep(0)
    task.cancel()
    done, _ = await asyncio.wait([task], timeout=20)
    assert done == {task}
    assert task.cancelled()
    assert await until(lambda: not processes_of(tmp_path), 20)


@pytest.mark.asyncio
@pytest.mark.parametrize("rounds", range(6))
async def test_a_child_whose_start_was_cancelled_is_never_a_reapers(tmp_path: Path, rounds: int) -> None:
    before = children()
    task = asyncio.create_task(run(["sleep", "60"], cwd=tmp_path, env=ENV, stdin=b""))
    for _ in range(rounds):
        await asyncio.sleep(0)
    task.cancel()
    unknown: set[int] = set()
    while not task.done():
        await asyncio.sleep(0)
        unknown |= set() if started.pending else children() - before - started.pids
    assert not unknown
    assert await until(lambda: children() <= before, 10)
    assert not started.pending


@pytest.mark.asyncio
async def test_each_leads_a_session_without_a_terminal(tmp_path: Path) -> None:
    done = await run(["sh", "-c", "ps -o sid=,tty= -p $$; echo $$"], cwd=tmp_path, env=ENV)
    session, terminal, pid = done.out.decode().split()
    assert session == pid
    assert terminal == "?"


def test_a_program_is_never_taken_from_the_project(tmp_path: Path) -> None:
    project, system = tmp_path / "project", tmp_path / "system"
    for folder in (project / "bin", system):
        folder.mkdir(parents=True)
        (folder / "tool").write_text("#!/bin/sh\n")
        (folder / "tool").chmod(0o755)
    env = {"PATH": f"{project}/bin:bin:.:{system}"}
    assert find_program("tool", env, outside=project) == str(system / "tool")
    assert find_program("tool", {"PATH": f"{project}/bin:."}, outside=project) is None
    (tmp_path / "link").symlink_to(project / "bin")
    assert find_program("tool", {"PATH": f"{tmp_path}/link"}, outside=project) is None


@pytest.mark.asyncio
async def test_sessions_in_which_nothing_is_any_more_are_forgotten(tmp_path: Path) -> None:
    """Their numbers are used again, and an orphan with one of them would pass for a process that is known."""
    left = await spawn(
        ["sh", "-c", "sleep 60 & exit 0"], cwd=tmp_path, env=ENV, output=asyncio.subprocess.DEVNULL
    )
    await left.exited
    try:
        for _ in range(MOST_SESSIONS + 1):
            await run(["true"], cwd=tmp_path, env=ENV)
        assert left.pid in started.sessions
        assert len(started.sessions) <= MOST_SESSIONS + 1
    finally:
        os.killpg(left.pid, signal.SIGKILL)
        left.release()
