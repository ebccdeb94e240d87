"""The scripts that the README names: sound shell, and what they say where something is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SHELL_SCRIPTS = ("scripts/check", "scripts/demo", "scripts/venv", ".ci/run")
NEEDED = ("sh", "dirname", "cksum", "cat")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A directory with the scripts and pyproject.toml alone."""
    root = tmp_path / "checkout"
    shutil.copytree(REPOSITORY / "scripts", root / "scripts")
    shutil.copy(REPOSITORY / "pyproject.toml", root)
    return root


def bare_path(tmp_path: Path) -> str:
    """A PATH with nothing but what every system has: no Python, no git, no tmux."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in NEEDED:
        (programs / name).symlink_to(shutil.which(name) or "")
    return str(programs)


def run(
    root: Path, script: str, *arguments: str, path: str | None = None
) -> subprocess.CompletedProcess[str]:
    """A script of the checkout, called from elsewhere."""
    return subprocess.run(
        [root / script, *arguments],
        cwd="/",
        env={**os.environ, "PATH": path or os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("script", SHELL_SCRIPTS)
def test_a_script_is_executable_and_plain_shell(script: str) -> None:
    path = REPOSITORY / script

    assert os.access(path, os.X_OK)
    assert path.read_text().startswith("#!/bin/sh\n")
    subprocess.run(["sh", "-n", path], check=True, timeout=60)


def test_the_readme_names_the_two_commands_and_ci_runs_one() -> None:
    readme = (REPOSITORY / "README.md").read_text()

    assert "scripts/demo" in readme
    assert "scripts/check" in readme
    assert "exec scripts/check" in (REPOSITORY / ".ci/run").read_text()


def test_without_python_it_says_where_to_get_it(checkout: Path, tmp_path: Path) -> None:
    done = run(checkout, "scripts/venv", path=bare_path(tmp_path))

    assert done.returncode == 1
    assert "Python 3.11 or newer" in done.stderr
    assert "apt install python3" in done.stderr
    assert not (checkout / ".venv").exists()


def test_without_git_the_demo_says_how_to_get_it(checkout: Path, tmp_path: Path) -> None:
    done = run(checkout, "scripts/demo", path=bare_path(tmp_path))

    assert done.returncode == 1
    assert "apt install git" in done.stderr


@pytest.mark.parametrize(
    ("stamp", "wanted", "ready"),
    [("dev", "dev", True), ("dev", "run", True), ("run", "run", True), ("run", "dev", False)],
)
def test_an_installation_is_made_once(
    checkout: Path, tmp_path: Path, stamp: str, wanted: str, ready: bool
) -> None:
    python = checkout / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    pyproject = (checkout / "pyproject.toml").read_bytes()
    total = (
        subprocess.run(["cksum"], input=pyproject, capture_output=True, check=True).stdout.decode().strip()
    )
    (checkout / f".venv/.installed-{stamp}").write_text(f"{total} {checkout}")
    path = bare_path(tmp_path)

    assert (run(checkout, "scripts/venv", wanted, path=path).returncode == 0) is ready

    (checkout / "pyproject.toml").write_text("# changed\n")
    assert run(checkout, "scripts/venv", wanted, path=path).returncode == 1


def test_the_shape_of_the_code_is_printed_longest_first() -> None:
    done = run(REPOSITORY, "scripts/shape", "3")

    assert done.returncode == 0, done.stderr
    sections = done.stdout.split("the longest\n")[1:]
    assert len(sections) == 3
    lengths = [int(line.split()[0]) for line in sections[0].splitlines()[:3]]
    assert lengths == sorted(lengths, reverse=True)
    assert "roocode/" in sections[2]
