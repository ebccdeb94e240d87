"""A project on disk and what the guard says of calls in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from roocode.protocol.decisions import Mode, Verdict
from roocode.protocol.tools import Workspace
from roocode.security.permissions.check import check
from roocode.security.permissions.paths import pinned
from roocode.security.permissions.policy import Policy, Rule, Tier
from roocode.security.permissions.rules import parse_rule


@dataclass
class Scene:
    """A project with a home and a directory outside; `rules` and `trusted` may be changed at any time."""

    top: Path
    rules: list[Rule] = field(default_factory=list)
    trusted: bool = True
    config_errors: tuple[str, ...] = ()
    root: Path = Path()

    def __post_init__(self) -> None:
        self.root = self.top / "proj"
        for path in ("proj/src/a.py", "proj/README.md", "proj2/secret.txt", "outside/secret.txt", "home/x"):
            self.write(self.top / path, "x\n")
        self.write(self.root / ".git/HEAD", "ref: refs/heads/main\n")

    def write(self, path: Path, text: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def add(self, verdict: Verdict, text: str, tier: Tier = "user") -> None:
        self.rules.append(parse_rule(text, verdict, tier, tier))

    def answer(
        self, tool: str, mode: Mode = "default", cwd: str | None = None, **input: object
    ) -> dict[str, str]:
        """Decision, layer, rule, source and reason of one call."""
        policy = Policy(
            self.top / "home",
            mode,
            tuple(self.rules),
            trusted=self.trusted,
            config_errors=self.config_errors,
        )
        return check(tool, input, policy, pinned(Workspace(self.root)), cwd=cwd)

    def says(self, tool: str, mode: Mode = "default", cwd: str | None = None, **input: object) -> str:
        return self.answer(tool, mode, cwd, **input)["decision"]

    def bash(self, command: str, mode: Mode = "default") -> str:
        return self.says("Bash", mode, command=command)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path.resolve())
