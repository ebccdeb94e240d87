"""The command line of scripts/bench: which measures, how often, and how they are shown."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import guard, single, table
from benchmarks.aims import AIMS, NAMES
from benchmarks.errors import NotMeasured
from benchmarks.table import Figure
from benchmarks.team import team
from benchmarks.undo import undo
from benchmarks.workbench import Samples, Workbench


@dataclass(frozen=True, slots=True)
class Effort:
    """How often things are done; seconds to wait for a quiet machine, and to watch those who wait."""

    starts: int
    turns: int
    long_turns: int
    eights: int
    members: int
    messages: int
    snapshots: int
    watch_s: float
    patience_s: float


FULL = Effort(
    starts=15,
    turns=5,
    long_turns=3,
    eights=5,
    members=5,
    messages=40,
    snapshots=15,
    watch_s=10,
    patience_s=1.5,
)
QUICK = Effort(
    starts=5, turns=1, long_turns=1, eights=1, members=2, messages=10, snapshots=5, watch_s=3, patience_s=0.5
)


@dataclass(frozen=True, slots=True)
class Experiment:
    """Something that is run for the sake of some measures."""

    gives: tuple[str, ...]
    run: Callable[[Workbench, Effort], Mapping[str, Samples]]


EXPERIMENTS = (
    Experiment(("start",), lambda bench, effort: single.start(bench, effort.starts)),
    Experiment(("turn20", "prefix"), lambda bench, effort: single.turns(bench, 20, effort.turns)),
    Experiment(("turn200", "prefix"), lambda bench, effort: single.turns(bench, 200, effort.long_turns)),
    Experiment(("prefix",), lambda bench, effort: single.fork(bench, effort.turns)),
    Experiment(("eight", "memory"), lambda bench, effort: single.eight(bench, effort.eights)),
    Experiment(("undo",), lambda bench, effort: undo(bench, effort.snapshots)),
    Experiment(
        ("spawn", "message", "idle", "prefix"),
        lambda bench, effort: team(bench, effort.members, effort.messages, effort.watch_s),
    ),
    Experiment(("guard",), lambda bench, effort: guard.thousand(bench, effort.turns)),
)


def run(arguments: list[str]) -> int:
    """Measures, prints, and returns 1 where something could not be measured."""
    options = _options(arguments)
    with tempfile.TemporaryDirectory(prefix="rcb-") as folder:
        figures, failures = _measure(
            Path(folder), options.measures or NAMES, QUICK if options.quick else FULL
        )
    if options.json:
        print(json.dumps({**_machine(), "measures": table.as_json(figures), "failures": failures}, indent=1))
    else:
        print(", ".join(f"{name} {value}" for name, value in _machine().items()))
        print("\n".join(table.lines(figures)))
    for failure in failures:
        print(f"not measured: {failure}", file=sys.stderr)
    return 1 if failures else 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description="Measures RooCode against a scripted model: see docs/benchmarks.md."
    )
    parser.add_argument(
        "measures", nargs="*", metavar="MEASURE", help=f"of: {', '.join(NAMES)}; all by default"
    )
    parser.add_argument("--quick", action="store_true", help="fewer runs: under a minute, and less certain")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    options = parser.parse_args(arguments)
    if unknown := set(options.measures) - set(NAMES):
        parser.error(f"there is no measure {', '.join(sorted(unknown))}")
    return options


def _measure(folder: Path, wanted: tuple[str, ...], effort: Effort) -> tuple[list[Figure], list[str]]:
    found: dict[str, list[Samples]] = defaultdict(list)
    loads: dict[str, float] = {}
    failures = []
    for number, experiment in enumerate(EXPERIMENTS):
        names = [name for name in experiment.gives if name in wanted]
        if not names:
            continue
        try:
            samples = experiment.run(Workbench(folder / str(number), effort.patience_s), effort)
        except NotMeasured as reason:
            failures.append(f"{', '.join(names)}: {reason}")
            continue
        for name in names:
            found[name].append(samples[name])
            loads[name] = max(os.getloadavg()[0], loads.get(name, 0.0))
    return [Figure.of(aim, found[aim.name], loads[aim.name]) for aim in AIMS if aim.name in found], failures


def _machine() -> dict[str, object]:
    return {
        "date": datetime.now(UTC).isoformat(timespec="minutes"),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
    }
