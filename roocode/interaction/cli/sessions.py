"""`roocode sessions`: saved conversations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from roocode.interaction.cli.group import Group
from roocode.interaction.cli.options import as_json, in_directory
from roocode.interaction.cli.orders import SessionsExport, SessionsList, SessionsShow, SessionsVerify

sessions = Group(
    "sessions",
    help="Saved conversations.",
)


@sessions.command("list")
@as_json
@in_directory
def list_(cwd: Path, json: bool) -> SessionsList:
    """The sessions of this directory, the newest first."""
    return SessionsList(cwd, json)


@sessions.command("show")
@click.argument("session", metavar="ID|NAME")
@in_directory
def show(cwd: Path, session: str) -> SessionsShow:
    """A conversation as it was."""
    return SessionsShow(cwd, session)


@sessions.command("export")
@click.argument("session", metavar="ID|NAME")
@click.option(
    "--format", "form", type=click.Choice(("markdown", "jsonl")), default="markdown", help="The form."
)
@in_directory
def export(cwd: Path, session: str, form: Any) -> SessionsExport:
    """Print a conversation for use elsewhere."""
    return SessionsExport(cwd, session, form)


@sessions.command("verify")
@click.argument("session", metavar="[ID|NAME]", required=False)
@click.option("--repair", is_flag=True, help="Mend what can be mended; the old file is kept.")
@in_directory
def verify(cwd: Path, session: str | None, repair: bool) -> SessionsVerify:
    """Check saved sessions: every line, and that each call has one result."""
    return SessionsVerify(cwd, session, repair)
