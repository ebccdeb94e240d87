"""`roocode config`: what is set, and where."""

from __future__ import annotations

from pathlib import Path

import click

from roocode.interaction.cli.group import Group
from roocode.interaction.cli.options import as_json, in_directory
from roocode.interaction.cli.orders import ConfigGet, ConfigPath, ConfigSet, ConfigShow
from roocode.interaction.config.places import Scope

config = Group(
    "config",
    help="What is set, and where.",
)

project = click.option("--project", is_flag=True, help="The project's file, which stands in git.")
local = click.option("--local", is_flag=True, help="This checkout's own file.")


@config.command("show")
@as_json
@in_directory
def show(cwd: Path, json: bool) -> ConfigShow:
    """Every value with the place that set it."""
    return ConfigShow(cwd, json)


@config.command("get")
@click.argument("key")
@in_directory
def get(cwd: Path, key: str) -> ConfigGet:
    """The value of one key, as team.backend."""
    return ConfigGet(cwd, key)


@config.command("set")
@click.argument("key")
@click.argument("value")
@project
@local
@in_directory
def set_(cwd: Path, key: str, value: str, project: bool, local: bool) -> ConfigSet:
    """Set one key, and leave the rest of the file as it is."""
    return ConfigSet(cwd, key, value, scope_of(project, local))


@config.command("path")
@project
@local
@in_directory
def path(cwd: Path, project: bool, local: bool) -> ConfigPath:
    """Where the file lies, whether it exists or not."""
    return ConfigPath(cwd, scope_of(project, local))


def scope_of(project: bool, local: bool) -> Scope:
    """The file that is meant; the person's own without an option."""
    if project and local:
        raise click.UsageError("--project and --local exclude each other.")
    return "project" if project else "local" if local else "user"
