"""Runs several `roocode` command lines in one process, for tests of many of them.

As a program, `python -m tests.e2e.one_after_another JSON`, it takes a list of argument lists and prints a
list of `[exit code, standard output, standard error]`.
"""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from roocode.__main__ import main

WITHIN_S = 100.0


def each(
    orders: Iterable[list[str]], *, cwd: Path, env: Mapping[str, str], within_s: float = WITHIN_S
) -> list[tuple[int, str, str]]:
    """Exit code, output and errors of each, run in a directory whose modules are not imported."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "tests.e2e.one_after_another", json.dumps(list(orders))],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=within_s,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [(code, out, err) for code, out, err in json.loads(done.stdout)]


def run(arguments: list[str]) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    sys.argv = ["roocode", *arguments]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main()
    return code, out.getvalue(), err.getvalue()


if __name__ == "__main__":
    print(json.dumps([run(arguments) for arguments in json.loads(sys.argv[1])]))
