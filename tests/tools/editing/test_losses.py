"""Signs of text that was lost by mistake."""

from __future__ import annotations

import pytest

from roocode.tools.editing.losses import Placeholder, placeholder, shrinkage


@pytest.mark.parametrize(
    "line",
    [
        "# ... rest of file",
        "// ... existing code ...",
        "# existing code unchanged",
        "... rest of file",
        "[... rest of the code unchanged ...]",
        "<!-- rest of the file unchanged -->",
        "/* existing styles remain the same */",
        "    # (rest of the class remains unchanged)",
        "// rest of the code...",
        "{/* ... remaining content */}",
        "# … previous code",
        "-- The remaining code is unchanged",
    ],
)
def test_placeholders_are_told(line: str) -> None:
    assert placeholder("", f"a = 1\n{line}\nb = 2\n") == Placeholder(2, line.strip())
    assert placeholder(f"{line}\n", f"a = 1\n{line}\n") is None


@pytest.mark.parametrize(
    "line",
    [
        "    ...",
        "x: int = ...  # type: ignore",
        "# existing users keep their code",
        "The rest of the file is read in chunks",
        "# remaining lines are skipped",
        "print('... rest of file')",
        "- existing tests cover it",
        "def f(*args: int) -> None: ...",
        "# Same as before, but faster",
    ],
)
def test_ordinary_lines_are_none(line: str) -> None:
    assert placeholder("", f"a = 1\n{line}\n") is None


def test_a_long_run_of_blank_lines_costs_nothing() -> None:
    assert placeholder("", "\n" * 900_000 + "# ... rest of file") is not None


def test_what_goes_is_counted() -> None:
    before = "a line of text\n" * 100
    assert shrinkage(before, "a line of text\n" * 39) == "61 % of the file goes: 100 lines before, 39 after"
    assert shrinkage(before, "a line of text\n" * 40) == ""
    assert shrinkage(before, "") == "100 % of the file goes: 100 lines before, 0 after"
    assert shrinkage("short\n" * 10, "") == ""
    assert shrinkage("", "new") == ""
