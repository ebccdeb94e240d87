"""The command line of scripts/fuzz: for how long, from which seed, and what came of it."""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from fuzzing.lines import changed, known_lines, shaped
from fuzzing.properties import Judge, check
from tests.security.bash_lines import SHAPES, harmless_words, printing
from tests.security.permissions.shell.test_words_as_bash import by_bash, by_us, covers

_A_ROUND = 200


class Failed(Exception):
    """A round that failed, with the seed that repeats it."""


def run(arguments: list[str]) -> int:
    """Goes on in rounds until the time is over or a line fails, which is then made smaller and shown."""
    parser = argparse.ArgumentParser(prog="scripts/fuzz", description="Fuzzes the guard's shell analysis.")
    parser.add_argument("--seconds", type=float, default=600, help="how long (600)")
    parser.add_argument("--seed", type=int, default=None, help="repeats a run")
    options = parser.parse_args(arguments)
    first = random.SystemRandom().randrange(2**32) if options.seed is None else options.seed
    print(f"seed {first}", flush=True)
    judge = Judge()
    with tempfile.TemporaryDirectory(prefix="rcf-") as folder:
        try:
            rounds = search(_kinds(judge, Path(folder)), first, options.seconds)
        except Failed as failure:
            print(failure)
            return 1
    print(
        f"{rounds} rounds, {judge.levels.total()} judgements, "
        + ", ".join(f"{level} {count}" for level, count in sorted(judge.levels.items()))
        + f"; the slowest took {judge.slowest:.2f} s of CPU"
    )
    return 0


def search(kinds: Mapping[str, Callable[[int], None]], first: int, seconds: float) -> int:
    """How many rounds went well until the time was over; a round's seed says its kind. Raises Failed."""
    began, rounds = time.monotonic(), 0
    while time.monotonic() - began < seconds:
        number = first + rounds
        kind = list(kinds)[number % len(kinds)]
        try:
            kinds[kind](number)
        except Exception as error:
            notes = "\n".join(getattr(error, "__notes__", ()))
            told = f"{kind} lines failed in round {rounds} (--seed {number}): {error!r}\n{error}\n{notes}"
            raise Failed(told) from error
        rounds += 1
    return rounds


def _kinds(judge: Judge, empty: Path) -> dict[str, Callable[[int], None]]:
    """A round of each kind of line, by its seed."""
    lines = tuple(known_lines())
    picks = st.integers(0, 10_000)

    def is_judged(line: str, number: int) -> None:
        check(line, judge, lambda count: number % count)

    def is_read_as_bash_does(words: list[str], shape: str) -> None:
        if shape == "array" and "=~" in "".join(words):
            return
        line = printing(words, shape)
        expected = by_bash(line, empty)
        doubt, ways = by_us(line, empty)
        found = expected is None or doubt or any(covers(way, expected) for way in ways)
        assert found, (line, expected, ways)

    words = st.lists(harmless_words, min_size=1, max_size=3)
    return {
        "shaped": _round(is_judged, line=shaped, number=picks),
        "changed": _round(is_judged, line=changed(lines), number=picks),
        "printing": _round(is_read_as_bash_does, words=words, shape=st.sampled_from(list(SHAPES))),
    }


def _round(body: Callable[..., None], **strategies: SearchStrategy[Any]) -> Callable[[int], None]:
    """What tries the body on a round of values, by a seed; a value that fails is made smaller first."""
    options = settings(
        max_examples=_A_ROUND,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )

    def once(number: int) -> None:
        def test(**values: Any) -> None:
            body(**values)

        seed(number)(options(given(**strategies)(test)))()

    return once
