"""`roocode trust`: directories whose own files may take effect."""

from __future__ import annotations

from pathlib import Path

import click

from roocode.interaction.cli.options import DIRECTORY
from roocode.interaction.cli.orders import TrustDirectory, TrustList, TrustOrder, TrustRevoke


@click.command("trust")
@click.argument("directory", type=DIRECTORY, metavar="[DIR]", required=False)
@click.option(
    "-y", "--yes", is_flag=True, help="Trust it without a question; needed where there is no terminal."
)
@click.option("--list", "listing", is_flag=True, help="List the trusted directories.")
@click.option(
    "--revoke",
    type=click.Path(path_type=Path, resolve_path=True),
    metavar="DIR",
    help="Trust a directory no more; it need not exist.",
)
def trust(directory: Path | None, yes: bool, listing: bool, revoke: Path | None) -> TrustOrder:
    """Trust a directory (the current one), after showing what of it would take effect."""
    if sum((directory is not None or yes, listing, revoke is not None)) > 1:
        raise click.UsageError("DIR, --list and --revoke exclude each other.")
    if listing:
        return TrustList(Path.cwd())
    if revoke is not None:
        return TrustRevoke(revoke)
    return TrustDirectory(directory or Path.cwd(), yes)
