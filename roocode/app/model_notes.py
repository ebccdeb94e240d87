"""What a person should know of the chosen models before a run starts."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from roocode.app.options import AgentOptions

SMALL_WINDOW = 16_000
_OLLAMA_PORT = 11434


def model_notes(options: AgentOptions) -> Iterator[str]:
    """A window that is too small for work, and a server that is known to cut prompts without a word."""
    for model in (options.model, *options.fallbacks):
        name = f"{model.provider}/{model.model}"
        window = model.facts.get("window", model.window)
        if window is not None and window < SMALL_WINDOW:
            yield (
                f"{name} has a window of {window} tokens there, which is too small for most work: "
                "raise it (OLLAMA_CONTEXT_LENGTH or num_ctx for Ollama, -c for llama.cpp), then test it again"
            )
        elif window is None and not model.tested and urlsplit(model.base_url).port == _OLLAMA_PORT:
            yield (
                f"{name}: Ollama cuts what does not fit its window without a word; "
                f"`roocode provider test {name}` finds out how large it is"
            )
