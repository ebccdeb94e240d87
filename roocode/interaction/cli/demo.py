"""`roocode demo`: the main job with no key and no network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from roocode.interaction.cli.options import BACKENDS, output_format
from roocode.interaction.cli.requests import DemoRequest


@click.command("demo")
@click.option(
    "--dir",
    "directory",
    type=click.Path(file_okay=False, path_type=Path, resolve_path=True),
    metavar="DIR",
    help="Make the sample repository here, and leave it; absent or empty.",
)
@click.option("--backend", type=click.Choice(BACKENDS), default="auto", help="Where teammates run.")
@output_format
@click.option("--slow", is_flag=True, help="Slowly enough to watch.")
def demo(directory: Path | None, backend: Any, output: Any, slow: bool) -> DemoRequest:
    """Let a team refactor a small sample project. The model is scripted: no key, no network."""
    return DemoRequest(directory, backend, output or "text", slow)
