"""`roocode completion`: completion for the shell."""

from __future__ import annotations

from typing import Any

import click

from roocode.interaction.cli.orders import Completion


@click.command("completion", short_help="Print a shell's completion script.")
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
def completion(shell: Any) -> Completion:
    """Print a shell's completion script: eval "$(roocode completion bash)"."""
    return Completion(shell)
