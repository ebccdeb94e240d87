"""`scripts/bench` measures and prints; no figure is judged here, since no test is timed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
BENCH = REPOSITORY / "scripts" / "bench"


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the script with the Python of these tests."""
    command = [sys.executable, str(BENCH), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module that judges and prints figures."""
    monkeypatch.syspath_prepend(str(REPOSITORY / "scripts"))
    from benchmarks import table

    return table


@pytest.mark.slow
@pytest.mark.skipif(not (REPOSITORY / ".venv").exists(), reason="scripts/venv has not run")
def test_a_measure_is_printed_with_everything_that_puts_it_into_proportion() -> None:
    done = bench("--quick", "--json", "turn20")

    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["cores"] >= 1
    assert report["failures"] == []
    (figure,) = report["measures"]
    assert (figure["name"], figure["unit"], figure["aim"], figure["n"]) == ("turn20", "ms", 5, 20)
    assert 0 < figure["min"] <= figure["median"] <= figure["max"]
    assert figure["bareHere"] > 0
    assert {"load", "floor", "bestPeer", "met"} <= figure.keys()


@pytest.mark.skipif(not (REPOSITORY / ".venv").exists(), reason="scripts/venv has not run")
def test_a_measure_that_is_not_there_is_named() -> None:
    done = bench("speed")

    assert done.returncode == 2
    assert "there is no measure speed" in done.stderr


def test_a_missed_aim_is_marked(table: ModuleType) -> None:
    from benchmarks.aims import Aim
    from benchmarks.workbench import Samples

    quick = Aim("quick", "a start", "s", 0.35, "0.18", "0.27")
    kept = Aim("kept", "a share", "%", 100, "100", "100", at_least=True)
    figures = [
        table.Figure.of(quick, [Samples([0.2, 0.3], [0.1]), Samples([0.9])], 1.5),
        table.Figure.of(quick, [Samples([0.4])], 1.5),
        table.Figure.of(kept, [Samples([100.0, 100.0])], 1.5),
        table.Figure.of(kept, [Samples([99.0, 100.0, 100.0])], 1.5),
    ]

    rows = list(table.lines(figures))[1:]
    assert ["MISSED" in row for row in rows] == [False, True, False, True]
    assert rows[0].split()[3:] == [
        "3",
        "0.200",
        "0.300",
        "0.900",
        "1.5",
        "0.100",
        "0.18",
        "0.27",
        "<",
        "0.35",
    ]
    assert [each["met"] for each in table.as_json(figures)] == [True, False, True, False]
