"""`python -m roocode.scripted`: one line on start, a log as it happens, an exit code at TERM."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scripted.talk import Agent

SCENARIO = "agents: {main: [{text: 'Yes.'}]}\n"


def start(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "roocode.scripted", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize(
    ("agent", "code", "complaint"), [("main", 0, ""), ("nobody", 1, "no agent 'nobody'")]
)
def test_it_plays_until_term(tmp_path: Path, agent: str, code: int, complaint: str) -> None:
    scenario, log = tmp_path / "yes.yaml", tmp_path / "log.jsonl"
    scenario.write_text(SCENARIO)
    with start(str(scenario), "--log", str(log)) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        assert said.startswith("listening on http://127.0.0.1:")
        Agent(said.split()[-1], name=agent).say("Go.")
        process.send_signal(signal.SIGTERM)
        out, errors = process.communicate(timeout=10)
    assert (process.returncode, out) == (code, "")
    assert complaint in errors
    [line] = log.read_text().splitlines()
    assert json.loads(line)["agent"] == agent


def test_a_broken_scenario_is_told(tmp_path: Path) -> None:
    scenario = tmp_path / "broken.yaml"
    scenario.write_text("agents: {main: [{txt: 'Yes.'}]}\n")
    with start(str(scenario)) as process:
        _, errors = process.communicate(timeout=10)
    assert process.returncode == 42
    assert f"{scenario}: agents.main step 1: txt: Unexpected" in errors


def test_a_log_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    scenario = tmp_path / "yes.yaml"
    scenario.write_text(SCENARIO)
    with start(str(scenario), "--log", str(tmp_path / "no" / "log")) as process:
        _, errors = process.communicate(timeout=10)
    assert process.returncode == 42
    assert "cannot start" in errors
    assert "no/log" in errors
