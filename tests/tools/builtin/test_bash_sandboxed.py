"""Bash in the operating system's sandbox: what the model is told, and what a decision opens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from roocode.protocol.decisions import Decision, Layer
from roocode.security.sandbox.descendants import alive
from roocode.security.sandbox.process import until
from tests.processes import outer_pid
from tests.security.sandbox.boxes import needs_bubblewrap
from tests.tools.conftest import Bench

pytestmark = [pytest.mark.asyncio, needs_bubblewrap]
DEAF = "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", 9))'"


@pytest_asyncio.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    (tmp_path / "project").mkdir()
    (tmp_path / "scratch").mkdir()
    tools = Bench(tmp_path / "project", tmp_path / "scratch", sandboxed=True)
    yield tools
    await tools.shells.close()


@pytest.mark.parametrize(("layer", "network"), [("mode", False), ("rules", True), ("person", True)])
async def test_a_rule_or_a_person_opens_the_network_and_the_mode_does_not(
    bench: Bench, layer: Layer, network: bool
) -> None:
    bench.decision = Decision("allow", layer, "for this test")
    devices = await bench.text("Bash", command="readlink /proc/self/ns/net")
    own = Path("/proc/self/ns/net").readlink()
    assert (devices == str(own)) == network


async def test_a_failure_for_want_of_a_network_says_what_opens_it(bench: Bench) -> None:
    said = await bench.error("Bash", command=DEAF)
    assert "[the command ran without network" in said
    assert "an allow rule for it, opens the network]" in said
    bench.decision = Decision("allow", "person", "approved once")
    assert "without network" not in await bench.error("Bash", command=DEAF)


async def test_a_failure_for_a_read_only_place_says_so(bench: Bench) -> None:
    said = await bench.error("Bash", command="touch /etc/roocode-test")
    assert "[the command may write in your directories and /tmp alone. A person's yes to it" in said
    assert "the command" not in await bench.error("Bash", command="echo no; exit 3")
    assert "the command" not in await bench.text("Bash", command="touch /etc/roocode-test || true")
    bench.decision = Decision("allow", "rules", "for this test")
    said = await bench.error("Bash", command="touch /etc/roocode-test")
    assert "[the sandbox lets commands write in your directories, /tmp and tools' caches alone]" in said


async def test_what_appears_at_a_protected_name_is_told(bench: Bench) -> None:
    said = await bench.text("Bash", command="mkdir .roocode")
    assert f"[{bench.root}/.roocode is protected, was not there before" in said
    assert "protected" not in await bench.text("Bash", command="true")


async def test_the_directory_stays_and_background_shells_work(bench: Bench) -> None:
    assert "now in" in await bench.text("Bash", command="mkdir sub && cd sub")
    assert await bench.text("Bash", command="pwd") == f"{bench.root}/sub"
    script = "echo one; while [ ! -e go ]; do sleep 0.01; done; echo two; exit 5"
    assert "as b1" in await bench.text("Bash", command=script, run_in_background=True)
    job = bench.shells.background["b1"]
    assert await until(lambda: job.size > 0, 10)
    assert await bench.text("BashOutput", id="b1") == "one\n[b1 running]"
    await bench.text("Bash", command="touch go")
    assert await until(lambda: job.ended is not None, 10)
    assert await bench.text("BashOutput", id="b1") == "two\n[b1 ended: exit, exit code 5]"


async def test_a_background_shell_is_killed_with_its_children(bench: Bench) -> None:
    await bench.text("Bash", command="setsid sleep 61 & echo $!; wait", run_in_background=True)
    job = bench.shells.background["b1"]
    assert await until(lambda: job.size > 0, 10)
    child = outer_pid(int(job.output.read_text()), bench.root)
    assert await bench.text("KillShell", id="b1") == "b1 was ended with all that it started."
    assert not alive(child)


async def test_a_timeout_and_a_cancel_end_what_runs(bench: Bench) -> None:
    outcome = await bench.call("Bash", command="echo partial; setsid sleep 61 & sleep 61", timeout=300)
    assert outcome.content == "partial\n[timed out after 300 ms; all that the command started was ended]"
    note = bench.root / "note"
    call = asyncio.create_task(bench.call("Bash", command="echo $$ >n; mv n note; sleep 61"))
    assert await until(note.exists, 10)
    shell = outer_pid(int(note.read_text()), bench.root)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert not alive(shell)


async def test_processes_that_stay_are_named_as_commands_see_them(bench: Bench) -> None:
    said = await bench.text(
        "Bash", command="sleep 61 & until grep -q sleep /proc/$!/cmdline; do :; done; echo $!"
    )
    number = said.split()[0]
    assert f"[still running: {number} sleep 61;" in said
    assert "still running" not in await bench.text("Bash", command=f"kill {number}")
