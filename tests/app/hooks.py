"""What tests of hooks share: a person's hooks, and what the model was sent."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from roocode.scripted.server import ScriptedServer

CALL = {"tool": "Bash", "input": {"command": "touch ran.txt"}}
READ = {"tool": "ReadFile", "input": {"path": "notes.txt"}}


def configure(home: Path, hooks: Iterable[dict[str, Any]], **more: Any) -> None:
    """Writes the person's configuration."""
    folder = home / ".roocode"
    folder.mkdir(exist_ok=True)
    (folder / "config.yaml").write_text(json.dumps({"hooks": list(hooks), **more}))


def command(event: str, line: str, **more: Any) -> dict[str, Any]:
    """A hook that runs a shell line."""
    return {"event": event, "action": {"type": "command", "command": line}, **more}


def keeps(event: str, path: Path, **more: Any) -> dict[str, Any]:
    """A hook that appends what it is told, a JSON object a line."""
    return command(event, f'cat >> "{path}"', **more)


def kept(path: Path) -> list[dict[str, Any]]:
    """What such hooks were told."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def sent(server: ScriptedServer) -> str:
    """The last conversation that the main agent sent."""
    bodies = [request.raw for request in server.log if request.sender.agent == "main"]
    return json.dumps(json.loads(bodies[-1])["messages"], ensure_ascii=False)


def scenario(*steps: object) -> dict[str, object]:
    return {"agents": {"main": list(steps)}}
