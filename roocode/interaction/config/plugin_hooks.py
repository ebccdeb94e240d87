"""The hooks that a plugin brings, in `hooks/hooks.json` or where its manifest says."""

from __future__ import annotations

from pathlib import Path

from roocode.interaction.config.document import read_text
from roocode.interaction.config.foreign import json_document
from roocode.interaction.config.settings import HookLine
from roocode.protocol.frozen import frozen


@frozen
class PluginHooks:
    """Hooks for `Settings.hooks`, and what in the file is not honoured (file, line, key and reason)."""

    hooks: tuple[HookLine, ...] = ()
    unheeded: tuple[str, ...] = ()


def plugin_hooks(path: Path, root: Path, shown: str) -> PluginHooks:
    """Reads the hooks file of the plugin in `root`; nothing where there is none. Raises UserError.

    Its commands find the plugin in `CLAUDE_PLUGIN_ROOT`. They are not the person's own: they reach no address
    of this machine or network.
    """
    from roocode.tools.hooks.claude import Remark, entries

    text = read_text(path, shown)
    if text is None:
        return PluginHooks()
    document = json_document(text, shown)
    hooks: list[HookLine] = []
    unheeded: list[str] = []
    for each in entries(document.data.get("hooks"), plugin=str(root)):
        where = document.at(each.path)
        if isinstance(each, Remark):
            unheeded.append(f"{where}: {'.'.join(map(str, each.path))} is not honoured: {each.why}")
        else:
            hooks.append(HookLine(each.data, where, "project"))
    return PluginHooks(tuple(hooks), tuple(unheeded))
