"""Measures of single agents: their start, their turns, eight of them at once."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.errors import NotMeasured
from benchmarks.processes import PeakMemory
from benchmarks.workbench import FILES, Agent, Samples, Workbench, file_name, gaps_ms, shares
from roocode.scripted.prefix import common
from roocode.scripted.server import ScriptedServer

BARE = Path(__file__).with_name("bare_client.py")
TOGETHER = 8
TAIL = 20
FORK = "copy"


def start(bench: Workbench, runs: int) -> Mapping[str, Samples]:
    """Seconds from the start of the process to the head of its first request."""
    ours, bare = [], []
    for _ in range(runs):
        for starter, found in ((_ours, ours), (_bare, bare)):
            with bench.model({"main": [{"text": "All is done."}]}) as server:
                agent = starter(bench, server)
                agent.finish()
            found.append(server.log[0].received - agent.began)
    return {"start": Samples(ours, bare)}


def turns(bench: Workbench, count: int, runs: int) -> Mapping[str, Samples]:
    """Milliseconds from the end of an answer to the next request, for the last TAIL of `count` tool turns."""
    ours, bare, kept = [], [], []
    for _ in range(runs):
        for starter, found in ((_ours, ours), (_bare, bare)):
            with bench.model(_reads(count)) as server:
                starter(bench, server).finish()
            _require(server, count + 1)
            found += gaps_ms(server.log)[-TAIL:]
            kept += shares(server.log) if starter is _ours else []
    return {f"turn{count}": Samples(ours, bare), "prefix": Samples(kept)}


def fork(bench: Workbench, runs: int) -> Mapping[str, Samples]:
    """How much of what an agent last sent stands at the head of its fork's first request, in percent."""
    kept = []
    for _ in range(runs):
        with bench.model(_forking()) as server:
            _ours(bench, server).finish()
        parent, child = (
            [record for record in server.log if record.sender.agent == name] for name in ("main", FORK)
        )
        if not child or len(parent) <= TAIL:
            raise NotMeasured(f"{len(server.log)} requests came: the fork did not begin")
        before = parent[TAIL].prompt
        kept.append(common(before, child[0].prompt) / len(before) * 100)
    return {"prefix": Samples(kept)}


def eight(bench: Workbench, runs: int) -> Mapping[str, Samples]:
    """Seconds until TOGETHER agents with TAIL turns each are done, and the peak of their memory in MB."""
    walls, peaks = [], []
    for _ in range(runs):
        with bench.model(_reads(TAIL)) as server:
            agents = [_ours(bench, server) for _ in range(TOGETHER)]
            with PeakMemory([agent.process.pid for agent in agents]) as memory:
                walls.append(max([agent.finish() for agent in agents]))
        _require(server, TOGETHER * (TAIL + 1))
        peaks.append(memory.peak)
    return {"eight": Samples(walls), "memory": Samples(peaks)}


def _ours(bench: Workbench, server: ScriptedServer) -> Agent:
    enough = ("--max-turns", str(FILES + 1))
    return bench.roocode(server.url, "-p", "Read the files.", "--output-format", "json", *enough)


def _bare(bench: Workbench, server: ScriptedServer) -> Agent:
    return bench.start(server.url, sys.executable, str(BARE), server.url)


def _require(server: ScriptedServer, requests: int) -> None:
    if len(server.log) != requests:
        raise NotMeasured(f"{len(server.log)} requests came instead of {requests}")


def _reads(count: int) -> Mapping[str, Any]:
    steps = [{"calls": [{"tool": "ReadFile", "input": {"path": file_name(n)}}]} for n in range(count)]
    return {"main": [*steps, {"text": "All is read."}]}


def _forking() -> Mapping[str, Any]:
    """An agent that reads and forks in its next answer; it ends when the fork has reported."""
    reads = _reads(TAIL)["main"][:-1]
    copy = {"tool": "Agent", "input": {"prompt": "Count them.", "description": "count them", "name": FORK}}
    waits = [{"text": "I wait."}, {"when": {"last_contains": "<task-notification"}, "text": "All is read."}]
    return {"main": [*reads, {"calls": [copy]}, *waits], FORK: [{"text": "I counted."}]}
