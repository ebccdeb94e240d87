"""The shell asks the program what fits, through its environment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]


def completions(words: str) -> list[str]:
    """What bash would offer for the last word."""
    env = {
        **os.environ,
        "PYTHONPATH": str(REPOSITORY),
        "_ROOCODE_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-m", "roocode"], env=env, capture_output=True, text=True, timeout=60, check=False
    )
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("roocode se", {"sessions"}),
        ("roocode --perm", {"--permission-mode"}),
        ("roocode -p --perm", {"--permission-mode"}),
        ("roocode team st", {"status", "stop"}),
        ("roocode team --max-team", {"--max-teammates"}),
        ("roocode team status --js", {"--json"}),
    ],
)
def test_the_shell_is_offered_what_fits(words: str, offered: set[str]) -> None:
    assert set(completions(words)) == offered
