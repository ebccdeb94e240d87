"""`roocode plugins`: what is installed, installing and removing, and marketplaces to install from."""

from __future__ import annotations

from pathlib import Path

import click

from roocode.interaction.cli.extension_orders import (
    MarketplaceAdd,
    MarketplaceList,
    MarketplaceRemove,
    PluginsInstall,
    PluginsList,
    PluginsRemove,
    PluginsShow,
)
from roocode.interaction.cli.group import Group
from roocode.interaction.cli.options import as_json, in_directory

plugins = Group("plugins", help="Plugins: skills, commands, agents, hooks and MCP servers from one place.")
marketplace = Group("marketplace", help="Lists of plugins that you install from by name.")
plugins.add_command(marketplace)


@plugins.command("list")
@click.option("--available", is_flag=True, help="What your marketplaces offer, as they were last looked at.")
@as_json
@in_directory
def list_(cwd: Path, json: bool, available: bool) -> PluginsList:
    """One line each: name, version and source, and why one is not used."""
    return PluginsList(cwd, json, available)


@plugins.command("show")
@click.argument("name")
@as_json
@in_directory
def show(cwd: Path, json: bool, name: str) -> PluginsShow:
    """What one brings, what of it can run, and what is not honoured."""
    return PluginsShow(cwd, name, json)


@plugins.command("install")
@click.argument("source")
@click.option("--plugin", default="", metavar="NAME", help="Which one, where SOURCE is a marketplace.")
@click.option(
    "-y", "--yes", is_flag=True, help="Install it without a question; needed where there is no terminal."
)
@in_directory
def install(cwd: Path, source: str, plugin: str, yes: bool) -> PluginsInstall:
    """Install or update a plugin, after showing what it brings and what of it could run.

    SOURCE is a directory (./plugin), a git address (https, ssh, git+file), OWNER/REPO, each with #REF or
    #REF:FOLDER behind it, or NAME@MARKETPLACE.
    """
    return PluginsInstall(cwd, source, plugin, yes)


@plugins.command("remove")
@click.argument("name")
@in_directory
def remove(cwd: Path, name: str) -> PluginsRemove:
    """Remove a plugin with all its files and data."""
    return PluginsRemove(cwd, name)


@marketplace.command("add")
@click.argument("source")
@in_directory
def add(cwd: Path, source: str) -> MarketplaceAdd:
    """Add a marketplace, or bring its list up to date. Nothing of it is installed."""
    return MarketplaceAdd(cwd, source)


@marketplace.command("list")
@as_json
@in_directory
def list_marketplaces(cwd: Path, json: bool) -> MarketplaceList:
    """One line each: name, source, and how many plugins it offers."""
    return MarketplaceList(cwd, json)


@marketplace.command("remove")
@click.argument("name")
@in_directory
def remove_marketplace(cwd: Path, name: str) -> MarketplaceRemove:
    """Forget a marketplace; plugins that came from it stay."""
    return MarketplaceRemove(cwd, name)
