"""What is known of models: a dated table of sizes and prices, and safe values for all others.

Prices are list prices in USD per million tokens for prompts in the first price tier, cache writes those that
live five minutes. Sources, read on CATALOG_DATE: the package genai-prices 0.2.3, and the pages on models and
prices of platform.claude.com/docs and api-docs.deepseek.com (peak hours).
"""

from __future__ import annotations

import re

from roocode.protocol.frozen import frozen
from roocode.protocol.models import ModelInfo

CATALOG_DATE = "2026-11-29"

UNKNOWN_WINDOW = 128_000
UNKNOWN_MAX_OUTPUT = 8_192

ALIASES = {
    "sonnet": "anthropic/claude-sonnet-5-5",
    "haiku": "anthropic/claude-haiku-5-5",
    "opus": "anthropic/claude-opus-5-5",
}
"""Short names that every installation knows, each for `provider/model`."""


@frozen
class _Provider:
    default: str
    small: str


_PROVIDERS = {
    "anthropic": _Provider("claude-sonnet-5-5", "claude-haiku-5-5"),
    "openai": _Provider("gpt-6.1-sol", "gpt-6-luna"),
    "deepseek": _Provider("deepseek-flash", "deepseek-flash"),
}

_Row = tuple[str, str, int, int, float, float, float | None, float | None]

_ROWS: tuple[_Row, ...] = (
    # provider, model, window, max output, input, output, cache read, cache write
    ("anthropic", "claude-fable-5-1", 1_000_000, 128_000, 10, 50, 0.25, 12.5),
    ("anthropic", "claude-opus-5-5", 1_000_000, 128_000, 4, 20, 0.2, 5),
    ("anthropic", "claude-opus-5", 1_000_000, 128_000, 5, 25, 0.5, 6.25),
    ("anthropic", "claude-opus-4-8", 1_000_000, 128_000, 5, 25, 0.5, 6.25),
    ("anthropic", "claude-opus-4-5", 200_000, 64_000, 5, 25, 0.5, 6.25),
    ("anthropic", "claude-sonnet-5-5", 1_000_000, 128_000, 2, 10, 0.1, 2.5),
    ("anthropic", "claude-sonnet-5", 1_000_000, 128_000, 2, 10, 0.2, 2.5),
    ("anthropic", "claude-sonnet-4-6", 1_000_000, 64_000, 3, 15, 0.3, 3.75),
    ("anthropic", "claude-sonnet-4-5", 200_000, 64_000, 3, 15, 0.3, 3.75),
    ("anthropic", "claude-haiku-5-5", 1_000_000, 128_000, 0.1, 0.5, 0.01, 0.125),
    ("anthropic", "claude-haiku-4-5", 200_000, 64_000, 1, 5, 0.1, 1.25),
    ("openai", "gpt-6-astra", 1_050_000, 128_000, 10, 50, 1, 12.5),
    ("openai", "gpt-6.1-sol", 1_050_000, 128_000, 2, 10, 0.1, 2.5),
    ("openai", "gpt-6.1-terra", 1_050_000, 128_000, 1, 5, 0.05, 1.25),
    ("openai", "gpt-6-sol", 1_050_000, 128_000, 2, 10, 0.2, 2.5),
    ("openai", "gpt-6-luna", 1_050_000, 128_000, 0.1, 0.5, 0.01, 0.125),
    ("openai", "gpt-5.5", 1_050_000, 128_000, 5, 30, 0.5, None),
    ("openai", "gpt-5.4", 1_050_000, 128_000, 2.5, 15, 0.25, None),
    ("openai", "gpt-5.4-mini", 400_000, 128_000, 0.75, 4.5, 0.075, None),
    ("openai", "gpt-5.2", 400_000, 128_000, 1.75, 14, 0.175, None),
    ("openai", "gpt-5.1", 400_000, 128_000, 1.25, 10, 0.125, None),
    ("openai", "gpt-5", 400_000, 128_000, 1.25, 10, 0.125, None),
    ("openai", "gpt-5-mini", 400_000, 128_000, 0.25, 2, 0.025, None),
    ("openai", "gpt-4.1", 1_000_000, 32_768, 2, 8, 0.5, None),
    ("openai", "gpt-4.1-mini", 1_000_000, 32_768, 0.4, 1.6, 0.1, None),
    ("deepseek", "deepseek-flash", 1_000_000, 384_000, 0.3, 1.2, 0.006, None),
)

_MODELS = {(row[0], row[1]): ModelInfo(*row) for row in _ROWS}
_SNAPSHOT = re.compile(r"[-@]\d{4}-?\d{2}-?\d{2}$")


def lookup(provider: str, model: str) -> ModelInfo:
    """What is known of this model, or of the one that it is a dated snapshot of.

    A model that the table does not have gets safe sizes, no prices, and `known` false.
    """
    known = _MODELS.get((provider, model)) or _MODELS.get((provider, _SNAPSHOT.sub("", model)))
    if known is None:
        return ModelInfo(provider, model, UNKNOWN_WINDOW, UNKNOWN_MAX_OUTPUT, known=False)
    return known


def default_model(provider: str) -> str | None:
    """The model to use where nobody chose one, None for a provider that the table does not know."""
    known = _PROVIDERS.get(provider)
    return known.default if known else None


def small_model(provider: str) -> str | None:
    """The cheap and fast model of the provider, None for one that the table does not know."""
    known = _PROVIDERS.get(provider)
    return known.small if known else None
