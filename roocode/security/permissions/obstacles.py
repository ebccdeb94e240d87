"""Why a command is not plain, where an allow rule can look past it; and past which programs."""

from __future__ import annotations

RUNS_OTHERS = "it runs other commands"
REDIRECTED = "an output redirection"
"""What a part is opaque for although a rule may cover it: the rest of the call is judged by itself."""

TRANSPARENT = frozenset({"time", "timeout", "command", "builtin", "noglob", "nice", "nohup", "stdbuf"})
"""Wrappers that change nothing of what a program does: an allow rule is held against what they run."""

_RUNNERS = """
    npx bunx uv poetry pipenv pdm hatch rye bundle mise direnv asdf rbenv pyenv nodenv dotenv
"""
RUNNERS = frozenset(_RUNNERS.split())
"""Programs that run what their arguments name, and that people write rules about by their own name."""
