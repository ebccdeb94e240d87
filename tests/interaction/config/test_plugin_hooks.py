"""The hooks file of a plugin."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roocode.interaction.config.plugin_hooks import PluginHooks, plugin_hooks
from roocode.protocol.errors import UserError
from roocode.tools.hooks.claude import read_any


def test_hooks_know_their_plugin_and_are_not_the_persons_own(tmp_path: Path) -> None:
    path = tmp_path / "hooks.json"
    hook = {"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/x.sh", "once": True}
    path.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [hook]}], "Setup": []}}, indent=1))

    found = plugin_hooks(path, tmp_path, "p/hooks.json")

    [line] = found.hooks
    read = read_any(line.data, line.source, own=line.tier == "user")
    assert (read.plugin, read.own, read.foreign, read.once) == (str(tmp_path), False, True, True)
    assert line.source == "p/hooks.json:6"
    assert found.unheeded == ("p/hooks.json:14: hooks.Setup is not honoured: RooCode has no such event",)


def test_none_and_broken_ones(tmp_path: Path) -> None:
    assert plugin_hooks(tmp_path / "none.json", tmp_path, "none.json") == PluginHooks()
    (tmp_path / "broken.json").write_text("{\n oops")
    with pytest.raises(UserError, match=r"broken\.json:2: not JSON"):
        plugin_hooks(tmp_path / "broken.json", tmp_path, "broken.json")
