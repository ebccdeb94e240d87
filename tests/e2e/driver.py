"""Runs of `roocode team` for tests: a project, a person's home, a scripted model, real processes and tmux.

    with team_run(scenario, backend="tmux") as run:
        lead = run.team("-p", "--output-format", "json")
        run.wait_for(lambda: run.state("alice") == "active", "alice works")
        run.kill("alice")
        assert lead.finish().value["status"] == "completed"

All of it lies in one short temporary directory, and whatever carries that directory in its environment is
ended when the block is left, however it is left.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roocode.app.teams import report
from roocode.engine.team.standing import member_states
from roocode.engine.team.store.event_log import Record
from roocode.engine.team.store.files import FileTeamStore
from roocode.protocol.team import LEAD, Task
from roocode.scripted.server import ScriptedServer, serve
from tests.e2e.one_after_another import each
from tests.e2e.screen import Screen
from tests.processes import end_processes_of, processes_of

REPOSITORY = Path(__file__).resolve().parents[2]
TEAM = "t"
GOAL = "change the letters"
MODEL = "anthropic/scripted"
FILES = {"a.txt": "a\n", "b.txt": "b\n", "check.py": "print('checked')\n"}
CHECK = "python3 check.py"
LOOK_EVERY_S = 0.02


@dataclass(frozen=True)
class Finished:
    """How a process of ours ended; `value` is its standard output as JSON."""

    code: int
    out: str
    err: str

    @property
    def value(self) -> Any:
        assert self.out.strip(), f"exit code {self.code}, no output\n{self.err}"
        return json.loads(self.out.splitlines()[-1])


@dataclass
class Running:
    """A `roocode` that was started and goes on; its output goes to files."""

    process: subprocess.Popen[bytes]
    out: Path
    err: Path

    @property
    def pid(self) -> int:
        return self.process.pid

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def finish(self, within_s: float = 60.0) -> Finished:
        """Waits for its end."""
        try:
            code = self.process.wait(within_s)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it still runs after {within_s} s:\n{self.err.read_text()}") from None
        return Finished(code, self.out.read_text(), self.err.read_text())


@dataclass
class TeamRun:
    """A project with a team in it."""

    base: Path
    repo: Path
    env: dict[str, str]
    server: ScriptedServer
    backend: str
    started: list[Running] = field(default_factory=list)

    def team(self, *arguments: str, goal: str = GOAL, check: str = CHECK) -> Running:
        """`roocode team` with the name, backend, model and check of this run."""
        given = ("--name", TEAM, "--backend", self.backend, "--model", MODEL, "--verify", check)
        return self.start("team", goal, *given, *arguments)

    def resume(self, *arguments: str, check: str = CHECK) -> Running:
        """`roocode team resume` without a person."""
        given = ("--output-format", "json", "--model", MODEL, "--verify", check)
        return self.start("team", "resume", *arguments, "-p", *given)

    def start(self, *arguments: str) -> Running:
        """`roocode ARGUMENTS` in the background."""
        number = len(self.started)
        out, err = self.base / f"{number}.out", self.base / f"{number}.err"
        with out.open("wb") as stdout, err.open("wb") as stderr:
            process = subprocess.Popen(
                [sys.executable, "-m", "roocode", *arguments],
                cwd=self.repo,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
        running = Running(process, out, err)
        self.started.append(running)
        return running

    def terminal(self, *arguments: str, inside_tmux: bool = False) -> Screen:
        """`roocode ARGUMENTS` in a terminal; `inside_tmux` tells it that the terminal is tmux's."""
        screen = Screen(self.base / "screen", f"s{uuid.uuid4().hex[:6]}")
        given = [f"{name}={value}" for name, value in self.env.items()]
        command = shlex.join(["env", "-i", *given, sys.executable, "-m", "roocode", *arguments])
        if inside_tmux:
            command = command.replace("env -i", 'env -i TMUX="$TMUX" TMUX_PANE="$TMUX_PANE"', 1)
        size = ("-x", "150", "-y", "60", "-c", str(self.repo))
        screen.tmux("new-session", "-d", "-s", screen.name, *size, f"{command}; echo exit=$?; exec cat")
        return screen

    def roocode(self, *arguments: str, within_s: float = 60.0) -> Finished:
        """`roocode ARGUMENTS`, to its end."""
        return self.start(*arguments).finish(within_s)

    def roocode_each(self, *orders: list[str]) -> list[Finished]:
        """Several `roocode ARGUMENTS`, one after another in one process."""
        return [Finished(*done) for done in each(orders, cwd=self.repo, env=self.env)]

    @property
    def store(self) -> FileTeamStore:
        return FileTeamStore(self.repo / ".roocode" / "teams" / TEAM)

    @property
    def founded(self) -> bool:
        return self.store.exists()

    def status(self) -> dict[str, Any]:
        """What `roocode team status --json` prints, without a process for it."""
        return report.status(self.store, member_states(self.store))

    def state(self, member: str) -> str:
        """A member's state; empty before there is one."""
        return member_states(self.store).get(member, "") if self.founded else ""

    def pid(self, member: str) -> int:
        found = self.store.report(member)
        assert found is not None, f"{member} has not said anything yet"
        return found.pid

    def tasks(self) -> dict[str, Task]:
        """The tasks, by subject."""
        return {task.subject: task for task in self.store.tasks()}

    def events(self, *kinds: str, member: str | None = None) -> list[Record]:
        """The record; of some kinds, or of one member, where named."""
        records = self.store.events() if self.founded else ()
        return [r for r in records if (not kinds or r.kind in kinds) and member in (None, r.member)]

    def requests(self, agent: str, holding: str = "") -> list[str]:
        """The bodies of an agent's requests to the model; of those that hold some words, where given."""
        bodies = [r.raw.decode(errors="replace") for r in self.server.log if r.sender.agent == agent]
        return [body for body in bodies if holding in body]

    def kill(self, member: str, number: signal.Signals = signal.SIGKILL) -> int:
        """Signals a member's process, or the lead's; returns its pid."""
        pid = self.pid(member)
        os.kill(pid, number)
        return pid

    def worktree(self, member: str) -> Path:
        return self.repo / ".roocode" / "worktrees" / TEAM / member

    def git(self, *arguments: str, cwd: Path | None = None, ok: tuple[int, ...] = (0,)) -> str:
        """Git as the person runs it."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=cwd or self.repo,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in ok, f"git {arguments}: {done.stderr}{done.stdout}"
        return done.stdout.removesuffix("\n")

    def tmux(self, *arguments: str, socket: str = "roocode") -> str:
        """A command to a tmux server of this run; "" where there is no server."""
        done = subprocess.run(
            ["tmux", "-L", socket, *arguments], env=self.env, capture_output=True, text=True, check=False
        )
        return done.stdout.rstrip("\n") if done.returncode == 0 else ""

    def panes(self) -> dict[str, str]:
        """The members' panes on RooCode's own socket: pane id by member."""
        listed = self.tmux("list-panes", "-a", "-F", "#{pane_id} #{@roocode_member}")
        rows = (row.split(" ") for row in listed.splitlines())
        return {row[1]: row[0] for row in rows if len(row) == 2 and row[1]}

    def processes(self) -> dict[int, str]:
        """The living processes of this run: command line by pid."""
        return processes_of(self.base)

    def agents(self) -> dict[int, str]:
        """Those processes that are RooCode's own or what it has started, tmux servers excepted."""
        return {pid: line for pid, line in self.processes().items() if "tmux " not in line}

    def wait_for(self, holds: Callable[[], Any], what: str, within_s: float = 30.0) -> Any:
        """Waits until something holds and returns it; fails with the state of the run."""
        ends = time.monotonic() + within_s
        while not (found := holds()):
            if time.monotonic() > ends:
                raise AssertionError(f"in vain after {within_s} s: {what}\n{self.describe()}")
            time.sleep(LOOK_EVERY_S)
        return found

    def wait_until_nothing_is_left(self) -> None:
        """No process, pane or session of the run; a tmux server needs a moment after its last session."""
        self.wait_for(lambda: not self.processes(), "no process is left", 5)
        assert (self.panes(), self.tmux("list-sessions")) == ({}, "")

    def wait_for_event(
        self, kind: str, member: str | None = None, count: int = 1, within_s: float = 30.0
    ) -> Record:
        """Waits for the `count`th event of a kind."""

        def found() -> bool:
            return len(self.events(kind, member=member)) >= count

        self.wait_for(found, f"event {kind} of {member or 'anybody'} ({count})", within_s)
        return self.events(kind, member=member)[count - 1]

    def describe(self) -> str:
        """All that helps to see why a run went wrong."""
        lines = [f"failures of the model: {self.server.failures}"]
        if self.founded:
            lines.append(json.dumps(self.status(), indent=1))
            lines += [f"{r.seq} {r.timestamp} {r.kind} {r.member} {dict(r.detail)}" for r in self.events()]
            for log in sorted((self.store.root / "logs").iterdir()):
                lines.append(f"--- {log.name}\n{log.read_text(errors='replace')[-3000:]}")
        for running in self.started:
            lines.append(f"--- {' '.join(map(str, running.process.args))}\n{running.err.read_text()[-3000:]}")
        return "\n".join(lines)

    def close(self) -> None:
        """Ends every process of this run, tmux servers too."""
        end_processes_of(self.base)
        for running in self.started:
            running.process.wait(10)


