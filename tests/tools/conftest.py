"""An agent's tools on a real directory."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from types import EllipsisType
from typing import Any

import pytest
import pytest_asyncio

from roocode.protocol.decisions import Decision
from roocode.protocol.tools import Tool, ToolOutcome, Workspace
from roocode.security.permissions.paths import pinned
from roocode.security.permissions.places import Place
from roocode.security.sandbox.environment import child_env
from roocode.security.sandbox.files import SafeFiles
from roocode.security.sandbox.shell import LIMITS, Shells
from roocode.tools.registry import Asker, Services, build
from tests.security.sandbox.boxes import confined


class Bench:
    """The built-in tools of an agent in `root`, called as the guard would after it has allowed the call."""

    def __init__(
        self,
        root: Path,
        scratch: Path,
        *,
        asker: Asker | None = None,
        hidden: str = "",
        path: str = "",
        pin_git: bool = False,
        sandboxed: bool = False,
    ) -> None:
        env = child_env(
            {**os.environ, "PATH": f"{path}:{os.environ['PATH']}" if path else os.environ["PATH"]}
        )
        self.workspace = pinned(Workspace(root, env=env, scratch=scratch))
        self.root = self.workspace.root
        confinement = confined(self.root, env, spool=scratch / "shell") if sandboxed else None
        self.shells = Shells(
            env, spool=scratch / "shell", limits=replace(LIMITS, grace_s=0.3), confinement=confinement
        )
        files = SafeFiles(
            self.workspace, scratch.parent, hidden=lambda path: bool(hidden) and path.endswith(hidden)
        )
        self.decision = Decision("allow", "mode", "for this test")
        self.services = Services(self.workspace, files, self.shells, asker, pin_git=pin_git)
        self.tools: dict[str, Tool] = {tool.spec.name: tool for tool in build(self.services)}

    async def call(self, name: str, /, **arguments: Any) -> ToolOutcome:
        """Runs a call whose arguments fit."""
        tool = self.tools[name]
        assert tool.complaint(arguments) == ""
        return await tool.run(arguments, self.decision)

    async def text(self, name: str, /, **arguments: Any) -> str:
        """What a call that succeeds gives."""
        outcome = await self.call(name, **arguments)
        assert not outcome.is_error, outcome.content
        return outcome.content

    async def error(self, name: str, /, **arguments: Any) -> str:
        """What a call that fails says."""
        outcome = await self.call(name, **arguments)
        assert outcome.is_error, outcome.content
        return outcome.content

    def write(self, path: str, data: str | bytes) -> Path:
        """Puts a file into the workspace, past the tools."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data.encode() if isinstance(data, str) else data)
        return file


class Crowded(SafeFiles):
    """Files of a directory in which something else writes just before we do."""

    def write(
        self,
        path: str | Place,
        data: bytes,
        *,
        cwd: str | None = None,
        replacing: bytes | EllipsisType | None = ...,
    ) -> Place:
        """Writes, too late."""
        where = self.resolve(path) if isinstance(path, str) else path
        Path(where.real).write_text("theirs")
        return super().write(where, data, cwd=cwd, replacing=replacing)


@pytest_asyncio.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    """The tools of an agent in an empty directory."""
    (tmp_path / "project").mkdir()
    (tmp_path / "scratch").mkdir()
    tools = Bench(tmp_path / "project", tmp_path / "scratch")
    yield tools
    await tools.shells.close()


@pytest.fixture
def corpus() -> Path:
    """The real edits that others made; tests are skipped where they are not there."""
    shared = Path(os.environ.get("ROOCODE_SHARED", Path(__file__).parents[3] / "shared"))
    folder = shared / "corpus" / "edits"
    if not folder.is_dir():
        pytest.skip("no corpus of edits here")
    return folder
