"""The bar on the Bash corpus: nothing destructive passes, nothing that changes is silent, reading is."""

from __future__ import annotations

from typing import Any

import pytest

from tests.security.bash_cases import cases, is_right, verdict

SILENT_SHARE = 0.97


def of(expected: str) -> list[Any]:
    return [
        pytest.param(case, id=f"{case['class']}-{i}")
        for i, case in enumerate(cases())
        if case["expect"] == expected
    ]


@pytest.mark.parametrize("case", of("hard_deny"))
def test_what_destroys_is_denied_in_every_mode(case: dict[str, Any]) -> None:
    assert is_right(case), f"{case['cmd']!r}: {case['why']}"


@pytest.mark.parametrize("case", of("needs_approval"))
def test_what_changes_something_is_never_silent(case: dict[str, Any]) -> None:
    assert is_right(case), f"{case['cmd']!r}: {case['why']}"


def test_reading_is_silent_and_never_denied() -> None:
    reading = [case["cmd"] for case in cases() if case["expect"] == "read_only_safe"]
    verdicts = {command: verdict(command) for command in reading}
    assert "deny" not in verdicts.values(), [c for c, v in verdicts.items() if v == "deny"]
    silent = sum(v == "allow" for v in verdicts.values())
    assert silent / len(reading) >= SILENT_SHARE, [c for c, v in verdicts.items() if v == "ask"]