@contextlib.contextmanager
def team_run(
    scenario: Mapping[str, Any] | Path,
    *,
    backend: str = "tmux",
    files: Mapping[str, str] = FILES,
    config: str = "",
    expects_failures: bool = False,
) -> Iterator[TeamRun]:
    """A repository with `files` on main, a home with an identity and `config`, and a server that plays.

    A failure of the server fails the test, unless `expects_failures`.
    """
    base = Path(tempfile.mkdtemp(prefix="rc-", dir="/tmp")).resolve()
    repo = base / "project"
    try:
        with serve(scenario, tasks_root=repo) as server:
            run = TeamRun(base, repo, _environment(base, server.url, config), server, backend)
            _make_repository(run, files)
            try:
                yield run
            finally:
                run.close()
            assert expects_failures or server.failures == [], run.describe()
    finally:
        shutil.rmtree(base, ignore_errors=True)


def _environment(base: Path, url: str, config: str) -> dict[str, str]:
    home = base / "home"
    for folder in (home / ".roocode", base / "tmux", base / "run", base / "tmp"):
        folder.mkdir(parents=True, mode=0o700)
    (home / ".gitconfig").write_text("[user]\n\tname = Uma User\n\temail = uma@example.com\n")
    (home / ".roocode" / "config.yaml").write_text(config)
    return {
        "HOME": str(home),
        "ROOCODE_HOME": str(home / ".roocode"),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(REPOSITORY),
        "TMUX_TMPDIR": str(base / "tmux"),
        "XDG_RUNTIME_DIR": str(base / "run"),
        "TMPDIR": str(base / "tmp"),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "scripted",
    }


