"""`roocode provider`: the services that answer."""

from __future__ import annotations

from pathlib import Path

import click

from roocode.interaction.cli.group import Group
from roocode.interaction.cli.options import as_json, in_directory
from roocode.interaction.cli.orders import ProviderTest

provider = Group("provider", help="The services that answer.")


@provider.command("test")
@click.argument("name", required=False)
@as_json
@in_directory
@click.option("--no-store", "store", flag_value=False, default=True, help="Find out, but keep nothing.")
def test(cwd: Path, name: str | None, json: bool, store: bool) -> ProviderTest:
    """Ask a model a few tiny questions, and keep what it teaches.

    NAME is what --model takes: an alias, provider/model-id, or a provider; without it, the configured model.
    """
    return ProviderTest(cwd, name, json, store)
