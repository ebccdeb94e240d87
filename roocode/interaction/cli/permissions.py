"""`roocode permissions`: what the guard would say, without running anything."""

from __future__ import annotations

from typing import Any

import click

from roocode.interaction.cli.group import Group
from roocode.interaction.cli.options import as_json, run_options, run_options_of
from roocode.interaction.cli.orders import PermissionsCheck, PermissionsExplain, PermissionsList

permissions = Group(
    "permissions",
    help="What the guard would say of a call, and why.",
)

tool_option = click.option("--tool", default="", metavar="NAME", help="The tool of the call.")
input_option = click.option(
    "--input", "input_", default="", metavar="JSON", help="Its arguments, a JSON object."
)


@permissions.command("check")
@tool_option
@input_option
@click.option(
    "--jsonl",
    default="",
    metavar="FILE",
    help="A call a line, {tool, input, mode?, cwd?}; - is standard input.",
)
@run_options
def check(tool: str, input_: str, jsonl: str, **given: Any) -> PermissionsCheck:
    """Judge one call or many: prints a JSON object a line."""
    if bool(jsonl) == bool(tool or input_):
        raise click.UsageError("Give --tool and --input, or --jsonl.")
    if not jsonl and not (tool and input_):
        raise click.UsageError("--tool and --input belong together.")
    return PermissionsCheck(run_options_of(given), tool, input_, jsonl)


@permissions.command("list")
@as_json
@run_options
def list_(json: bool, **given: Any) -> PermissionsList:
    """The rules that count here, and those that do not and why."""
    return PermissionsList(run_options_of(given), json)


@permissions.command("explain")
@tool_option
@input_option
@run_options
def explain(tool: str, input_: str, **given: Any) -> PermissionsExplain:
    """Judge one call, in words."""
    if not (tool and input_):
        raise click.UsageError("--tool and --input belong together.")
    return PermissionsExplain(run_options_of(given), tool, input_)
