"""P31: planted secrets get into nothing that is written, shown, sent or seen in a list of processes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from roocode.scripted.server import ScriptedServer
from tests.app.conftest import environment, home, project
from tests.e2e import canaries
from tests.e2e.driver import TeamRun, team_run
from tests.e2e.plays import bash, call, member, team
from tests.e2e.screen import chat_run

__all__ = ["environment", "home", "project"]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

CONFIG = "permissions: {allow: [ReadFile, WriteFile, EditFile, Bash]}\n"
DOTENV = f"APP_PASSWORD={canaries.DOTENV}\nPORT=8000\n"
VARIABLES = {
    "ANTHROPIC_API_KEY": canaries.PROVIDER_KEY,
    "SOME_PASSWORD": canaries.VARIABLE,
}
FAILING = f"raise SystemExit('could not log in with {canaries.IN_EXCEPTION}')\n"
TELLS = (
    f"Found {canaries.IN_TEXT}. Also {canaries.SPLIT} and {canaries.VARIABLE}, and {canaries.PROVIDER_KEY}."
)
WRITES = call("WriteFile", path="made.py", content=f"TOKEN = '{canaries.IN_ARGUMENT}'\n")
READS = [call("ReadFile", path=".env"), bash("cat .env; python3 fail.py"), WRITES]


def sent_to(server: ScriptedServer) -> list[str]:
    """The secrets that left in the body of a request."""
    return canaries.seen_in(b"\n".join(record.raw for record in server.log))


def streamed(output: str) -> str:
    """The text of an answer's pieces, put together again as a client does."""
    found = [json.loads(line) for line in output.splitlines() if line.startswith('{"type":"stream_event"')]
    deltas = [each["event"]["delta"] for each in found if each["event"]["type"] == "content_block_delta"]
    return "".join(delta.get("text") or delta.get("thinking") or "" for delta in deltas)


def outputs() -> list[tuple[str, ...]]:
    return [("text", "--verbose"), ("json",), ("stream-json", "--include-partial-messages")]


@pytest.mark.parametrize("form", outputs())
def test_a_headless_run_keeps_secrets_to_itself(
    scripted: Any,
    project: Path,
    home: Path,
    environment: dict[str, str],
    tmp_path: Path,
    form: tuple[str, ...],
) -> None:
    steps = [
        {"text": TELLS, "thinking": f"It is {canaries.IN_TEXT}.", "calls": READS},
        {"error": {"status": 400, "message": f"bad key {canaries.IN_ERROR_BODY}, {canaries.PROVIDER_KEY}"}},
    ]
    server = scripted({"agents": {"main": steps}, "chunk": 5, "strict": False})
    (home / ".roocode").mkdir(mode=0o700)
    (home / ".roocode" / "config.yaml").write_text(CONFIG)
    (project / ".env").write_text(DOTENV)
    (project / "fail.py").write_text(FAILING)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    env = environment | VARIABLES | {"ANTHROPIC_BASE_URL": server.url, "TMPDIR": str(scratch)}

    with canaries.watched(tmp_path, "-m roocode -p") as seen:
        done = subprocess.run(
            [sys.executable, "-m", "roocode", "-p", "Look at it.", "--output-format", *form],
            cwd=project,
            env=env,
            input=f"my token is {canaries.IN_PROMPT}",
            capture_output=True,
            text=True,
            check=False,
        )

    assert done.returncode == 42, done.stderr
    assert len(server.log) == 2
    planted = {project / ".env", project / "fail.py", project / "made.py"}
    assert canaries.leaks(tmp_path, planted) == {}
    assert canaries.seen_in(done.stdout.encode() + done.stderr.encode()) == []
    assert canaries.seen_in(streamed(done.stdout).encode()) == []
    assert sent_to(server) == []
    assert seen.lines
    assert seen.secrets == []
    assert (project / "made.py").read_text() == f"TOKEN = '{canaries.IN_ARGUMENT}'\n"
    assert (project / ".env").read_text() == DOTENV
    second = server.log[1].raw.decode()
    assert "[secret: APP_PASSWORD " in second
    assert "[secret: SOME_PASSWORD " in second
    assert "PORT=8000" in second


