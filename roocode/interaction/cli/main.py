"""The command line as a whole: `parse` turns arguments into a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from roocode import __version__
from roocode.interaction.cli.group import CONTEXT, Group
from roocode.protocol.errors import UsageError

if TYPE_CHECKING:
    from roocode.interaction.cli.orders import Order
    from roocode.interaction.cli.requests import RunRequest

PROGRAM = "roocode"

_HERE = "roocode.interaction.cli"
_COMMANDS: Mapping[str, str] = {
    "chat": f"{_HERE}.chat:chat",
    "team": f"{_HERE}.team:team",
    "demo": f"{_HERE}.demo:demo",
    "sessions": f"{_HERE}.sessions:sessions",
    "trust": f"{_HERE}.trust:trust",
    "permissions": f"{_HERE}.permissions:permissions",
    "config": f"{_HERE}.config:config",
    "agents": f"{_HERE}.installed:agents",
    "skills": f"{_HERE}.installed:skills",
    "commands": f"{_HERE}.installed:commands",
    "teams": f"{_HERE}.installed:teams",
    "plugins": f"{_HERE}.plugins:plugins",
    "hooks": f"{_HERE}.hooks:hooks",
    "mcp": f"{_HERE}.mcp:mcp",
    "mcp-probe": f"{_HERE}.mcp:mcp_probe",
    "provider": f"{_HERE}.provider:provider",
    "doctor": f"{_HERE}.doctor:doctor",
    "completion": f"{_HERE}.completion:completion",
    "teammate": f"{_HERE}.teammate:teammate",
}


def _print_version(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        click.echo(f"{PROGRAM} {__version__}")
        ctx.exit()


root = Group(
    PROGRAM,
    context_settings=dict(CONTEXT),
    lazy=_COMMANDS,
    default="chat",
    reserved=frozenset({"acp", "web"}),
    subcommand_metavar='["PROMPT"] [OPTIONS] | COMMAND …',
    options_metavar="",
    help="A terminal coding agent for teams of agents. Without a command: chat in this directory, with a"
    " first prompt if given.",
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_print_version,
            help="Print the version and end.",
        )
    ],
)


def parse(arguments: Sequence[str]) -> RunRequest | Order | None:
    """The request of a command line, or None where it is answered already (help, version, completion).

    Raises UsageError, with the nearest option or command where there is one.
    """
    try:
        answer: Any = root.main(list(arguments), prog_name=PROGRAM, standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        raise UsageError(f"{_path(error)} needs a command", error.format_message()) from error
    except click.UsageError as error:
        raise UsageError(error.format_message(), f"see `{_path(error)} --help`") from error
    return None if isinstance(answer, int) else answer


def _path(error: click.UsageError) -> str:
    return error.ctx.command_path.removesuffix(" chat").removesuffix(" start") if error.ctx else PROGRAM
