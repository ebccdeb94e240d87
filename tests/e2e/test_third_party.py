"""`roocode team -p` on a repository that nobody here wrote, over both protocols and both backends."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.driver import TeamRun, team_run

PACKAGE = "itsdangerous==2.2.0"
KEPT = ("src/", "tests/", "pyproject.toml", "README.md", "LICENSE.txt")
CHECK = "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 PYTHONPATH=src python3 -m pytest -q -p no:cacheprovider"
ENCODING, SIGNER = "src/itsdangerous/encoding.py", "src/itsdangerous/signer.py"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The files of the package's source distribution."""
    folder = tmp_path_factory.mktemp("sdist")
    download = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", PACKAGE]
    done = subprocess.run(download, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"no package registry can be reached: {done.stderr[-300:]}")
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")
    root = next(path for path in folder.iterdir() if path.is_dir())
    found = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
    return {name: path.read_text() for name, path in found.items() if name.startswith(KEPT)}


def scenario() -> dict[str, Any]:
    def task(subject: str, description: str) -> dict[str, Any]:
        return {"tool": "TaskCreate", "input": {"subject": subject, "description": description}}

    def take(subject: str, status: str) -> dict[str, Any]:
        return {"tool": "TaskUpdate", "input": {"taskId": f"{{{{ task('{subject}') }}}}", "status": status}}

    def member(name: str, part: str) -> dict[str, Any]:
        fields = {"name": name, "team_name": "{{ team }}", "description": part, "prompt": f"Do: {part}"}
        return {"tool": "Agent", "input": fields}

    def edit(path: str, old: str, new: str) -> dict[str, Any]:
        return {"tool": "EditFile", "input": {"path": path, "old_string": old, "new_string": new}}

    blockers = ["{{ task('Document want_bytes') }}", "{{ task('Document the signer') }}"]
    blocked = {"taskId": "{{ task('Write notes') }}", "addBlockedBy": blockers}
    check = {"tool": "Bash", "input": {"command": CHECK}}
    return {
        "chunk": 16,
        "agents": {
            "lead": [
                {
                    "calls": [
                        task("Document want_bytes", f"In {ENCODING}"),
                        task("Document the signer", SIGNER),
                    ]
                },
                {"calls": [task("Write notes", "Needs the words of tasks 1 and 2.")]},
                {"calls": [{"tool": "TaskUpdate", "input": blocked}]},
                {"calls": [member("alice", "Document want_bytes"), member("bob", "Document the signer")]},
                {"text": "Both work."},
                {
                    "when": {"all_tasks": "completed"},
                    "calls": [
                        {"tool": "MergeTeammate", "input": {"name": "alice"}},
                        {"tool": "MergeTeammate", "input": {"name": "bob"}},
                    ],
                },
                {"text": "Both functions are documented and the notes name them."},
                {"always": True, "text": "Noted {{ turn }}."},
            ],
            "alice": [
                {"calls": [{"tool": "TaskList", "input": {}}]},
                {
                    "calls": [
                        take("Document want_bytes", "in_progress"),
                        {"tool": "ReadFile", "input": {"path": ENCODING}},
                    ]
                },
                {"calls": [edit(ENCODING, "def want_bytes(", "# Text becomes bytes here.\ndef want_bytes(")]},
                {"calls": [check]},
                {
                    "when": {"result": {"tool": "Bash", "error": False}},
                    "calls": [take("Document want_bytes", "completed")],
                },
                {
                    "wait": {"until": {"claimable": "Write notes"}},
                    "calls": [take("Write notes", "in_progress")],
                },
                {
                    "calls": [
                        {
                            "tool": "Grep",
                            "input": {
                                "pattern": "bytes here|keys here",
                                "path": "src",
                                "output_mode": "content",
                            },
                        },
                    ]
                },
                {
                    "when": {"last_contains": ["Text becomes bytes here", "Knows its keys here"]},
                    "calls": [
                        {
                            "tool": "WriteFile",
                            "input": {"path": "NOTES.md", "content": "# Notes\n\n{{ result.0 }}\n"},
                        }
                    ],
                },
                {"calls": [take("Write notes", "completed")]},
                {"text": "All of mine is done."},
            ],
            "bob": [
                {
                    "calls": [
                        take("Document the signer", "in_progress"),
                        {"tool": "ReadFile", "input": {"path": SIGNER}},
                    ]
                },
                {"calls": [edit(SIGNER, "class Signer:", "# Knows its keys here.\nclass Signer:")]},
                {
                    "calls": [
                        {
                            "tool": "Bash",
                            "input": {"command": "git add -A src && git commit -q -m 'Document the signer'"},
                        }
                    ]
                },
                {"calls": [take("Document the signer", "completed")]},
                {"text": "Mine is done."},
            ],
        },
    }


