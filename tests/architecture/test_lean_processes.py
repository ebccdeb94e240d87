"""What the processes of real runs import: each agent is a process, so each import counts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from roocode.scripted.server import serve

REPOSITORY = Path(__file__).resolve().parents[2]
SDKS = {"anthropic", "openai", "mcp"}
SCREENS = {"rich", "prompt_toolkit"}
LEADS_OWN = {"libtmux", "git", "roocode.app.lead", "roocode.engine.team.supervisor", "roocode.scripted"}
TELLS = """
import os, pathlib, sys

out = pathlib.Path(__file__).with_name(f"{os.getpid()}.imports").open("w", buffering=1)
sys.addaudithook(lambda event, args: event == "import" and out.write(args[0] + chr(10)))
"""


@pytest.fixture
def base() -> Iterator[Path]:
    """A short directory; a Python that has its `told` on the path writes there what it imports."""
    with tempfile.TemporaryDirectory(prefix="rl-", dir="/tmp") as folder:
        for name in ("home", "tmux", "told", "project"):
            (Path(folder) / name).mkdir(mode=0o700)
        (Path(folder) / "told" / "sitecustomize.py").write_text(TELLS)
        yield Path(folder)


def roocode(base: Path, *arguments: str, **more: str) -> None:
    """Runs a command to its end."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(base / "home"),
        "TMUX_TMPDIR": str(base / "tmux"),
        "PYTHONPATH": f"{base / 'told'}:{REPOSITORY}",
    }
    done = subprocess.run(
        [sys.executable, "-m", "roocode", *arguments],
        cwd=base / "project",
        env=env | more,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr


def imported(base: Path, entry: str) -> list[set[str]]:
    """What each process with this module imported: whole names, and their first parts."""
    told = [path.read_text().split() for path in (base / "told").glob("*.imports")]
    return [{*names, *(name.partition(".")[0] for name in names)} for names in told if entry in names]


def test_a_headless_run_imports_what_it_needs(base: Path) -> None:
    (base / "project" / "notes.txt").write_text("one\n")
    read = {"calls": [{"tool": "ReadFile", "input": {"path": "notes.txt"}}]}
    with serve({"agents": {"main": [read, {"text": "It says one."}]}}) as server:
        roocode(base, "-p", "read it", ANTHROPIC_BASE_URL=server.url, ANTHROPIC_API_KEY="k")
        server.assert_finished()

    (modules,) = imported(base, "roocode.app.print")
    assert {"httpx2", "roocode.tools.textfile"} <= modules
    assert modules & (SDKS | SCREENS | LEADS_OWN) == set()
    assert modules & {"pydantic", "yaml", "watchfiles", "filelock", "roocode.engine.team"} == set()
    assert modules & {"mcp_types", "roocode.tools.mcp.servers", "roocode.tools.mcp.stdio"} == set()
    assert modules & {"tree_sitter", "roocode.security.permissions.analysis"} == set(), "no command was run"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_a_teammate_imports_no_sdk_and_nothing_of_its_leads(base: Path) -> None:
    roocode(base, "demo", "--dir", str(base / "sample"), "--backend", "tmux")

    (lead,) = imported(base, "roocode.app.demo")
    assert lead & (SDKS | {"git"}) == set()
    teammates = [names for names in imported(base, "roocode.app.teammate") if "roocode.app.lead" not in names]
    assert len(teammates) == 2
    for modules in teammates:
        assert {"httpx2", "roocode.engine.team.inbox", "filelock"} <= modules
        assert modules & (SDKS | LEADS_OWN | {"prompt_toolkit", "pydantic", "yaml"}) == set()
