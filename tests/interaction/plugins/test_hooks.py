"""Hooks of plugins know their plugin, and a broken file costs its own hooks alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roocode.interaction.config.settings import HookLine
from roocode.interaction.plugins import hooks as reading
from roocode.interaction.plugins.installed import PluginHooks
from roocode.tools.hooks.claude import read_any


def of(root: Path, name: str, text: str) -> list[HookLine | str]:
    found = PluginHooks("kit", root, root.parent / "data", root / name, text)
    return list(reading._read(found, f"p/{name}"))


@pytest.mark.parametrize("wrapped", [True, False])
def test_hooks_know_their_plugin_and_are_not_the_persons_own(tmp_path: Path, wrapped: bool) -> None:
    hook = {"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/x.sh", "once": True}
    events = {"Stop": [{"hooks": [hook]}], "Setup": []}

    line, unheeded = of(
        tmp_path, "hooks.json", json.dumps({"hooks": events} if wrapped else events, indent=1)
    )

    assert isinstance(line, HookLine)
    read = read_any(line.data, line.source, own=line.tier == "user")
    assert (read.plugin, read.own, read.foreign, read.once) == (str(tmp_path), False, True, True)
    assert "Setup is not honoured: RooCode has no such event" in str(unheeded)


def test_our_own_form(tmp_path: Path) -> None:
    text = (
        "hooks:\n- event: stop\n  action: {type: hint, text: Look.}\n- event: sotp\n  action: {type: block}\n"
    )

    line, fault = of(tmp_path, "hooks.yaml", text)

    assert isinstance(line, HookLine)
    read = read_any(line.data, line.source, own=False)
    assert (read.plugin, read.kind.name, line.source) == (str(tmp_path), "stop", "p/hooks.yaml:2")
    assert str(fault).startswith("p/hooks.yaml:4: ")


def test_a_broken_file_is_told(tmp_path: Path) -> None:
    (fault,) = of(tmp_path, "broken.json", "{\n oops")
    assert str(fault).startswith("p/broken.json:2: not JSON")
