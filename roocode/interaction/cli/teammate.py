"""`roocode teammate`: how the lead starts a member's process; not for people."""

from __future__ import annotations

from pathlib import Path

import click

from roocode.interaction.cli.requests import TeammateRequest


@click.command("teammate", hidden=True)
@click.option("--handshake", type=click.Path(path_type=Path), required=True, metavar="PATH")
def teammate(handshake: Path) -> TeammateRequest:
    """Be a member of a team: started by `roocode team`, not by hand."""
    return TeammateRequest(handshake)
