"""Each property that the guard must hold has a test of its name."""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "security" / "properties"


def test_p1_to_p34_are_each_named_by_a_test() -> None:
    text = "\n".join(file.read_text(encoding="utf-8") for file in FOLDER.glob("test_*.py"))
    named = {int(number) for number in re.findall(r"^(?:async )?def test_p(\d\d)_", text, re.MULTILINE)}
    assert named == set(range(1, 35))
