"""The ready handshake in real tmux panes: each step fails on purpose, is named, and leaves nothing behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from roocode.engine.team import handshake as handshakes
from roocode.engine.team.backends.backend import Launch
from roocode.engine.team.backends.tmux import TmuxBackend
from roocode.engine.team.handshake import Handshake
from roocode.engine.team.places import Places
from roocode.engine.team.ready import STEPS, NotReady
from roocode.engine.team.store.files import FileTeamStore
from roocode.protocol.team import Member
from roocode.security.sandbox.process import until
from tests.engine.team.on_disk import team_store
from tests.processes import end_processes_of, processes_of

REPOSITORY = Path(__file__).resolve().parents[3]


@dataclass
class Stage:
    """A team with alice on its roster, and tmux on a socket of its own."""

    base: Path
    store: FileTeamStore
    env: dict[str, str]

    async def prepare(self, member: Member, prompt: str, *, resumed: bool) -> Launch:
        hs = Handshake(team_dir=str(self.store.root), member=member.name, key="00", prompt=prompt)
        path = handshakes.write(hs, handshakes.directory(self.store.root, self.env))
        module = ("-P", "-m", "tests.engine.team.stops_after", *self.stop)
        argv = (sys.executable, *module, str(self.store.root), member.name, str(path))
        return Launch(member.name, argv, self.base, path, {"PYTHONPATH": str(REPOSITORY)})

    stop: tuple[str, str] = ("sign of life", "hang")

    def places(self, *, ready_within_s: float, path: str | None = None) -> Places:
        env = {**self.env, "PATH": path if path is not None else self.env["PATH"]}
        backend = TmuxBackend(env, "roocode-crew-test")
        return Places(self.store, backend, self, logs=self.store.root / "logs", ready_within_s=ready_within_s)

    def alice(self) -> Member:
        member = self.store.team().member("alice")
        assert member is not None
        return member

    def tmux(self, *arguments: str) -> bytes:
        """What a command to the server answers; nothing where there is none."""
        command = ["tmux", "-L", "roocode", *arguments]
        return subprocess.run(command, env=self.env, capture_output=True, check=False).stdout

    def left_overs(self) -> dict[str, object]:
        """All that a failed start must not leave; a tmux server without panes is about to end."""
        running = processes_of(self.base)
        return {
            "panes": self.tmux("list-panes", "-a"),
            "processes": {pid: line for pid, line in running.items() if "tmux " not in line},
            "handshakes": list(handshakes.directory(self.store.root, self.env).iterdir()),
            "lock": self.store.member_lock("alice").is_held(),
        }


NOTHING = {"panes": b"", "processes": {}, "handshakes": [], "lock": False}


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    base = Path(tempfile.mkdtemp(prefix="rr-", dir="/tmp"))
    env = {"PATH": os.environ["PATH"], "TMUX_TMPDIR": str(base), "XDG_RUNTIME_DIR": str(base)}
    monkeypatch.setenv("TMUX_TMPDIR", str(base))
    try:
        yield Stage(base, team_store(base, "alice"), env)
    finally:
        end_processes_of(base)
        shutil.rmtree(base, ignore_errors=True)


async def fails(stage: Stage, places: Places) -> NotReady:
    with pytest.raises(NotReady) as failure:
        await places.start(stage.alice(), "Go.")
    assert stage.left_overs() == NOTHING
    assert places.taken == frozenset()
    alice = stage.alice()
    assert (alice.is_active, alice.pane_id) == (False, None)
    kinds = [record.kind for record in stage.store.events()]
    assert kinds == ["spawned", "died"]
    assert f"step {failure.value.step!r}" in stage.store.events()[-1].detail["reason"]
    return failure.value


@pytest.mark.parametrize("end", ["exit", "hang"])
@pytest.mark.parametrize("missing", STEPS[1:])
@pytest.mark.asyncio
async def test_a_step_that_is_not_reached_is_named(stage: Stage, missing: str, end: str):
    reached = STEPS[STEPS.index(missing) - 1]
    stage.stop = (reached, end)
    failure = await fails(stage, stage.places(ready_within_s=2.5 if end == "hang" else 20))
    assert failure.step == missing
    assert ("it has ended" if end == "exit" else "waited 2 s") in failure.what
    assert failure.what.endswith(f"{reached} was reached")


@pytest.mark.asyncio
async def test_a_pane_that_cannot_be_opened_is_named(stage: Stage):
    failure = await fails(stage, stage.places(ready_within_s=20, path=""))
    assert failure.step == "pane"
    assert "there is no tmux program install tmux, or use --backend in-process" in failure.what
    assert failure.what.endswith("Its log is empty.")


@pytest.mark.asyncio
async def test_one_that_takes_all_steps_is_ready_and_its_end_closes_the_pane(stage: Stage):
    places = stage.places(ready_within_s=20)
    await places.start(stage.alice(), "Go.")
    assert places.taken == {"alice"}
    assert places.lives("alice")
    alice = stage.alice()
    assert alice.pane_id is not None
    assert (alice.is_active, alice.backend_type) == (True, "tmux")
    assert [record.kind for record in stage.store.events()] == ["spawned", "ready"]
    await places.start(alice, "Again.")
    assert [record.kind for record in stage.store.events()] == ["spawned", "ready"]
    await places.end("alice")
    assert stage.left_overs() == NOTHING


@pytest.mark.asyncio
async def test_a_report_of_an_earlier_life_is_no_sign_of_this_one(stage: Stage):
    places = stage.places(ready_within_s=20)
    await places.start(stage.alice(), "Go.")
    await places.end("alice")
    stage.stop = ("lock", "hang")
    with pytest.raises(NotReady) as failure:
        await stage.places(ready_within_s=2).start(stage.alice(), "Go.", resumed=True)
    assert failure.value.step == "inbox"
    assert stage.left_overs() == NOTHING


@pytest.mark.asyncio
async def test_a_pane_that_outlived_its_process_is_no_hindrance_and_goes_too(stage: Stage):
    """tmux keeps one when it is told to, and at times when it misses that the process has ended."""
    places = stage.places(ready_within_s=20)
    await places.start(stage.alice(), "Go.")
    stage.tmux("set-option", "-g", "remain-on-exit", "on")
    pid = stage.store.member_lock("alice").holder()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert await until(lambda: not places.lives("alice"), 5)
    await places.start(stage.alice(), "Go.", resumed=True)
    assert len(stage.tmux("list-panes", "-a").splitlines()) == 2
    assert stage.store.member_lock("alice").holder() not in (None, pid)
    await places.end("alice")
    assert stage.left_overs() == NOTHING


@pytest.mark.asyncio
async def test_panes_of_two_teams_of_one_name_are_not_mixed_up(stage: Stage, tmp_path: Path):
    """The tag names the session, which is that of one team in one repository."""
    places = stage.places(ready_within_s=20)
    await places.start(stage.alice(), "Go.")
    stranger = TmuxBackend(stage.env, "roocode-crew-other")
    assert not await stranger.is_there("alice")
    await stranger.end("alice")
    await stranger.close()
    assert places.lives("alice")
    await places.end("alice")
