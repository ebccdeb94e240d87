"""The ground that all measures stand on: a repository of 200 small files, a person's home, agents in both."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.errors import NotMeasured
from benchmarks.processes import wait_for_calm
from roocode.scripted.log import Record
from roocode.scripted.server import ScriptedServer, serve

FILES = 200
LINES = 20
PATIENCE_S = 120.0
KEPT = ("PATH", "LANG", "LC_ALL", "TERM", "USER", "LOGNAME", "SHELL")
IDENTITY = {
    "GIT_AUTHOR_NAME": "bench",
    "GIT_AUTHOR_EMAIL": "bench@example.invalid",
    "GIT_COMMITTER_NAME": "bench",
    "GIT_COMMITTER_EMAIL": "bench@example.invalid",
}


@dataclass(frozen=True, slots=True)
class Samples:
    """What was measured, and beside it what the bare client needs for the same."""

    ours: Sequence[float]
    bare: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class Agent:
    """A process that was started, at `began` (seconds, monotonic)."""

    process: subprocess.Popen[bytes]
    began: float

    def finish(self) -> float:
        """Waits for its end and returns how long it took, in seconds. Raises NotMeasured."""
        _, errors = self.process.communicate(timeout=PATIENCE_S)
        took = time.monotonic() - self.began
        if self.process.returncode != 0:
            words = errors.decode(errors="replace")[-500:]
            raise NotMeasured(f"exit code {self.process.returncode}: {words}")
        return took


class Workbench:
    """Lies in one short temporary directory.

    Before each run it waits up to `patience_s` seconds for a quiet machine, as the peers were measured.
    """

    def __init__(self, base: Path, patience_s: float) -> None:
        self.patience_s = patience_s
        self.repository = base / "project"
        self._env = {name: os.environ[name] for name in KEPT if name in os.environ} | IDENTITY
        self._env |= {"HOME": str(base / "home"), "XDG_RUNTIME_DIR": str(base / "run")}
        self._env |= {"TMUX_TMPDIR": str(base / "run")}
        for directory in (base, self.repository, base / "home", base / "run"):
            directory.mkdir(mode=0o700)
        self._fill()

    def env(self, url: str) -> dict[str, str]:
        """The environment of an agent whose model is at `url`: of the caller's only what a shell needs.

        In it Python writes bytecode, so that only the first run compiles.
        """
        return {**self._env, "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "scripted"}

    @contextmanager
    def model(self, agents: Mapping[str, Any]) -> Iterator[ScriptedServer]:
        """A scripted model. Raises NotMeasured where it met a request that it did not expect."""
        wait_for_calm(self.patience_s)
        with serve({"agents": agents}, tasks_root=self.repository) as server:
            yield server
        if server.failures:
            raise NotMeasured("; ".join(server.failures[:3]))

    def roocode(self, url: str, *arguments: str) -> Agent:
        """Starts `roocode ARGUMENTS`."""
        return self.start(url, sys.executable, "-m", "roocode", *arguments)

    def start(self, url: str, *command: str) -> Agent:
        """Starts a command in the repository."""
        began = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=self.repository,
            env=self.env(url),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        return Agent(process, began)

    def _fill(self) -> None:
        for number in range(FILES):
            lines = (f"line {line:02} of file {number:03}: {'word ' * 5}\n" for line in range(LINES))
            (self.repository / file_name(number)).write_text("".join(lines))
        for command in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "-m", "base")):
            subprocess.run(["git", *command], cwd=self.repository, env=self._env, check=True)


def file_name(number: int) -> str:
    """The name of a file of the repository."""
    return f"f{number:03}.txt"


def gaps_ms(log: list[Record]) -> list[float]:
    """From the end of each answer to the head of the next request, in milliseconds."""
    return [(after.received - (before.last_byte or 0)) * 1000 for before, after in pairwise(log)]


def shares(log: list[Record]) -> list[float]:
    """How much of each prompt stands unchanged at the head of its sender's next one, in percent.

    A tool list that grew at its end is a break with a name (`discovery`): it is not measured here.
    """
    return [
        record.prefix_share * 100
        for record in log
        if record.prefix_share is not None and record.prefix_break != "discovery"
    ]
