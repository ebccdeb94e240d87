"""Options that several commands share, and what they become in a request."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar

import click

from roocode.interaction.cli.requests import RunOptions
from roocode.interaction.config.document import KeyPath
from roocode.interaction.config.sources import DENY, DIRECTORIES, Flag
from roocode.protocol.decisions import MODES
from roocode.protocol.models import EFFORTS

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
Decorator = Callable[[Decorated], Decorated]

_KEYS: Mapping[str, tuple[KeyPath, str]] = {
    "model": (("model",), "--model"),
    "fallback_model": (("fallback_model",), "--fallback-model"),
    "effort": (("effort",), "--effort"),
    "permission_mode": (("permissions", "mode"), "--permission-mode"),
    "max_turns": (("max_turns",), "--max-turns"),
    "max_seconds": (("max_seconds",), "--max-seconds"),
    "max_teammates": (("team", "max_teammates"), "--max-teammates"),
    "backend": (("team", "backend"), "--backend"),
    "verify": (("team", "verify"), "--verify"),
    "coordinator": (("team", "coordinator"), "--coordinator"),
}
"""Parameters that set one key, with the option's name for messages."""

_ITEMS: Mapping[str, tuple[KeyPath, str]] = {
    "allowed_tools": (("permissions", "allow"), "--allowed-tools"),
    "disallowed_tools": (DENY, "--disallowed-tools"),
    "add_dir": (DIRECTORIES, "--add-dir"),
}
"""Parameters that add to a list."""


class Exactly(click.Choice[str]):
    """A choice of words that are shown and read as they are spelled, capitals too."""

    def normalize_choice(self, choice: object, ctx: click.Context | None) -> str:
        """The word itself."""
        return str(choice)


DIRECTORY = click.Path(exists=True, file_okay=False, path_type=Path, resolve_path=True)
BACKENDS = ("auto", "tmux", "iterm2", "in-process")

in_directory: Decorator[Any] = click.option(
    "--cwd",
    type=DIRECTORY,
    default=".",
    metavar="DIR",
    help="Work in this directory instead of the current one.",
)
as_json: Decorator[Any] = click.option("--json", "json", is_flag=True, help="Print JSON.")
headless: Decorator[Any] = click.option(
    "-p", "--print", "headless", is_flag=True, help="Run without a terminal, print the answer and end."
)
output_format: Decorator[Any] = click.option(
    "--output-format",
    "output",
    type=click.Choice(("text", "json", "stream-json")),
    help="What a run without a terminal prints; text by default.",
)
partial_messages: Decorator[Any] = click.option(
    "--include-partial-messages",
    "partial_messages",
    is_flag=True,
    help="With stream-json, also every piece of text as it comes.",
)

_RUN: tuple[Decorator[Any], ...] = (
    click.option(
        "--model", metavar="NAME", help="An alias, provider/model-id, or a provider for its default."
    ),
    click.option(
        "--fallback-model",
        metavar="NAMES",
        help="Who answers until the next prompt where the model does not: one name, or several, as a,b.",
    ),
    click.option("--effort", type=click.Choice(EFFORTS), help="How hard the model thinks."),
    click.option("--permission-mode", type=Exactly(MODES), help="What runs without a question."),
    click.option(
        "--allowed-tools",
        multiple=True,
        metavar="RULES",
        help='Rules to allow, as "Bash(git log *), ReadFile".',
    ),
    click.option("--disallowed-tools", multiple=True, metavar="RULES", help="Rules to deny."),
    click.option(
        "--add-dir", multiple=True, type=DIRECTORY, metavar="DIR", help="A further directory to work in."
    ),
    click.option("--max-turns", type=click.IntRange(min=1), metavar="N", help="End after this many turns."),
    click.option(
        "--max-budget-usd",
        type=click.FloatRange(min=0, min_open=True),
        metavar="USD",
        help="End when this much is spent.",
    ),
    click.option(
        "--max-budget-tokens",
        type=click.IntRange(min=1),
        metavar="N",
        help="End when this many tokens are used.",
    ),
    click.option(
        "--max-seconds", type=click.IntRange(min=1), metavar="N", help="End after this many seconds."
    ),
    click.option(
        "--mcp-config",
        multiple=True,
        metavar="FILE|JSON",
        help="Further MCP servers: a file like .mcp.json, or its text.",
    ),
    click.option("--strict-mcp-config", is_flag=True, help="Only the MCP servers of --mcp-config."),
    click.option("--append-system-prompt", default="", metavar="TEXT", help="Added to the system prompt."),
    click.option(
        "--agents",
        default="",
        metavar="JSON",
        help='Agents to define: {"name": {"description", "prompt", …}}.',
    ),
    in_directory,
    click.option("-v", "--verbose", is_flag=True, help="Say more on standard error."),
)


def run_options(function: Decorated) -> Decorated:
    """Adds the options that every run of an agent takes; `run_options_of` reads them."""
    return reduce(lambda decorated, option: option(decorated), reversed(_RUN), function)


def run_options_of(given: Mapping[str, Any]) -> RunOptions:
    """The shared part of a request, from a command's parameters."""
    budget = given.get("max_budget_usd")
    if budget is not None and not math.isfinite(budget):
        raise click.BadParameter("not a number of dollars", param_hint="'--max-budget-usd'")
    return RunOptions(
        cwd=given["cwd"],
        flags=tuple(_flags(given)),
        append_system_prompt=given.get("append_system_prompt", ""),
        agents=given.get("agents", ""),
        max_budget_usd=budget,
        max_budget_tokens=given.get("max_budget_tokens"),
        verbose=given.get("verbose", False),
        mcp_config=tuple(given.get("mcp_config", ())),
        strict_mcp_config=given.get("strict_mcp_config", False),
    )


def output_of(given: Mapping[str, Any]) -> Any:
    """The output format; raises UsageError where it is given without `-p`."""
    if not given["headless"]:
        for name, option in (
            ("output", "--output-format"),
            ("partial_messages", "--include-partial-messages"),
        ):
            if given.get(name):
                raise click.UsageError(f"{option} needs -p.")
    return given["output"] or "text"


def one_text(words: Sequence[str], what: str) -> str:
    """The one text that an argument should be; raises UsageError for several words without quotes."""
    if len(words) > 1:
        raise click.UsageError(
            f"One {what} is expected, in quotes: {' '.join(words)!r} are several words."
            " A command's name comes before all options."
        )
    return words[0] if words else ""


def _flags(given: Mapping[str, Any]) -> Iterator[Flag]:
    for name, (key, option) in _KEYS.items():
        if given.get(name) is not None:
            yield Flag(key, given[name], option)
    for name, (key, option) in _ITEMS.items():
        for value in given.get(name, ()):
            yield from (Flag(key, item, option) for item in _items(value))


def _items(value: str | Path) -> Iterator[str]:
    """The rules of one option: split at commas and blanks outside parentheses; a directory is one item."""
    if isinstance(value, Path):
        yield str(value)
        return
    item, depth = "", 0
    for character in value:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth <= 0 and (character == "," or character.isspace()):
            if item:
                yield item
            item = ""
        else:
            item += character
    if item:
        yield item
