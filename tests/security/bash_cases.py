"""The Bash corpora: real lines with the verdict that each must get. They are read as text and never run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from roocode.security.permissions.analysis import Analysis, analyse

FOLDER = Path(__file__).parent / "corpus"
FILES = ("bash_commands.jsonl", "bash_variants.jsonl", "bash_red_team.jsonl")

PROJECT = "/home/dev/proj"
HOME = "/home/dev"
RANK = {"safe": 0, "modify": 1, "danger": 1, "blocked": 2}
"""How strict the verdict is that a level stands for: allow, ask, deny."""

EXPECTED = {"read_only_safe": 0, "needs_approval": 1, "hard_deny": 2}

Case = Mapping[str, str]


def cases(*files: str) -> list[Case]:
    """The lines of the corpora: `cmd, expect, class, why`."""
    return [
        json.loads(line)
        for file in files or FILES
        for line in (FOLDER / file).read_text(encoding="utf-8").splitlines()
    ]


@lru_cache(maxsize=4096)
def judged(command: str) -> Analysis:
    """The judgement on a line in the corpora's project."""
    return analyse(command, cwd=PROJECT, home=HOME)


def rank(command: str) -> int:
    """How strict the verdict on a line is."""
    return RANK[judged(command).level]


def is_right(case: Case) -> bool:
    """Whether a line gets the verdict that it must get."""
    return rank(case["cmd"]) == EXPECTED[case["expect"]]


def score() -> tuple[Counter[str], Counter[str]]:
    """Lines that are right, and all, by expectation and class."""
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for case in cases():
        name = f"{case['expect']} {case['class']}"
        total[name] += 1
        right[name] += is_right(case)
    return right, total
