"""Plugins in the making, a person, and installing without a screen."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import pytest

from roocode.interaction.config.places import Places, find_places
from roocode.interaction.plugins.finding import Candidate, Finder
from roocode.interaction.plugins.install import install, recorded
from roocode.interaction.plugins.record import Record
from roocode.interaction.plugins.store import staging

SKILL = "---\nname: {name}\ndescription: does {name}\n---\nDo it.\n"

Find = Callable[..., Awaitable[Candidate]]
Install = Callable[..., Awaitable[Record]]


def write(top: Path, files: Mapping[str, str | bytes]) -> Path:
    """Files below a directory, which is returned."""
    for name, content in files.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return top


def manifest(name: str = "kit", **more: object) -> str:
    """The text of a plugin.json."""
    return json.dumps({"name": name, **more})


def kit(top: Path, **more: object) -> Path:
    """A small plugin with one part of each kind."""
    return write(
        top,
        {
            ".claude-plugin/plugin.json": manifest(version="1.0", description="A kit", **more),
            "skills/mend/SKILL.md": SKILL.format(name="mend"),
            "skills/mend/scripts/mend.py": "print('mended')\n",
            "commands/fix.md": "---\ndescription: fixes\n---\nFix $ARGUMENTS !`git status`\n",
            "agents/judge.md": "---\nname: judge\ndescription: judges\ntools: Bash\n---\nJudge.\n",
            "hooks/hooks.json": json.dumps(
                {
                    "hooks": {
                        "PreToolUse": [
                            {
                                "matcher": "Bash",
                                "hooks": [
                                    {"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/hooks/check.sh"}
                                ],
                            }
                        ]
                    }
                }
            ),
            "hooks/check.sh": "#!/bin/sh\nexit 0\n",
            ".mcp.json": json.dumps({"mcpServers": {"db": {"command": "npx", "args": ["-y", "db"]}}}),
        },
    )


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """A person's home and a project, both empty."""
    (tmp_path / "home").mkdir()
    (tmp_path / "project/.git").mkdir(parents=True)
    return find_places(tmp_path / "project", {"HOME": str(tmp_path / "home")})


@pytest.fixture
def environ(places: Places) -> dict[str, str]:
    """The person's environment."""
    import os

    return {"HOME": str(places.person), "PATH": os.environ["PATH"]}


@pytest.fixture
def find(places: Places, environ: dict[str, str]) -> Find:
    """Finds a plugin: `await find(source, name)`."""

    async def found(source: object, name: str = "") -> Candidate:
        with staging(places) as into:
            plugin = await Finder(places, into, places.root, environ).plugin(str(source), name)
        assert isinstance(plugin, Candidate)
        return plugin

    return found


@pytest.fixture
def put(places: Places, environ: dict[str, str]) -> Install:
    """Installs a plugin as if the person had agreed: `await put(source, name)`."""

    async def installed(source: object, name: str = "") -> Record:
        with staging(places) as into:
            plugin = await Finder(places, into, places.root, environ).plugin(str(source), name)
            assert isinstance(plugin, Candidate)
            return install(places, plugin, into=into, before=recorded(places, plugin.manifest.name))

    return installed
