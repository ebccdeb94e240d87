"""`roocode agents`, `skills` and `teams`: what is installed, where from, and what is not used."""

from __future__ import annotations

from pathlib import Path

import click

from roocode.interaction.cli.extension_orders import InstalledList, InstalledShow, Kind
from roocode.interaction.cli.group import Group
from roocode.interaction.cli.options import as_json, in_directory


def _group(kind: Kind, text: str) -> Group:
    group = Group(kind, help=text)

    @group.command("list")
    @as_json
    @in_directory
    def list_(cwd: Path, json: bool) -> InstalledList:
        """One line each: name, source and path, and why one is not used."""
        return InstalledList(cwd, kind, json)

    @group.command("show")
    @click.argument("name")
    @in_directory
    def show(cwd: Path, name: str) -> InstalledShow:
        """The whole file of one."""
        return InstalledShow(cwd, kind, name)

    return group


agents = _group("agents", "Agent definitions.")
skills = _group("skills", "Skills.")
teams = _group("teams", "Team templates.")
