"""What must hold for every line."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator

from roocode.security.permissions.analysis import Analysis, analyse
from roocode.security.permissions.shell.cursor import TooDeep
from tests.security.bash_cases import HOME, PROJECT, RANK
from tests.security.bash_transforms import AROUND, BEHIND, IN_FRONT, QUOTES, is_plain, requoted

SLOWEST_S = 2.0
"""CPU seconds that one line may take."""
_LONGEST_CHANGED = 4000


class Broken(AssertionError):
    """A property that does not hold for a line."""


class Judge:
    """Judges lines and counts them, by level."""

    def __init__(self) -> None:
        self.levels: Counter[str] = Counter()
        self.slowest = 0.0

    def __call__(self, line: str) -> Analysis:
        """The judgement. Raises Broken where it takes too long, and whatever the analysis raises."""
        start = time.process_time()
        found = analyse(line, cwd=PROJECT, home=HOME)
        took = time.process_time() - start
        self.levels[found.level] += 1
        self.slowest = max(self.slowest, took)
        if took > SLOWEST_S:
            raise Broken(f"took {took:.1f} s: {line[:2000]!r}")
        return found


def check(line: str, judge: Judge, pick: Callable[[int], int]) -> None:
    """Judges a line, and one changed form of each kind, chosen by `pick(count)`. Raises Broken."""
    found = judge(line)
    before = RANK[found.level]
    if not before or len(line) > _LONGEST_CHANGED:
        return
    for kind, other in _changed(line, found, pick):
        after = judge(other)
        if RANK[after.level] < before:
            raise Broken(
                f"{kind} made it milder, {found.level} ({found.reason}) to {after.level} ({after.reason}):\n"
                f"  {line!r}\n  {other!r}"
            )


def _changed(line: str, found: Analysis, pick: Callable[[int], int]) -> Iterator[tuple[str, str]]:
    if found.parsed:
        yield "something behind", line + BEHIND[pick(len(BEHIND))]
    if found.parsed or found.level == "blocked":
        yield "something in front", IN_FRONT[pick(len(IN_FRONT))] + line
    if found.parsed and "END OF LINE" not in line:
        name = list(AROUND)[pick(len(AROUND))]
        yield name, AROUND[name](line)
    if found.level == "blocked" and found.parsed and is_plain(line):
        name = list(QUOTES)[pick(len(QUOTES))]
        try:
            yield f"{name} quotes", requoted(line, QUOTES[name])
        except TooDeep:
            return
