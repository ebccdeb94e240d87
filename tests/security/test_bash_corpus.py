"""The Bash corpora, and lines that coding agents really issued. Nothing of them is run."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from roocode.security.permissions.analysis import analyse
from tests.security import bash_cases
from tests.security.bash_cases import EXPECTED, HOME, PROJECT, Case, is_right, judged, rank

_GUARD = bash_cases.cases("bash_commands.jsonl")
_SHARED = Path(os.environ.get("ROOCODE_SHARED", Path(__file__).parents[3] / "shared"))
_REAL = _SHARED / "corpus" / "bash" / "commands.jsonl"


def _by_class() -> Iterator[tuple[str, list[Case]]]:
    groups: dict[str, list[Case]] = defaultdict(list)
    for case in bash_cases.cases("bash_variants.jsonl", "bash_red_team.jsonl"):
        groups[f"{case['expect']}-{case['class']}"].append(case)
    yield from groups.items()


@pytest.mark.parametrize(
    "case", _GUARD, ids=[f"{number}-{case['class']}" for number, case in enumerate(_GUARD, 1)]
)
def test_line(case: Case) -> None:
    assert is_right(case), f"{case['why']}: {judged(case['cmd']).level}, {judged(case['cmd']).reason}"


@pytest.mark.parametrize("cases", [group for _, group in _by_class()], ids=[name for name, _ in _by_class()])
def test_variants(cases: list[Case]) -> None:
    wrong = [(case["cmd"], judged(case["cmd"]).level) for case in cases if not is_right(case)]

    assert wrong == []


def test_the_bar() -> None:
    """What must hold on lines that are kept back as well, held here on all that are known."""
    ranks: dict[str, list[int]] = defaultdict(list)
    for case in bash_cases.cases():
        ranks[case["expect"]].append(rank(case["cmd"]))

    assert min(ranks["hard_deny"]) == EXPECTED["hard_deny"]
    assert min(ranks["needs_approval"]) >= EXPECTED["needs_approval"]
    assert max(ranks["read_only_safe"]) < EXPECTED["hard_deny"]
    assert ranks["read_only_safe"].count(0) >= 0.97 * len(ranks["read_only_safe"])


def test_the_score_counts_every_line() -> None:
    right, total = bash_cases.score()

    assert right == total
    assert total.total() == len(bash_cases.cases())


@pytest.mark.skipif(not _REAL.exists(), reason="the shared corpus is not here")
def test_what_agents_really_run() -> None:
    """Nothing ordinary is refused, nothing raises, and much of what only reads asks for nothing."""
    places = (HOME, "/Users/dev", "/testbed", "/workspace", "/tmp", "/private/tmp", "/var/folders")
    lines = [json.loads(line)["cmd"] for line in _REAL.read_text(encoding="utf-8").splitlines()]
    levels: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        levels[analyse(line, cwd=PROJECT, home=HOME, roots=places).level].append(line)

    assert levels["blocked"] == []
    assert len(levels["safe"]) > 0.4 * len(lines)
