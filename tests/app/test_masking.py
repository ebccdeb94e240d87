"""What a process says on its standard streams: no secrets, whatever way they come there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.conftest import REPOSITORY

TOKEN = "ghp_Kd8Wq2Lm6Xv1Rb9Yc5Nh3Pj7Sf0Ga2Te4Uz8"
VARIABLE = "v8Kq-2mZt7Rw!xPd4"
BEGIN = """
import logging, os, sys
from roocode.app.masking import guard_stderr, guarded_stdout, secrets_of
secrets = secrets_of(os.environ)
guard_stderr(secrets)
class Holder:
    def __repr__(self): return os.environ["A_PASSWORD"]
"""
WAYS = {
    "a crash": f"raise ValueError('{TOKEN}', Holder())",
    "a chain": f"try: int('{TOKEN}')\nexcept ValueError as e: raise RuntimeError(repr(Holder())) from e",
    "a log without set-up": f"logging.warning('%s and %r', '{TOKEN}', Holder())",
    "a log": f"logging.basicConfig(); logging.getLogger('x').error('%s %r', '{TOKEN}', Holder())",
    "a logged exception": f"try: int('{TOKEN}')\nexcept ValueError: logging.exception('with %r', Holder())",
    "a thread": f"import threading; threading.Thread(target=lambda: int('{TOKEN}') + Holder()).start()",
    "a task": f"import asyncio\nasync def f(): asyncio.create_task(g()); await asyncio.sleep(0)\n"
    f"async def g(): raise ValueError('{TOKEN}', Holder())\nasyncio.run(f()); import gc; gc.collect()",
    "print": f"print('{TOKEN}', Holder(), file=sys.stderr)",
    "standard output": f"with guarded_stdout(secrets): print('{TOKEN}', Holder())",
    "a terminal": "sys.stderr.write('\\x1b]0;x\\x07\\u202e\\n')",
}


@pytest.mark.parametrize("way", WAYS)
def test_no_secret_comes_out(way: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(BEGIN + WAYS[way].replace(TOKEN, "'+os.environ['B']+'") + "\n")
    done = subprocess.run(
        [sys.executable, str(script)],
        env={"PYTHONPATH": str(REPOSITORY), "A_PASSWORD": VARIABLE, "B": TOKEN, "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout + done.stderr
    assert TOKEN not in said
    assert VARIABLE not in said
    assert "\x1b" not in said
    assert "\u202e" not in said
    expected = "\\u001b]0;x" if way == "a terminal" else "[secret: GitHub token "
    assert expected in said


def test_a_stream_is_not_wrapped_twice() -> None:
    code = BEGIN + "guard_stderr(secrets); print(type(sys.stderr.inner).__name__)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "TextIOWrapper\n"
