"""Shell lines: exactly what was judged runs, and nothing of it survives its limits or its agent."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from roocode.protocol.errors import HostError
from roocode.security.sandbox.descendants import alive, children, look_up
from roocode.security.sandbox.job import Job
from roocode.security.sandbox.process import run, until
from roocode.security.sandbox.shell import LIMITS, Shells
from tests.processes import outer_pid
from tests.security.sandbox.boxes import confined, needs_bubblewrap

ENV = {"PATH": os.environ["PATH"], "HOME": "/nowhere"}
QUICK = replace(LIMITS, grace_s=0.3)
DOUBLE_FORK = (
    "python3 -c \"import os; os.fork() or (os.setsid(), os.fork() or os.execlp('sleep', 'sleep', '61'))\""
)


@pytest_asyncio.fixture(params=["plain", pytest.param("sandboxed", marks=needs_bubblewrap)])
async def shells(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Shells]:
    confinement = confined(tmp_path, ENV) if request.param == "sandboxed" else None
    running = Shells(ENV, spool=tmp_path / "spool", limits=QUICK, confinement=confinement)
    yield running
    await running.close()


async def finished(shells: Shells, command: str, cwd: Path, timeout_s: float = 20.0) -> Job:
    job = await shells.start(command, cwd=cwd)
    await job.wait(timeout_s)
    return job


def zombies() -> set[int]:
    return {pid for pid in children() if (entry := look_up(pid)) and entry.zombie}


@pytest.mark.asyncio
async def test_output_exit_code_and_directory(shells: Shells, tmp_path: Path) -> None:
    job = await finished(shells, "pwd; echo err >&2; exit 3", tmp_path)
    assert job.output.read_text() == f"{tmp_path}\nerr\n"
    assert job.ended is not None
    assert (job.ended.code, job.ended.why) == (3, "exit")
    assert job.leftovers() == ()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "line",
    [
        "-x",
        "echo 'a\nb'; echo \"$'c'\"",
        "cat <<'E'\n$HOME `id` \\\nE",
        "echo $0 $# $BASH_EXECUTION_STRING",
        "echo 'é→' #",
    ],
)
async def test_bash_gets_the_very_text(shells: Shells, tmp_path: Path, line: str) -> None:
    job = await finished(shells, line + '\nprintf %s "$BASH_EXECUTION_STRING" > executed', tmp_path)
    assert job.ended is not None
    assert (tmp_path / "executed").read_text() == line + '\nprintf %s "$BASH_EXECUTION_STRING" > executed'


@pytest.mark.asyncio
async def test_no_start_up_file_and_no_input(shells: Shells, tmp_path: Path) -> None:
    (tmp_path / ".bashrc").write_text("echo from bashrc")
    traps = Shells({**ENV, "HOME": str(tmp_path), "BASH_ENV": ""}, spool=tmp_path / "other", limits=QUICK)
    job = await finished(
        traps, 'cat; tty; read x || echo no input; cd .; echo "[$BASH_ENV]"; trap -p EXIT | wc -l', tmp_path
    )
    assert job.output.read_text().split("\n")[:3] == ["not a tty", "no input", "[]"]
    await traps.close()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("line", "last"),
    [
        ("cd sub", "sub"),
        ("cd sub && cd deeper && false", "sub/deeper"),
        ("(cd sub)", ""),
        ("pushd sub >/dev/null; exit 4", "sub"),
        ("mkdir 'o dd'; cd 'o dd'; set -C", "o dd"),
        ("cd -P link", "sub"),
        ("cd link", "sub"),
    ],
)
async def test_the_last_directory_is_told(shells: Shells, tmp_path: Path, line: str, last: str) -> None:
    (tmp_path / "sub/deeper").mkdir(parents=True)
    (tmp_path / "link").symlink_to("sub")
    job = await finished(shells, line, tmp_path)
    assert job.final_cwd == tmp_path / last


@pytest.mark.asyncio
async def test_a_line_that_cannot_move_tells_nothing(shells: Shells, tmp_path: Path) -> None:
    assert (await finished(shells, "echo", tmp_path)).final_cwd is None
    assert (await finished(shells, "cd sub; exec true", tmp_path)).final_cwd is None


@pytest.mark.asyncio
async def test_an_endless_writer_before_head_ends(shells: Shells, tmp_path: Path) -> None:
    job = await finished(shells, "yes | head -2", tmp_path)
    assert job.output.read_bytes() == b"y\ny\n"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "line", ["yes", "cat /dev/zero", "yes & disown; sleep 60", "head -c 3000000 /dev/urandom; sleep 60"]
)
async def test_too_much_output_ends_the_line(tmp_path: Path, line: str) -> None:
    shells = Shells(ENV, spool=tmp_path, limits=replace(QUICK, output=2_000_000))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    job = await finished(shells, line, tmp_path)
    assert job.ended is not None
    assert job.ended.why == "flood"
    assert await until(lambda: job.size == 2_000_000, 10)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024
    await shells.close()


@pytest.mark.asyncio
async def test_what_is_left_in_the_background_may_not_flood_either(tmp_path: Path) -> None:
    shells = Shells(ENV, spool=tmp_path, limits=replace(QUICK, output=1_000_000))
    job = await finished(shells, "(sleep 0.1; yes) & echo started", tmp_path)
    assert job.ended is not None
    assert job.ended.why == "exit"
    assert await until(lambda: not any(alive(left.pid) for left in job.leftovers()), 10)
    assert job.size == 1_000_000
    await shells.close()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "line", ["sleep 60", "yes > /dev/null", "trap '' TERM; while :; do sleep 60; done", "setsid -w sleep 60"]
)
async def test_a_timeout_ends_everything(shells: Shells, tmp_path: Path, line: str) -> None:
    job = await finished(
        shells, f"echo partial; sleep 60 & setsid sleep 60 & {line}", tmp_path, timeout_s=0.3
    )
    assert job.ended is not None
    assert job.ended.why == "timeout"
    assert job.output.read_text() == "partial\n"
    assert job.leftovers() == ()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "line",
    [
        "sleep 61 &",
        "(yes >/dev/null &)",
        "setsid sleep 61 &",
        "nohup sleep 61 >/dev/null &",
        DOUBLE_FORK,
        "env -i sleep 61 & disown",
    ],
)
async def test_background_children_are_not_waited_for_but_named(
    shells: Shells, tmp_path: Path, line: str
) -> None:
    job = await finished(shells, line, tmp_path)
    assert job.ended is not None
    assert job.ended.why == "exit"
    left = job.leftovers()
    assert left
    assert all(alive(process.pid) for process in left)
    await shells.close()
    assert not any(alive(process.pid) for process in left)
    assert not {process.pid for process in left} & zombies()


@pytest.mark.asyncio
async def test_dead_orphans_do_not_stay_in_the_process_table(shells: Shells, tmp_path: Path) -> None:
    script = "import subprocess as s; [s.Popen(['true'], start_new_session=i % 2) for i in range(6)]"
    others = zombies()
    job = await finished(shells, f'python3 -c "{script}"', tmp_path)
    assert await until(lambda: not job.leftovers() and zombies() <= others, 10)


@pytest.mark.asyncio
async def test_a_cancel_ends_everything(shells: Shells, tmp_path: Path) -> None:
    note = tmp_path / "pids"
    job = await shells.start(
        f"cd .; setsid env IN={tmp_path} sleep 60 & echo $! >{note}.tmp; mv {note}.tmp {note}; sleep 60",
        cwd=tmp_path,
    )
    waiting = asyncio.create_task(job.wait(60))
    assert await until(note.exists, 10)
    stray = outer_pid(int(note.read_text()), tmp_path)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await until(lambda: job.ended is not None, 10)
    assert job.ended is not None
    assert job.ended.why == "killed"
    assert not alive(stray)


@pytest.mark.asyncio
async def test_a_second_cancel_kills_at_once(tmp_path: Path) -> None:
    shells = Shells(ENV, spool=tmp_path, limits=replace(LIMITS, grace_s=30))
    job = await shells.start("trap '' TERM; echo ready; while :; do sleep 60; done", cwd=tmp_path)
    waiting = asyncio.create_task(job.wait(60))
    await asyncio.sleep(0)
    assert await until(lambda: job.size > 0, 10)
    waiting.cancel()
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await until(lambda: job.ended is not None, 5)
    assert job.ended is not None
    assert job.ended.code == -signal.SIGKILL
    await shells.close()


@pytest.mark.asyncio
async def test_background_jobs_have_ids_and_a_limit(tmp_path: Path) -> None:
    shells = Shells(ENV, spool=tmp_path, limits=replace(QUICK, life_s=0.3))
    first = await shells.start("sleep 60", cwd=tmp_path, background=True)
    await finished(shells, "true", tmp_path)
    second = await shells.start("echo hi", cwd=tmp_path, background=True)
    assert (first.id, second.id) == ("b1", "b2")
    assert shells.background == {"b1": first, "b2": second}
    assert await until(lambda: first.ended is not None and second.ended is not None, 10)
    assert first.ended is not None
    assert first.ended.why == "timeout"
    await shells.close()


@pytest.mark.asyncio
async def test_two_agents_in_one_process_end_only_their_own(shells: Shells, tmp_path: Path) -> None:
    mine = await shells.start("sleep 60", cwd=tmp_path)
    theirs = Shells(ENV, spool=tmp_path / "theirs", limits=QUICK)
    await finished(theirs, "sleep 60 & true", tmp_path)
    await theirs.close()
    assert mine.ended is None
    assert alive(mine.group)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "line", ["sleep 61 &", "setsid sleep 61 &", "(setsid sh -c 'sleep 61 & wait' &)", "env -i sleep 61 &"]
)
async def test_the_end_of_one_line_spares_what_another_left(
    shells: Shells, tmp_path: Path, line: str
) -> None:
    first = await shells.start("sleep 61", cwd=tmp_path, background=True)
    second = await finished(shells, line, tmp_path)
    await first.end()
    left = second.leftovers()
    assert left
    assert all(alive(process.pid) for process in left)


@pytest.mark.asyncio
async def test_output_is_private_and_a_temporary_spool_goes(tmp_path: Path) -> None:
    shells = Shells(ENV, limits=QUICK)
    job = await finished(shells, "umask; echo x", tmp_path)
    assert job.output.stat().st_mode & 0o777 == 0o600
    assert job.output.parent.stat().st_mode & 0o777 == 0o700
    await shells.close()
    assert not job.output.parent.exists()


@pytest.mark.asyncio
async def test_a_directory_that_is_gone_is_named(shells: Shells, tmp_path: Path) -> None:
    with pytest.raises(HostError, match="gone"):
        await shells.start("true", cwd=tmp_path / "gone")


@pytest.mark.asyncio
async def test_exit_codes_are_never_lost_to_the_reaping_of_orphans(shells: Shells, tmp_path: Path) -> None:
    async def through_bash(code: int) -> int | None:
        job = await finished(shells, f"(sleep 0.01 &); exit {code}", tmp_path)
        return job.ended.code if job.ended else None

    async def directly(code: int) -> int:
        return (await run(["sh", "-c", f"exit {code}"], cwd=tmp_path, env=ENV)).code

    codes = await asyncio.gather(*(call(n) for n in range(1, 40) for call in (through_bash, directly)))
    assert codes == [n for n in range(1, 40) for _ in range(2)]
