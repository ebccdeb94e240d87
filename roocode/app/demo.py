"""`roocode demo`: the main job on a sample project, with a scripted model on the loopback interface."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from roocode.app.lead import headless
from roocode.app.masking import secrets_of
from roocode.app.output import Output
from roocode.app.signals import until_signalled
from roocode.app.watch import Watch
from roocode.engine.team.verify import run_verify
from roocode.interaction.cli.requests import DemoRequest, RunOptions, TeamRequest
from roocode.interaction.config.data_root import data_root
from roocode.interaction.config.sources import Flag
from roocode.protocol.errors import RooCodeError, UserError
from roocode.protocol.team import LEAD
from roocode.scripted.scenario import load
from roocode.scripted.server import serve
from roocode.security.isolation.pieces import StreamMask
from roocode.security.sandbox.environment import child_env
from roocode.security.sandbox.git import Git

GOAL = "refactor the auth module"
TESTS = "python3 -m unittest -q"
SLOW = {"first_token_delay_s": 1.5, "delta_delay_s": 0.08}
SCRIPTED = (
    "This demo needs no key and no network: the model is scripted, a small server on the loopback interface "
    "that plays a scenario over the real wire protocol. Processes, worktrees, tests and merges are real."
)


def demo(request: DemoRequest) -> int:
    """Runs the demo and returns the exit code of the team's run."""
    folder = _directory(request.directory)
    try:
        with tempfile.TemporaryDirectory(prefix="roocode-demo-home-") as home:
            return _run(request, folder, Path(home))
    except RooCodeError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    finally:
        if request.directory is None:
            shutil.rmtree(folder.parent, ignore_errors=True)


def _run(request: DemoRequest, folder: Path, home: Path) -> int:
    source = data_root() / "teams" / "demo"
    scenario = load(source / "scenario.yaml", **(SLOW if request.slow else {}))
    with serve(scenario, tasks_root=folder) as server:
        env = _environment(home, server.url)
        code = asyncio.run(until_signalled(_play(request, source / "project", folder, env)))
        if server.failures:
            raise RooCodeError(
                "the scripted model met requests it did not expect:\n" + "\n".join(server.failures)
            )
    return code


async def _play(request: DemoRequest, source: Path, folder: Path, env: Mapping[str, str]) -> int:
    await _make_repository(source, folder, env)
    secrets = secrets_of(env)
    output = _output(request, secrets)
    _say(SCRIPTED)
    _say(f"The sample project is in {folder}.")
    await _show_tests(folder, env, "Before")
    code = await headless(_team(request, folder), env, output, secrets)
    await _show_tests(folder, env, "After")
    git = await Git.open(folder, env)
    graph = (await git("log", "--graph", "--oneline", "--decorate", "-n", "20")).out
    _say(f"What is on the branch now:\n{graph}")
    return code


def _team(request: DemoRequest, folder: Path) -> TeamRequest:
    flags = (
        Flag(("team", "backend"), request.backend, "--backend"),
        Flag(("team", "verify"), TESTS, "--verify"),
        Flag(("model",), "anthropic/scripted-demo", "--model"),
    )
    return TeamRequest(
        options=RunOptions(cwd=folder, flags=flags),
        goal=GOAL,
        headless=True,
        output=request.output,
        cleanup=True,
    )


def _output(request: DemoRequest, mask: StreamMask) -> Output:
    if request.output == "text" and sys.stderr.isatty():
        return Watch(LEAD, mask)
    return Output(request.output, agent=LEAD, verbose=False, mask=mask)


async def _show_tests(folder: Path, env: Mapping[str, str], when: str) -> None:
    with tempfile.TemporaryDirectory(prefix="roocode-demo-") as logs:
        done = await run_verify(TESTS, folder, env=child_env(env), log=Path(logs) / "tests.log")
    last = done.output.strip().splitlines()[-1:] or [""]
    _say(f"{when}: `{TESTS}` ends with exit code {done.exit_code} ({last[0]}).")


def _say(text: str) -> None:
    """Around the run, whose output is its own: always on standard error."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


async def _make_repository(source: Path, folder: Path, env: Mapping[str, str]) -> None:
    shutil.copytree(source, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    git = await Git.open(folder, env)
    await git("init", "--quiet", "--initial-branch=main")
    await git("config", "user.name", "RooCode demo")
    await git("config", "user.email", "demo@example.invalid")
    git = await Git.open(folder, env)
    await git("add", "--all")
    await git("commit", "--quiet", "-m", "The auth module as it was")


def _directory(asked: Path | None) -> Path:
    if asked is None:
        return Path(tempfile.mkdtemp(prefix="roocode-demo-")) / "auth-demo"
    folder = asked.resolve()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} is not empty", "name a directory that is empty or not there")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _environment(home: Path, url: str) -> dict[str, str]:
    """The person's environment without their RooCode: own home, and the scripted model instead of theirs."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "ANTHROPIC_"))
    }
    return kept | {"ROOCODE_HOME": str(home), "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "scripted"}
