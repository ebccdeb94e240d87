from __future__ import annotations

from datetime import date

import pytest

from roocode.engine.models import catalog
from roocode.protocol.messages import Usage


@pytest.mark.parametrize("provider", ["anthropic", "openai", "deepseek"])
def test_default_and_small_models_are_in_the_table(provider: str) -> None:
    for name in (catalog.default_model(provider), catalog.small_model(provider)):
        assert name is not None
        assert catalog.lookup(provider, name).known


def test_aliases_lead_to_models_of_the_table() -> None:
    for target in catalog.ALIASES.values():
        assert catalog.lookup(*target.split("/", 1)).known


def test_a_dated_snapshot_is_its_model() -> None:
    for name in ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5@20250929"):
        assert catalog.lookup("anthropic", name) == catalog.lookup("anthropic", "claude-sonnet-4-5")
    assert catalog.lookup("openai", "gpt-5.5-2026-04-23").name == "gpt-5.5"


def test_an_unknown_model_has_safe_sizes_and_no_price() -> None:
    info = catalog.lookup("ollama", "qwen3")
    assert (info.provider, info.name, info.known) == ("ollama", "qwen3", False)
    assert info.max_output < info.window
    assert info.cost(Usage(1000, 1000)) is None
    assert catalog.default_model("ollama") is None
    assert catalog.small_model("ollama") is None
    assert not catalog.lookup("other", "claude-sonnet-4-5").known


def test_prices_are_plausible_and_dated() -> None:
    assert date.fromisoformat(catalog.CATALOG_DATE) > date(2026, 1, 1)
    sonnet = catalog.lookup("anthropic", "claude-sonnet-4-5")
    assert sonnet.cost(Usage(1_000_000, 1_000_000, 1_000_000, 1_000_000)) == pytest.approx(
        3 + 15 + 0.3 + 3.75
    )
