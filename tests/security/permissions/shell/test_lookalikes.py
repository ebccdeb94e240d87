"""Characters that deceive: shown as others, not at all, or in another order."""

from __future__ import annotations

import pytest

from roocode.security.permissions.shell.lookalikes import as_read, hides, reorders


@pytest.mark.parametrize(
    "text",
    [
        "rm\xa0-rf\xa0/", "rm\u200b -rf /", "r\u00adm -rf /", "ｒｍ -rf /", "rм -rf /", "𝐫𝐦 -rf /",
        "rm -rf ∕", "\ufeffrm -rf /", "rm\u3000-rf\u3000/", "r\u0336m -rf /", "rm\u2800-rf\u3164/",
        "\x1b[8mrm -rf /\x1b[0m",
    ],
)  # fmt: skip
def test_a_deceiving_line_is_read_as_it_looks(text: str) -> None:
    assert as_read(text) == "rm -rf /"


def test_line_ends_in_disguise_are_line_ends() -> None:
    for mark in ("\r", "\v", "\f", "\u2028"):
        assert as_read(f"a{mark}b") == "a\nb"


@pytest.mark.parametrize(
    "text", ["a\u200bb", "a\xa0b", "a\x07b", "a\x1b[0m", "a\u2060", "\U000e0041", "a\ufe0f"]
)
def test_what_is_not_shown_is_found(text: str) -> None:
    assert hides(text)


@pytest.mark.parametrize("text", ["plain", "a\tb\nc", "naïve café ✓", "日本語", "⚠️ done", "👩\u200d💻"])
def test_legitimate_text_hides_nothing(text: str) -> None:
    assert not hides(text)


def test_order_controls_are_found() -> None:
    assert reorders("a\u202eb")
    assert not reorders("שלום")
