"""Sessions with sub-agents for tests: one that waits for them as `-p` does, and what to look at in it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from roocode.protocol.events import SubAgentChanged
from roocode.scripted.log import Record
from roocode.scripted.server import ScriptedServer
from tests.engine.loop.conftest import Opener, Session


def agent(**given: Any) -> dict[str, Any]:
    """A call of Agent."""
    return {"tool": "Agent", "input": {"prompt": "Find it.", "description": "find it", **given}}


def typed(**given: Any) -> dict[str, Any]:
    """One of a general-purpose agent."""
    return agent(subagent_type="general-purpose", **given)


def repository(root: Path) -> None:
    """Makes a git repository with a commit of the directory."""
    git = ["git", "-c", "user.name=n", "-c", "user.email=e@x", "-C", str(root)]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "--allow-empty", "-m", "Start"]):
        subprocess.run([*git, *words], check=True, timeout=60)
    for name, value in (("user.name", "n"), ("user.email", "e@x")):
        subprocess.run(["git", "-C", str(root), "config", name, value], check=True, timeout=60)


def states(session: Session, name: str = "") -> list[str]:
    """What became of the sub-agents, or of one."""
    changes = session.seen(SubAgentChanged)
    return [change.state for change in changes if name in ("", change.agent)]


def asked(server: ScriptedServer, name: str) -> list[Record]:
    """The requests of one agent."""
    return [record for record in server.log if record.sender.agent == name]


def ids(session: Session) -> list[str]:
    """The ids of the sub-agents, in order."""
    return list(dict.fromkeys(change.id for change in session.seen(SubAgentChanged)))


class Families(Opener):
    """Opens sessions; `protocol` may also be `openai-responses`."""

    def environment(self, protocol: str, url: str) -> dict[str, str]:
        if protocol != "openai-responses":
            return super().environment(protocol, url)
        (self.home / ".roocode").mkdir(exist_ok=True)
        provider = {"protocol": protocol, "base_url": f"{url}/v1", "default_model": "m"}
        config = {"providers": {"own": provider}, "model": "own/m"}
        (self.home / ".roocode" / "config.yaml").write_text(json.dumps(config))
        return super().environment("anthropic", url) | {"ANTHROPIC_BASE_URL": ""}

    def family(
        self, plays: Mapping[str, Any], *, alone: bool = True, **options: Any
    ) -> AbstractAsyncContextManager[Session]:
        """A session of `main`, `alone` as `-p` opens it; it is for the test to begin it."""
        return self.playing(plays, alone=alone, begins=False, **options)