@pytest.fixture(params=["tmux", "in-process"])
def run(request: pytest.FixtureRequest, source: dict[str, str]) -> Iterator[TeamRun]:
    with team_run(scenario(), backend=request.param, files=source) as run:
        run.env["PATH"] = f"{Path(sys.executable).parent}:{run.env['PATH']}"
        yield run


def start_tmux_with_other_secrets(run: TeamRun) -> None:
    """A tmux server that somebody started earlier: what it has must reach nobody."""
    other = {
        "ANTHROPIC_API_KEY": "other",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
        "OPENAI_API_KEY": "other",
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "HOME": "/nonexistent",
    }
    command = ["tmux", "-L", "roocode", "-f", "/dev/null", "new-session", "-d", "-s", "elder", "sleep 600"]
    subprocess.run(command, env=run.env | other, check=True)


@pytest.mark.parametrize("protocol", ["anthropic", "openai"])
def test_two_edit_and_the_third_task_reads_what_both_wrote(run: TeamRun, protocol: str):
    if protocol == "openai":
        del run.env["ANTHROPIC_BASE_URL"], run.env["ANTHROPIC_API_KEY"]
        run.env |= {"OPENAI_BASE_URL": f"{run.server.url}/v1", "OPENAI_API_KEY": "scripted"}
    start_tmux_with_other_secrets(run)
    base = run.git("rev-parse", "HEAD")
    options = ("--output-format", "json", "--model", f"{protocol}/scripted", "--verify", CHECK)
    lead = run.start(
        "team", "document two functions", "-p", "--name", "t", "--backend", run.backend, *options
    )

    run.wait_for_event("completed", count=2)
    assert run.git("rev-parse", "HEAD") == base
    assert run.git("status", "--porcelain") == ""

    done = lead.finish(90)
    assert done.code == 0, run.describe()
    value = done.value
    assert value["status"] == "completed"
    assert sorted(value["merged"]) == ["alice", "bob"]
    assert value["verify"] == {"command": CHECK, "exitCode": 0}
    assert value["permissionDenials"] == []
    assert [task["status"] for task in value["tasks"]] == ["completed"] * 3
    assert all(member["commits"] >= 1 and member["turns"] >= 4 for member in value["members"])

    notes = (run.repo / "NOTES.md").read_text()
    assert "Text becomes bytes here" in notes
    assert "Knows its keys here" in notes
    merges = run.git("log", "--merges", "--first-parent", "--format=%s", f"{base}..HEAD").splitlines()
    assert sorted(merges) == ["merge: alice", "merge: bob"]
    assert set(run.git("log", "--format=%an", f"{base}..HEAD").splitlines()) == {"Uma User"}
    assert run.git("status", "--porcelain") == ""
    assert {record.key for record in run.server.log} == {run.server.log[0].key}
    assert all(record.prefix_share in (None, 1.0) for record in run.server.log)
    assert run.tmux("list-sessions", "-F", "#{session_name}") == "elder"
