"""A repository full of traps: every command that the parser knows runs in it, and none fires."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from roocode.interaction.cli.main import root as command_line
from roocode.scripted.server import ScriptedServer, serve
from tests.e2e.one_after_another import each
from tests.e2e.plays import bash, edit, member, team
from tests.gitrepo import Repo
from tests.processes import end_processes_of
from tests.security.permissions.dangerous.test_own_commands import subcommands
from tests.tools.builtin.test_bash_git import READING
from tests.traps import armed, elsewhere, sprung, trapped

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

REPOSITORY = Path(__file__).resolve().parents[2]
WITHIN_S = 100.0
END_S = 20.0
LOOK_EVERY_S = 0.1
CALL = ("--tool", "Bash", "--input", '{"command": "git status; ls"}')
WITH_A_MODEL: Mapping[str, list[list[str]]] = {
    "chat": [["-p", "hi", "--output-format", "stream-json"]],
    "team start": [["team", "x", "-p", "--name", "short", "--backend", "in-process"]],
    "demo": [["demo", "--backend", "in-process", "--output-format", "json"]],
}
AT_ONCE: Mapping[str, list[list[str]]] = {
    "doctor": [["doctor"], ["doctor", "--json"]],
    "team status": [["team", "status"], ["team", "status", "t", "--json"]],
    "team list": [["team", "list"]],
    "team attach": [["team", "attach"]],
    "team message": [["team", "message", "alice", "hi"]],
    "team tasks": [["team", "tasks"]],
    "team logs": [["team", "logs", "alice"]],
    "team resume": [["team", "resume", "-p"]],
    "team merge": [["team", "merge", "--preview"], ["team", "merge"]],
    "team approve": [["team", "approve", "abcdef"]],
    "team deny": [["team", "deny", "abcdef", "--reason", "no"]],
    "team stop": [["team", "stop"]],
    "team cleanup": [["team", "cleanup", "--force"]],
    "sessions list": [["sessions", "list"]],
    "sessions show": [["sessions", "show", "x"]],
    "sessions export": [["sessions", "export", "x"]],
    "sessions verify": [["sessions", "verify", "--repair"]],
    "permissions check": [["permissions", "check", *CALL]],
    "permissions list": [["permissions", "list"]],
    "permissions explain": [["permissions", "explain", *CALL]],
    "config show": [["config", "show"], ["config", "show", "--json"]],
    "config get": [["config", "get", "model"]],
    "config set": [["config", "set", "max_turns", "7"]],
    "config path": [["config", "path", "--project"]],
    "agents list": [["agents", "list"]],
    "agents show": [["agents", "show", "evil"]],
    "skills list": [["skills", "list"]],
    "skills show": [["skills", "show", "evil"]],
    "skills new": [["skills", "new", "mine"], ["skills", "new", "ours", "--project"]],
    "commands list": [["commands", "list", "--json"]],
    "commands show": [["commands", "show", "evil"]],
    "hooks list": [["hooks", "list"]],
    "hooks show": [["hooks", "show", "evil"]],
    "hooks test": [["hooks", "test", "x"]],
    "plugins list": [["plugins", "list"]],
    "plugins show": [["plugins", "show", "evil"]],
    "plugins install": [["plugins", "install", ".", "--yes"]],
    "plugins remove": [["plugins", "remove", "evil"]],
    "plugins marketplace add": [["plugins", "marketplace", "add", "."]],
    "plugins marketplace list": [["plugins", "marketplace", "list"]],
    "plugins marketplace remove": [["plugins", "marketplace", "remove", "evil"]],
    "teams list": [["teams", "list"]],
    "teams show": [["teams", "show", "evil"]],
    "completion": [["completion", "bash"]],
    "mcp list": [["mcp", "list"], ["mcp", "list", "--check", "--json"]],
    "mcp get": [["mcp", "get", "evil"]],
    "mcp show": [["mcp", "show", "evil"]],
    "mcp test": [["mcp", "test", "evil"]],
    "mcp add": [["mcp", "add", "mine", "--", "true"]],
    "mcp remove": [["mcp", "remove", "mine"]],
    "mcp-probe": [["mcp-probe", "http://127.0.0.1:9/mcp"]],
    "provider test": [["provider", "test", "nowhere"]],
    "teammate": [["teammate", "--handshake", "nowhere"]],
    "trust": [["trust"], ["trust", "--list"], ["trust", "--yes"], ["trust", "--revoke", "."]],
}
AFTERWARDS = (
    "team status",
    "team list",
    "team tasks",
    "team logs",
    "team message",
    "team attach",
    "team merge",
    "team stop",
    "team resume",
    "team cleanup",
)


def test_every_command_of_the_parser_is_run() -> None:
    assert set(subcommands(command_line)) == set(WITH_A_MODEL) | set(AT_ONCE)


@dataclass
class Field:
    """The armed repository, and `roocode` in it."""

    repo: Repo
    env: dict[str, str]

    def roocode(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.python("-P", "-m", "roocode", *arguments)

    def each(self, orders: list[list[str]]) -> list[tuple[int, str, str]]:
        return each(orders, cwd=self.repo.root, env=self.env, within_s=WITHIN_S)

    def python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.repo.root,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=WITHIN_S,
            check=False,
        )

    def chat(self, server: ScriptedServer, *options: str) -> None:
        """`roocode hi` at a terminal, ended once the model was asked."""
        asked = len(server.log)
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "roocode", "hi", *options],
            cwd=self.repo.root,
            env=self.env,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        try:
            screen = _until_ended(process, ours, lambda: len(server.log) > asked)
        finally:
            process.kill()
            process.wait()
            os.close(ours)
        assert b"Traceback" not in screen, screen.decode(errors="replace")
        assert len(server.log) > asked, screen.decode(errors="replace")

    def git_files(self) -> dict[str, bytes]:
        """Hooks and configuration of the repository."""
        git = self.repo.root / ("hidden" if (self.repo.root / "hidden").exists() else ".git")
        files = [*(git / "hooks").iterdir(), git / "config", git / "more.inc"]
        return {str(path): path.read_bytes() for path in files}


@pytest.fixture
def field(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Field]:
    repo = trapped(tmp_path, filtered=getattr(request, "param", True))
    path = armed(repo)
    for name in ("run", "tmux", "tmp"):
        (tmp_path / name).mkdir(mode=0o700)
    own = {
        "PATH": path,
        "PYTHONPATH": str(REPOSITORY),
        "TERM": "xterm",
        "LANG": "C.UTF-8",
        "XDG_RUNTIME_DIR": str(tmp_path / "run"),
        "TMUX_TMPDIR": str(tmp_path / "tmux"),
        "TMPDIR": str(tmp_path / "tmp"),
        "ANTHROPIC_API_KEY": "scripted",
    }
    try:
        yield Field(repo, {**repo.env, **own})
    finally:
        end_processes_of(tmp_path)


def _until_ended(process: subprocess.Popen[bytes], terminal: int, is_enough: Callable[[], bool]) -> bytes:
    """What a process shows that is terminated once it is enough."""
    ends, terminated, screen = time.monotonic() + WITHIN_S, False, b""
    while process.poll() is None and time.monotonic() < ends:
        screen += _shown(terminal)
        if is_enough() and not terminated:
            process.terminate()
            ends, terminated = time.monotonic() + END_S, True
    assert process.poll() is not None, f"it still runs:\n{screen.decode(errors='replace')}"
    while (rest := _shown(terminal)) and time.monotonic() < ends:
        screen += rest
    return screen


def _shown(terminal: int) -> bytes:
    """What a terminal shows in the next LOOK_EVERY_S; nothing more once the other end is closed."""
    if not select.select([terminal], [], [], LOOK_EVERY_S)[0]:
        return b""
    with contextlib.suppress(OSError):
        return os.read(terminal, 65536)
    return b""


def play(agents: Mapping[str, Any]) -> dict[str, Any]:
    return {"agents": agents}


def test_the_traps_work(field: Field) -> None:
    subprocess.run(
        ["/bin/bash", "-c", "git status; python3 x; rg; . ./.profile"],
        cwd=field.repo.root,
        env=field.env,
        capture_output=True,
        check=False,
    )
    subprocess.run(
        [sys.executable, "-c", "import sitecustomize, yaml"],
        cwd=field.repo.root,
        env={**field.env, "PYTHONPATH": "."},
        check=True,
    )
    fired = sprung(field.repo)
    expected = {"planted-git", "planted-python3", "planted-rg", "shell-file", "module-yaml"}
    assert expected | {"module-sitecustomize"} <= fired


@pytest.mark.parametrize("pointed", [False, True])
def test_no_command_springs_a_trap(field: Field, pointed: bool) -> None:
    if pointed:
        elsewhere(field.repo)
    before = field.git_files()
    orders = [order for orders in AT_ONCE.values() for order in orders]
    for order, (code, out, err) in zip(orders, field.each(orders), strict=True):
        assert code in (0, 1, 2, 42), (order, err)
        assert "Traceback" not in err, (order, err)
        assert "\x1b[2J" not in out + err, order
    assert sprung(field.repo) == set()
    assert field.git_files() == before


def test_no_module_of_the_directory_is_imported(field: Field) -> None:
    assert field.python("-m", "roocode", "doctor").stdout.startswith("ok ")
    assert sprung(field.repo) == set()


def test_no_run_with_a_model_springs_a_trap(field: Field) -> None:
    before = field.git_files()
    looks = [bash(line) for line in (*READING, "ls -la", "grep -rn one .", "cat a.txt", "node --version")]
    looks += [{"tool": "Grep", "input": {"pattern": "one"}}, {"tool": "Glob", "input": {"pattern": "**"}}]
    steps = [{"calls": [look]} for look in looks]
    agents = {"main": [*steps, {"always": True, "text": "done"}], "lead": [{"always": True, "text": "done"}]}
    with serve(play(agents)) as server:
        field.env["ANTHROPIC_BASE_URL"] = server.url
        options = ("--model", "anthropic/scripted", "--max-turns", "100")
        for order in [*WITH_A_MODEL["chat"], *WITH_A_MODEL["team start"]]:
            done = field.roocode(*order, *options)
            assert "Traceback" not in done.stderr, done.stderr
            assert sprung(field.repo) == set(), order
            assert "done" in done.stdout, (order, done.stderr)
        field.chat(server, *options)
        assert [failure for failure in server.failures if "main" in str(failure)] == []
    assert field.git_files() == before
    assert sprung(field.repo) == set()


def test_the_demo_springs_none(field: Field) -> None:
    own = [entry for entry in field.env["PATH"].split(":") if not entry.startswith(str(field.repo.root))]
    field.env["PATH"] = ":".join(own)
    [order] = WITH_A_MODEL["demo"]
    done = field.roocode(*order)
    assert done.returncode == 0, done.stderr
    assert sprung(field.repo) == set()


@pytest.mark.parametrize("field", [False], indirect=True)
def test_no_team_springs_a_trap(field: Field) -> None:
    before = field.git_files()
    work = [bash("git status && git diff"), bash("git log -p"), *edit("b.txt", "b", "alice")]
    work += [bash("git add b.txt && git commit -m 'by alice'")]
    scenario = team({"alice": member("alice part", {"calls": work})})
    with serve(scenario, tasks_root=field.repo.root) as server:
        field.env["ANTHROPIC_BASE_URL"] = server.url
        given = ("--name", "t", "--backend", "tmux", "--model", "anthropic/scripted")
        done = field.roocode("team", "goal", "-p", "--output-format", "json", *given)
        result = json.loads(done.stdout.splitlines()[-1])
        assert result["status"] in ("completed", "incomplete"), done.stderr
        assert sprung(field.repo) == set(), done.stderr
        assert "by alice" in field.repo.git("-c", "log.showSignature=false", "log", "--all", "--format=%s")
        (field.repo.root.parent / "sprung").unlink(missing_ok=True)
        orders = [order for name in AFTERWARDS for order in AT_ONCE[name]]
        for order, (_, _, err) in zip(orders, field.each(orders), strict=True):
            assert "Traceback" not in err, (order, err)
    assert sprung(field.repo) == set()
    assert field.git_files() == before