def _make_repository(run: TeamRun, files: Mapping[str, str]) -> None:
    run.repo.mkdir()
    run.git("init", "-q", "-b", "main")
    for name, content in files.items():
        path = run.repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    run.git("add", "--all")
    run.git("commit", "-q", "-m", "start")


def acted_once(run: TeamRun) -> None:
    """Checks the record: each message that wakes was acted on exactly once, each task completed once, each
    member merged once. What is written to a lead that has finished waits for the next one."""
    records = run.events()
    end = max((record.seq for record in records if record.kind == "finished"), default=0)
    written = [r for r in records if r.kind == "message_written" and r.detail["type"] != "status_update"]
    acted = [r.detail["id"] for r in records if r.kind == "message_acted"]
    assert len(set(acted)) == len(acted), f"acted on twice: {[i for i in acted if acted.count(i) > 1]}"
    lost = [r for r in written if r.detail["id"] not in acted and (r.detail["to"] != LEAD or r.seq < end)]
    assert not lost, f"never acted on: {lost}"
    done = [r.detail["task"] for r in records if r.kind == "completed"]
    assert sorted(done) == sorted(task.id for task in run.store.tasks()), f"completed: {done}"
    merged = [r.member for r in records if r.kind == "merged"]
    assert len(set(merged)) == len(merged), f"merged: {merged}"
