"""`roocode doctor`: what is missing or broken here, and the mend."""

from __future__ import annotations

from pathlib import Path

import click

from roocode.interaction.cli.options import as_json, in_directory
from roocode.interaction.cli.orders import Doctor


@click.command("doctor")
@as_json
@in_directory
def doctor(cwd: Path, json: bool) -> Doctor:
    """Check programs, keys, configuration, and stale teams and worktrees."""
    return Doctor(cwd, json)
