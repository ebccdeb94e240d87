"""Measures of a team on the tmux backend: spawning, waking by mail, waiting, and what the prompts keep."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from benchmarks.errors import NotMeasured
from benchmarks.processes import cpu_s
from benchmarks.workbench import Agent, Samples, Workbench, shares
from roocode.engine.team.post import TeamPost
from roocode.engine.team.standing import member_states
from roocode.engine.team.store.event_log import Record
from roocode.engine.team.store.files import FileTeamStore
from roocode.protocol.team import LEAD
from roocode.scripted.server import ScriptedServer

TEAM = "bench"
BUSY = "anchor"
LOOK_S = 0.01
QUIET_S = 0.2
SPIN_S = 0.0001
WITHIN_S = 60.0


def team(bench: Workbench, members: int, messages: int, watch_s: float) -> Mapping[str, Samples]:
    """Runs one team: `members` that answer and wait, and one that is kept busy, so that the lead parks.

    Gives seconds from Agent calls to first requests, milliseconds from a message in the first member's inbox
    to the same in its transcript (`messages` of them, one by one), and the CPU in percent of each that waits,
    over `watch_s` seconds.
    """
    if shutil.which("tmux") is None:
        raise NotMeasured("tmux is not installed")
    names = [f"m{number}" for number in range(1, members + 1)]
    with bench.model(_scenario(names)) as server, _running(bench, server, members + 1) as store:
        _until_waiting(store, names)
        spawns = [_spawn_s(server, number, name) for number, name in enumerate((BUSY, *names), 1)]
        mail = [_message_ms(store.root, names[0]) for _ in range(messages)]
        idle = _idle_percent(store, names, watch_s)
    return {
        "spawn": Samples(spawns),
        "message": Samples(mail),
        "idle": Samples(idle),
        "prefix": Samples(shares(server.log)),
    }


@contextmanager
def _running(bench: Workbench, server: ScriptedServer, members: int) -> Iterator[FileTeamStore]:
    lead = bench.roocode(
        server.url, "team", "Answer messages.", "-p", "--name", TEAM, "--backend", "tmux",
        "--model", "anthropic/scripted", "--max-teammates", str(members), "--output-format", "json",
    )  # fmt: skip
    try:
        yield FileTeamStore(bench.repository / ".roocode" / "teams" / TEAM)
    finally:
        _end(bench, server, lead)


def _end(bench: Workbench, server: ScriptedServer, lead: Agent) -> None:
    lead.process.send_signal(signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        lead.process.communicate(timeout=WITHIN_S)
    lead.process.kill()
    kill = ["tmux", "-L", "roocode", "kill-server"]
    subprocess.run(kill, env=bench.env(server.url), capture_output=True, check=False)


def _scenario(names: list[str]) -> Mapping[str, Any]:
    create = {"tool": "TaskCreate", "input": {"subject": "Stay", "description": "Keep the team together."}}
    claim = {"tool": "TaskUpdate", "input": {"taskId": "{{ task('Stay') }}", "status": "in_progress"}}
    busy = {"wait": {"until": {"all_tasks": "completed"}, "timeout_s": 600}, "text": "It is over."}
    waiting = {"always": True, "text": "Heard ({{ turn }})."}
    return {
        LEAD: [
            {"calls": [create]},
            *({"calls": [_agent_call(name)]} for name in (BUSY, *names)),
            {"always": True, "text": "Noted ({{ turn }})."},
        ],
        BUSY: [{"calls": [claim]}, busy],
        **{name: [waiting] for name in names},
    }


def _agent_call(name: str) -> Mapping[str, Any]:
    given = {"name": name, "team_name": TEAM, "description": "Waits", "prompt": "Answer what you are asked."}
    return {"tool": "Agent", "input": given}


def _spawn_s(server: ScriptedServer, call: int, name: str) -> float:
    """From the end of the lead's answer number `call`, which calls Agent, to the member's first request."""
    called = [record for record in server.log if record.sender.agent == LEAD][call]
    first = next(record for record in server.log if record.sender.agent == name)
    return first.received - (called.last_byte or 0)


def _message_ms(root: Path, name: str) -> float:
    """From the moment a message is in the inbox to the one it is in the receiver's transcript."""
    store, transcript = _Clocked(root), root / "transcripts" / f"{name}.jsonl"
    _until_waiting(store, [name])
    before, read = transcript.stat().st_size, list[float]()

    def watch() -> None:
        while not store.written:
            time.sleep(SPIN_S)
        while transcript.stat().st_size == before:
            time.sleep(SPIN_S)
        read.append(time.monotonic())

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    asyncio.run(TeamPost(store, LEAD).send(name, "A question", "How far are you?"))
    watcher.join(WITHIN_S)
    if not read:
        raise NotMeasured(f"{name} did not read its mail")
    return (read[0] - store.written) * 1000


class _Clocked(FileTeamStore):
    """Notes in `written` when a message was in its inbox: the post records that before it wakes anyone."""

    written = 0.0

    def record(self, kind: str, member: str, detail: Mapping[str, Any]) -> Record:
        if kind == "message_written":
            self.written = time.monotonic()
        return super().record(kind, member, detail)


def _idle_percent(store: FileTeamStore, names: list[str], watch_s: float) -> list[float]:
    _until_waiting(store, names)
    pids = [report.pid for name in names if (report := store.report(name)) is not None]
    before, began = [cpu_s(pid) for pid in pids], time.monotonic()
    time.sleep(watch_s)
    took = time.monotonic() - began
    return [(cpu_s(pid) - used) / took * 100 for pid, used in zip(pids, before, strict=True)]


def _until_waiting(store: FileTeamStore, names: list[str]) -> None:
    """Returns when these members wait, all mail is read, and nothing has changed for a while."""
    ends, quiet_since = time.monotonic() + WITHIN_S, 0.0
    while (now := time.monotonic()) < ends:
        if not (store.exists() and _wait(store, names)):
            quiet_since = 0.0
        elif not quiet_since:
            quiet_since = now
        elif now - quiet_since > QUIET_S:
            return
        time.sleep(LOOK_S)
    raise NotMeasured(f"{', '.join(names)} did not become idle in {WITHIN_S:g} s")


def _wait(store: FileTeamStore, names: list[str]) -> bool:
    states = member_states(store)
    if any(states.get(name) != "idle" for name in names):
        return False
    return not any(os.listdir(store.inbox(name).new) for name in (LEAD, *names))
