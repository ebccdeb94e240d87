"""A person, a project, and `roocode` as a process between them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]

Roocode = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The person's home directory."""
    path = tmp_path / "home"
    path.mkdir()
    return path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A directory that is a project by its `.git`, with a `.roocode`."""
    root = tmp_path / "project"
    (root / ".roocode").mkdir(parents=True)
    subprocess.run(["git", "init", "--quiet", root], check=True, timeout=60)
    return root


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    """The person's environment: no keys."""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(REPOSITORY)}


@pytest.fixture
def roocode(project: Path, environment: dict[str, str]) -> Roocode:
    """Runs `roocode ARGUMENTS…` in the project; `stdin=` is its input, other names are environment."""

    def run(
        *arguments: str, stdin: str = "", cwd: Path = project, **more: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "roocode", *arguments],
            cwd=cwd,
            env={**environment, **more},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run
