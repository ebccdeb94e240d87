"""When room is made."""

from __future__ import annotations

import pytest

from roocode.memory.compaction.budget import Thresholds, Window


@pytest.mark.parametrize(
    ("used", "level"),
    [
        (0, "free"),
        (64_999, "free"),
        (65_000, "warning"),
        (72_499, "warning"),
        (72_500, "clearing"),
        (79_999, "clearing"),
        (80_000, "summary"),
        (94_999, "summary"),
        (95_000, "full"),
        (200_000, "full"),
    ],
)
def test_levels_by_the_share_that_is_left(used: int, level: str) -> None:
    assert Thresholds().level(used, 100_000) == level


def test_the_answer_must_fit_in_any_case() -> None:
    window = Window(tokens=32_000, answer=16_000)
    assert window.level(15_999) == "free"
    assert window.level(16_000) == "full"
    assert (window.room, window.goal) == (16_000, 8_000)
