"""A command whose sub-commands are imported when they are used, and one of which needs no name."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_NEAR = 0.75
_CAPITAL = re.compile(r"(?<=[a-z0-9])[A-Z]")

CONTEXT: Mapping[str, Any] = {
    "help_option_names": ["-h", "--help"],
    "token_normalize_func": lambda name: _CAPITAL.sub(lambda match: f"-{match[0].lower()}", name),
    "max_content_width": 100,
}
"""Settings of the root, which all commands inherit: `--allowedTools` is read as `--allowed-tools`."""


class Group(click.Group):
    """Sub-commands that are there, or `lazy` ones: by name, as `module:attribute`.

    A first argument that names none of them belongs to the `default` one, if there is one: `roocode team
    "fix it"` is `roocode team start "fix it"` without the word. A single word that nearly names one is
    taken for a slip and refused, and so is one of `reserved`, which names a command of a later version.
    """

    def __init__(
        self,
        name: str,
        *,
        lazy: Mapping[str, str] | None = None,
        default: str = "",
        reserved: frozenset[str] = frozenset(),
        **settings: Any,
    ) -> None:
        super().__init__(name, no_args_is_help=not default, **settings)
        self.lazy = lazy or {}
        self.default = default
        self.reserved = reserved

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names that people type, in the order in which they were given."""
        return [name for name in (*self.lazy, *self.commands) if name != self.default]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A sub-command; one that is named by its place is imported now."""
        place = self.lazy.get(cmd_name)
        if place is None:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = place.partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Puts the default's name before a command line that names no sub-command."""
        if self.default and self._is_for_default(ctx, args):
            args = [self.default, *args]
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Shows the default's options as the group's own."""
        default = self.get_command(ctx, self.default)
        parameters = [*(default.get_params(ctx) if default else ()), *self.get_params(ctx)]
        options = [parameter for parameter in parameters if isinstance(parameter, click.Option)]
        records = dict.fromkeys(record for option in options if (record := option.get_help_record(ctx)))
        with formatter.section("Options"):
            formatter.write_dl(list(records))
        self.format_commands(ctx, formatter)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Completes sub-commands, and what the default takes."""
        found = super().shell_complete(ctx, incomplete)
        default = self.get_command(ctx, self.default)
        if default is None:
            return found
        present = {item.value for item in found}
        return found + [item for item in default.shell_complete(ctx, incomplete) if item.value not in present]

    def _is_for_default(self, ctx: click.Context, args: list[str]) -> bool:
        if not args:
            return not ctx.resilient_parsing
        first = args[0]
        own = {option for parameter in self.get_params(ctx) for option in parameter.opts}
        if first in own or first in self.list_commands(ctx):
            return False
        if first in self.reserved and not ctx.resilient_parsing:
            raise click.UsageError(f"{first!r} is not in this version of RooCode.", ctx=ctx)
        if not first.isalpha() or ctx.resilient_parsing:
            return True
        from difflib import get_close_matches

        near = get_close_matches(first, self.list_commands(ctx), n=1, cutoff=_NEAR)
        if near:
            raise click.UsageError(f"No such command {first!r}. Did you mean {near[0]!r}?", ctx=ctx)
        return True
