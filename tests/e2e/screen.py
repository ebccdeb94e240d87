"""The chat in a real terminal: tmux on a socket of its own, a scripted model, a person's home and project.

with chat_run(scenario) as run:
    screen = run.open("first prompt")
    screen.wait_for("Allow?")
    screen.press("y")
    screen.press("C-d")
    assert screen.exit_code() == 0
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roocode.memory.sessions.replay import replay
from roocode.scripted.server import ScriptedServer, serve

REPOSITORY = Path(__file__).resolve().parents[2]
ENDED = re.compile(r"^exit=(\d+)$", re.MULTILINE)
QUESTION = " to use "
LOOK_EVERY_S = 0.03
WITHIN_S = 20.0


def wait_until(holds: Callable[[], bool], what: Callable[[], str] | str) -> None:
    """Waits until something holds; `what` describes what it is, or what there is instead."""
    deadline = time.monotonic() + WITHIN_S
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(what if isinstance(what, str) else what())
        time.sleep(LOOK_EVERY_S)


def runs(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


@dataclass
class Screen:
    """A terminal in which a program runs."""

    socket: Path
    name: str

    def tmux(self, *arguments: str) -> str:
        command = ["tmux", "-u", "-S", str(self.socket), "-f", os.devnull, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=30).stdout

    @property
    def lines(self) -> list[str]:
        """What has scrolled by and what is on the screen, without blanks at the ends."""
        whole = self.tmux("capture-pane", "-p", "-J", "-S", "-", "-t", self.name)
        return [line.rstrip() for line in whole.rstrip().split("\n")]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def styled(self) -> str:
        """The screen with its escape sequences."""
        return self.tmux("capture-pane", "-e", "-p", "-t", self.name)

    def wait_for(self, *parts: str) -> str:
        """Waits until all of these are there; returns all that is."""
        wait_until(lambda: all(part in self.text for part in parts), lambda: f"{parts} in:\n{self.text}")
        return self.text

    def wait_for_ready(self) -> str:
        """Waits until nothing runs any more."""
        return self.wait_for("  ready")

    def press(self, *keys: str) -> None:
        """Keys by tmux's names, each by itself."""
        for key in keys:
            self.tmux("send-keys", "-t", self.name, key)

    def type(self, text: str) -> None:
        """Characters, in one go."""
        self.tmux("send-keys", "-t", self.name, "-l", text)

    def say(self, text: str) -> None:
        """Types a prompt and sends it."""
        self.type(text)
        self.wait_for(f"> {text}")
        self.press("Enter")

    def answer(self, key: str, *, to: str) -> None:
        """Waits for a question and its keys, and presses one."""
        self.wait_for(to)
        wait_until(lambda: "[y]es once" in self.text, lambda: f"no question in:\n{self.text}")
        asked = self.text.count(QUESTION)
        self.press(key)
        wait_until(
            lambda: "[y]es once" not in self.text or self.text.count(QUESTION) > asked,
            lambda: f"no answer was taken:\n{self.text}",
        )

    def paste(self, text: str, *, bracketed: bool = True) -> None:
        self.tmux("set-buffer", text)
        self.tmux("paste-buffer", *(["-p"] if bracketed else []), "-t", self.name)

    def resize(self, width: int, height: int) -> None:
        self.tmux("resize-window", "-t", self.name, "-x", str(width), "-y", str(height))

    def shown(self, variable: str) -> str:
        """One of tmux's variables of this pane."""
        return self.tmux("display-message", "-p", "-t", self.name, f"#{{{variable}}}").strip()

    def exit_code(self) -> int:
        """Waits until the program has ended; the shell that started it says how."""
        wait_until(lambda: ENDED.search(self.text) is not None, lambda: f"it still runs:\n{self.text}")
        found = ENDED.search(self.text)
        assert found is not None
        return int(found[1])

    @property
    def pid(self) -> int:
        """The program's."""
        shell = self.shown("pane_pid")
        return int(Path(f"/proc/{shell}/task/{shell}/children").read_text().split()[0])


@dataclass
class ChatRun:
    """A project, a home and a model; `open` starts `roocode` in a terminal."""

    base: Path
    server: ScriptedServer
    env: dict[str, str]
    screens: list[Screen] = field(default_factory=list)

    @property
    def project(self) -> Path:
        return self.base / "project"

    @property
    def home(self) -> Path:
        return self.base / "home"

    def open(
        self,
        *arguments: str,
        width: int = 100,
        height: int = 40,
        env: Mapping[str, str] | None = None,
    ) -> Screen:
        """Opens a terminal with `roocode ARGUMENTS`."""
        screen = Screen(self.base / "tmux", f"s{len(self.screens)}")
        variables = [f"{key}={value}" for key, value in {**self.env, **(env or {})}.items()]
        command = shlex.join(["env", "-i", *variables, sys.executable, "-m", "roocode", *arguments])
        size = ("-x", str(width), "-y", str(height), "-c", str(self.project))
        screen.tmux("new-session", "-d", "-s", screen.name, *size, f"{command}; echo exit=$?; exec cat")
        self.screens.append(screen)
        return screen

    @property
    def sessions(self) -> list[Path]:
        return sorted(self.home.rglob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns)

    def check_pairs(self) -> None:
        """Every call of the last session has one result."""
        messages = replay(self.sessions[-1]).messages
        calls = [call.id for message in messages for call in message.calls]
        assert sorted(calls) == sorted(result.call_id for message in messages for result in message.results)

    def asked(self, index: int) -> str:
        """All text of a request to the model."""
        return str(self.server.log[index].body)

    def wait_until_asked(self, times: int) -> None:
        wait_until(lambda: len(self.server.log) >= times, f"the model was not asked {times} times")


@contextmanager
def chat_run(
    *steps: Any, protocol: str = "anthropic", finishes: bool = True, **scenario: Any
) -> Iterator[ChatRun]:
    """The scenario of the agent `main`, and everything around it; at the end nothing of it is left."""
    base = Path(tempfile.mkdtemp(prefix="rc-"))
    try:
        with serve({"agents": {"main": list(steps)}, **scenario}) as server:
            address = (
                {"ANTHROPIC_BASE_URL": server.url}
                if protocol == "anthropic"
                else {"OPENAI_BASE_URL": f"{server.url}/v1"}
            )
            env = {
                "PATH": os.environ["PATH"],
                "HOME": str(base / "home"),
                "PYTHONPATH": str(REPOSITORY),
                "LANG": "C.UTF-8",
                "TERM": "tmux-256color",
                **address,
            }
            run = ChatRun(base, server, env)
            run.home.mkdir()
            run.project.mkdir()
            try:
                yield run
            finally:
                for screen in run.screens[:1]:
                    subprocess.run(
                        ["tmux", "-S", str(screen.socket), "kill-server"], check=False, capture_output=True
                    )
            assert server.failures == []
            if finishes:
                server.assert_finished()
    finally:
        shutil.rmtree(base, ignore_errors=True)