def test_what_is_sent_again_is_what_the_log_holds(
    scripted: Any, project: Path, environment: dict[str, str], home: Path
) -> None:
    """A session that goes on sends the same bytes before its new prompt: the cache still counts."""
    server = scripted(
        {
            "agents": {
                "main": [
                    {"text": TELLS, "calls": [bash(f"echo {canaries.IN_TEXT}")]},
                    {"text": "One."},
                    {"text": "Two."},
                ]
            }
        }
    )
    env = environment | VARIABLES | {"ANTHROPIC_BASE_URL": server.url}
    for arguments in (("-p", "Go."), ("-p", "-c", "On.")):
        done = subprocess.run(
            [sys.executable, "-m", "roocode", *arguments],
            cwd=project,
            env=env,
            input="",
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    before, after = (json.loads(record.raw)["messages"] for record in server.log[1:3])
    assert [_plain(message) for message in after[: len(before)]] == [_plain(message) for message in before]
    assert sent_to(server) == []


def _plain(message: dict[str, Any]) -> Any:
    """Without the marks that tell a provider how far to cache."""
    return json.loads(json.dumps(message), object_hook=lambda o: (o.pop("cache_control", None) and o) or o)


@pytest.mark.parametrize("backend", ["tmux", "in-process"])
def test_a_team_keeps_secrets_to_itself(backend: str) -> None:
    scenario = team(
        {"alice": member("alice part", {"text": TELLS, "calls": READS}, {"calls": [letter()]})},
        tasks={"alice": "alice part"},
    )
    files = {
        "a.txt": "a\n",
        ".env": DOTENV,
        "fail.py": FAILING,
        "check.py": f"print('{canaries.IN_EXCEPTION}')",
    }
    with team_run({**scenario, "chunk": 5}, backend=backend, files=files, config=CONFIG) as run:
        run.env.update(VARIABLES)
        with canaries.watched(run.base, "-m roocode team log") as seen:
            done = run.team(
                "-p", "--output-format", "json", goal=f"log in with {canaries.IN_PROMPT}"
            ).finish()
            shown = [run.roocode("team", *words) for words in SHOWN]
        assert done.value["status"] == "completed", run.describe()
        assert canaries.leaks(run.base, planted(run)) == {}
        assert canaries.seen_in("\n".join(each.out + each.err for each in [done, *shown]).encode()) == []
        assert sent_to(run.server) == []
        assert seen.lines
        assert seen.secrets == []
        assert "[secret: AWS access key " in "".join(run.requests("lead"))
        assert canaries.seen_in(run.git("log", "--all", "--format=%B").encode()) == []


SHOWN = (
    ("status",),
    ("status", "--json"),
    ("tasks",),
    ("logs", "alice"),
    ("logs", "verify"),
    ("list",),
)


def letter() -> dict[str, Any]:
    return call("SendMessage", to="lead", summary=f"found {canaries.IN_TEXT}", message=TELLS)


def planted(run: TeamRun) -> set[Path]:
    """The project's own files, in each of its checkouts, and git's copies of them."""
    names = {".env", "fail.py", "check.py", "made.py"}
    return {path for path in run.repo.rglob("*") if path.name in names or ".git" in path.parts}


def test_the_chat_asks_before_a_file_of_secrets_is_read_and_shows_none_of_them() -> None:
    steps = [
        {"text": TELLS, "calls": [call("ReadFile", path=".env")]},
        {"calls": [bash(f"printf %s {canaries.IN_ARGUMENT} >made.txt")]},
        {"text": f"So it is {canaries.SPLIT}."},
    ]
    with chat_run(*steps, chunk=5) as run:
        (run.project / ".env").write_text(DOTENV)
        screen = run.open("Look.", env=VARIABLES)
        screen.answer("y", to="/.env may hold secrets")
        asked = screen.wait_for("? wants to use Bash", "  printf %s [secret: Hugging Face token ")
        assert canaries.seen_in(asked.encode()) == []
        screen.answer("y", to="  printf %s [secret: Hugging Face token ")
        shown = screen.wait_for("So it is [secret: Slack token ", "  ready")
        assert canaries.seen_in(shown.encode()) == []
        assert (run.project / "made.txt").read_text() == canaries.IN_ARGUMENT
        screen.press("C-d")
        assert screen.exit_code() == 0
        planted = {run.project / ".env", run.project / "made.txt"}
        assert canaries.leaks(run.base, planted) == {}
        assert sent_to(run.server) == []
        assert "[secret: APP_PASSWORD " in run.asked(1)
