"""Every line of the path corpus, on a real disk: verdict, effect, and the second check at open time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.security import path_cases


@pytest.mark.parametrize("case", path_cases.cases(), ids=lambda case: f"{case['id']}-{case['class']}")
def test_line(case: dict[str, Any], tmp_path: Path) -> None:
    with path_cases.world(tmp_path) as there:
        try:
            wrong = path_cases.complaints(case, there)
        except path_cases.NotHere as reason:
            pytest.skip(str(reason))
    assert wrong == [], case["why"]


def test_the_score_counts_every_line() -> None:
    right, built = path_cases.score()

    assert right == built
    assert built.total() >= sum("requires" not in case for case in path_cases.cases())
