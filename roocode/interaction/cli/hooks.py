"""`roocode hooks`: which hooks there are, and which would have fired in a recorded session."""

from __future__ import annotations

from pathlib import Path

import click

from roocode.interaction.cli.extension_orders import HooksList, HooksShow, HooksTest
from roocode.interaction.cli.group import Group
from roocode.interaction.cli.options import as_json, in_directory

hooks = Group("hooks", help="Hooks: what runs by itself when something happens.")


@hooks.command("list")
@as_json
@in_directory
def list_(cwd: Path, json: bool) -> HooksList:
    """One line each: name, event, action and place, and why one has no effect."""
    return HooksList(cwd, json)


@hooks.command("show")
@click.argument("name")
@in_directory
def show(cwd: Path, name: str) -> HooksShow:
    """All of one, by its name or its place (file:line)."""
    return HooksShow(cwd, name)


@hooks.command("test")
@click.argument("session", metavar="[ID|NAME|FILE]", required=False)
@click.option("--event", default="", metavar="EVENT", help="Only this event.")
@click.option("--run", is_flag=True, help="Run the hooks too, and say what they answer.")
@as_json
@in_directory
def test(cwd: Path, session: str | None, event: str, run: bool, json: bool) -> HooksTest:
    """Say which hooks would have fired in a recorded session, the last one by default.

    Nothing is run, unless --run asks for it.
    """
    return HooksTest(cwd, session, event, run, json)
