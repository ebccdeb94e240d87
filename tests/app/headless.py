"""`roocode -p` as a process against the scripted model, over either protocol."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roocode.scripted.server import ScriptedServer

PROTOCOLS = ("anthropic", "openai")
LOOK_EVERY_S = 0.02


def address(server: ScriptedServer, protocol: str = "anthropic") -> dict[str, str]:
    """The environment that leads to the server, with a key for the protocol's provider."""
    if protocol == "openai":
        return {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "sk-scripted"}
    return {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "sk-scripted"}


def lines(output: str) -> list[dict[str, Any]]:
    """The objects of a stream-json output: every line is one."""
    return [json.loads(line) for line in output.splitlines()]


def wait_for(holds: Callable[[], bool], within_s: float = 20.0) -> None:
    """Waits until something holds."""
    deadline = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(LOOK_EVERY_S)


@dataclass
class Running:
    """A process that goes on, with the end of its standard input in our hand."""

    process: subprocess.Popen[str]

    def write(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def close_input(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def line(self) -> dict[str, Any]:
        """The next line that it writes."""
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def lines_until(self, kind: str) -> list[dict[str, Any]]:
        """Its lines up to one of this type."""
        found = [self.line()]
        while found[-1]["type"] != kind:
            found.append(self.line())
        return found

    def end(self, number: signal.Signals | None = None) -> tuple[int, str, str]:
        """Sends a signal, or closes its input; returns exit code and the rest of both outputs."""
        if number is not None:
            self.process.send_signal(number)
        else:
            self.close_input()
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        out, err = self.process.stdout.read(), self.process.stderr.read()
        return self.process.wait(30), out, err


@contextmanager
def started(project: Path, environment: dict[str, str], *arguments: str) -> Iterator[Running]:
    """`roocode ARGUMENTS…`, ended when the block is left."""
    process = subprocess.Popen(
        [sys.executable, "-m", "roocode", *arguments],
        cwd=project,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield Running(process)
        finally:
            process.kill()
