"""Figures beside their aims, as lines of a table and as JSON."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

from benchmarks.aims import Aim
from benchmarks.workbench import Samples

ROW = "{:<45} {:>4} {:>7} {:>7} {:>7} {:>5} {:>9} {:>6}  {:<26} {}"
DIGITS = {"s": 3, "ms": 2, "MB": 0, "%": 2}


@dataclass(frozen=True, slots=True)
class Figure:
    """What came of a measure; `bare` is the median of the bare client in the same run, if it took part."""

    aim: Aim
    n: int
    lowest: float
    median: float
    highest: float
    load: float
    bare: float | None

    @classmethod
    def of(cls, aim: Aim, found: Sequence[Samples], load: float) -> Self:
        """Puts the samples of all experiments together; `load` is the machine's."""
        ours = [value for samples in found for value in samples.ours]
        bare = [value for samples in found for value in samples.bare]
        here = statistics.median(bare) if bare else None
        return cls(aim, len(ours), min(ours), statistics.median(ours), max(ours), load, here)

    @property
    def met(self) -> bool:
        """Whether the aim is kept: by the lowest where more is better, else by the median."""
        return self.aim.is_met(self.lowest if self.aim.at_least else self.median)


def lines(figures: Sequence[Figure]) -> Iterator[str]:
    """The table. `bare` is the bare client in this very run, `floor` and `peer` are those of aims.py."""
    yield ROW.format("", "n", "min", "median", "max", "load", "bare here", "floor", "best peer", "aim")
    for figure in figures:
        aim = figure.aim
        low, middle, high = (_shown(aim, value) for value in (figure.lowest, figure.median, figure.highest))
        bare = "" if figure.bare is None else _shown(aim, figure.bare)
        yield ROW.format(
            f"{aim.title}, {aim.unit}", figure.n, low, middle, high, f"{figure.load:.1f}",
            bare, aim.floor, aim.peer, _verdict(figure),
        ).rstrip()  # fmt: skip


def as_json(figures: Sequence[Figure]) -> list[dict[str, Any]]:
    """The same as JSON values."""
    return [
        {
            "name": figure.aim.name,
            "title": figure.aim.title,
            "unit": figure.aim.unit,
            "n": figure.n,
            "min": figure.lowest,
            "median": figure.median,
            "max": figure.highest,
            "load": figure.load,
            "bareHere": figure.bare,
            "floor": figure.aim.floor,
            "bestPeer": figure.aim.peer,
            "aim": figure.aim.aim,
            "met": figure.met,
        }
        for figure in figures
    ]


def _shown(aim: Aim, value: float) -> str:
    return f"{value:.{DIGITS[aim.unit]}f}"


def _verdict(figure: Figure) -> str:
    aim = figure.aim
    if aim.aim is None:
        return ""
    bound = f"{'=' if aim.at_least else '<'} {aim.aim:g}"
    return bound if figure.met else f"{bound}  MISSED"
