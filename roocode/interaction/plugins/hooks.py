"""The hooks of installed plugins, as lines beside those of the configuration."""

from __future__ import annotations

from collections.abc import Iterator

from roocode.interaction.config.document import Document, parse_document
from roocode.interaction.config.foreign import json_document
from roocode.interaction.config.places import Places
from roocode.interaction.config.settings import HookLine
from roocode.interaction.plugins.installed import PluginHooks, plugin_hooks
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen


@frozen
class PluginLines:
    """Hooks for an agent, and what in the files is not honoured (file, line, key and reason)."""

    hooks: tuple[HookLine, ...] = ()
    unheeded: tuple[str, ...] = ()


def plugin_lines(places: Places) -> PluginLines:
    """Reads the hooks of all plugins that are used; a broken file costs its own hooks alone.

    Their commands find the plugin in `CLAUDE_PLUGIN_ROOT`. They are not the person's own: they reach no
    address of this machine or network.
    """
    found = [each for text in plugin_hooks(places) for each in _read(text, places.shown(text.source))]
    return PluginLines(
        tuple(each for each in found if isinstance(each, HookLine)),
        tuple(each for each in found if isinstance(each, str)),
    )


def _read(text: PluginHooks, shown: str) -> Iterator[HookLine | str]:
    try:
        if text.is_yaml:
            yield from _of_yaml(parse_document(text.text, shown), str(text.root))
        else:
            yield from _of_json(json_document(text.text, shown), str(text.root))
    except UserError as error:
        yield error.what


def _of_json(document: Document, root: str) -> Iterator[HookLine | str]:
    """Claude's form, with or without `hooks` around it."""
    from roocode.tools.hooks.claude import Remark, entries

    for each in entries(document.data.get("hooks", document.data), plugin=root):
        where = document.at(each.path)
        if isinstance(each, Remark):
            yield f"{where}: {'.'.join(map(str, each.path))} is not honoured: {each.why}"
        else:
            yield HookLine(each.data, where, "project")


def _of_yaml(document: Document, root: str) -> Iterator[HookLine | str]:
    """Our own form."""
    from roocode.tools.hooks.reading import HookFault, read_hook

    listed = document.data.get("hooks", [])
    if not isinstance(listed, list):
        yield f"{document.shown}: hooks is no list"
        return
    for number, each in enumerate(listed):
        where = document.at(("hooks", number))
        try:
            read_hook(each if isinstance(each, dict) else {}, where)
        except HookFault as fault:
            yield f"{where}: {fault.what}"
        else:
            yield HookLine({**each, "plugin": root}, where, "project")
