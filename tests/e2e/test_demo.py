"""`roocode demo`: the main job, as a person sees it first."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import processes_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]
REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def base() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="rd-", dir="/tmp") as folder:
        yield Path(folder)


def environment(base: Path) -> dict[str, str]:
    for name in ("home", "tmux"):
        (base / name).mkdir(mode=0o700)
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return kept | {
        "HOME": str(base / "home"),
        "TMUX_TMPDIR": str(base / "tmux"),
        "PYTHONPATH": str(REPOSITORY),
        "TERM": "xterm-256color",
        "OPENAI_API_KEY": "the-persons-own",
    }


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize("backend", ["tmux", "in-process"])
def test_the_sample_is_refactored_and_nothing_is_left(base: Path, backend: str):
    folder = base / "sample"
    command = [sys.executable, "-m", "roocode", "demo", "--dir", str(folder), "--backend", backend]
    done = subprocess.run(
        [*command, "--output-format", "json"],
        env=environment(base),
        cwd=base,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    value = json.loads(done.stdout)
    assert value["status"] == "completed"
    assert value["merged"] == ["alice", "bob"]
    assert value["verify"]["exitCode"] == 0
    assert {member["name"] for member in value["members"]} == {"alice", "bob"}
    assert "Before: `python3 -m unittest -q` ends with exit code 1" in done.stderr
    assert "After: `python3 -m unittest -q` ends with exit code 0" in done.stderr
    assert "scripted" in done.stderr

    merges = git(folder, "log", "--first-parent", "--merges", "--format=%s", "main").splitlines()
    assert sorted(merges) == ["merge: alice", "merge: bob"]
    assert git(folder, "branch", "--format=%(refname:short)") == "main"
    assert len(git(folder, "worktree", "list").splitlines()) == 1
    assert git(folder, "status", "--porcelain") == ""
    assert not (folder / ".roocode").exists()
    assert "pbkdf2_hmac" in (folder / "auth" / "passwords.py").read_text()
    tests = subprocess.run(["python3", "-m", "unittest", "-q"], cwd=folder, capture_output=True, check=False)
    assert tests.returncode == 0

    left = processes_of(base)
    assert left == {}
    assert list((base / "tmux").rglob("*")) == [] or not _has_server(base)


def _has_server(base: Path) -> bool:
    listing = subprocess.run(
        ["tmux", "-L", "roocode", "list-sessions"],
        env=os.environ | {"TMUX_TMPDIR": str(base / "tmux")},
        capture_output=True,
        check=False,
    )
    return listing.returncode == 0


def test_without_tmux_it_says_how_to_get_it_and_runs_in_process(base: Path):
    env = environment(base)
    programs = base / "bin"
    programs.mkdir()
    (programs / "python3").symlink_to(Path(sys.executable).resolve())
    for name in ("git", "bash"):
        found = subprocess.run(["which", name], capture_output=True, text=True, check=True).stdout.strip()
        (programs / name).symlink_to(found)
    env["PATH"] = str(programs)
    command = [
        sys.executable,
        "-m",
        "roocode",
        "demo",
        "--dir",
        str(base / "sample"),
        "--output-format",
        "json",
    ]
    done = subprocess.run(command, env=env, cwd=base, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "tmux is not installed" in done.stderr
    assert "apt install tmux" in done.stderr
    assert json.loads(done.stdout)["status"] == "completed"


def test_a_directory_with_something_in_it_is_left_alone(base: Path):
    folder = base / "mine"
    folder.mkdir()
    (folder / "precious.txt").write_text("mine")
    command = [sys.executable, "-m", "roocode", "demo", "--dir", str(folder)]
    done = subprocess.run(
        command, env=environment(base), cwd=base, capture_output=True, text=True, check=False
    )
    assert done.returncode == 42
    assert "is not empty" in done.stderr
    assert [path.name for path in folder.iterdir()] == ["precious.txt"]
