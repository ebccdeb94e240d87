"""Where configuration and state lie for a working directory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen

Scope: TypeAlias = Literal["user", "project", "local"]

SCOPES: tuple[Scope, ...] = ("user", "project", "local")


@frozen
class Places:
    """`home` is RooCode's own directory, `root` the project's, `person` the person's home directory."""

    home: Path
    root: Path
    person: Path

    def config(self, scope: Scope) -> Path:
        """The configuration file of a scope, whether it exists or not."""
        match scope:
            case "user":
                return self.home / "config.yaml"
            case "project":
                return self.root / ".roocode" / "config.yaml"
            case "local":
                return self.root / ".roocode" / "config.local.yaml"

    @property
    def trust(self) -> Path:
        """The record of trusted directories."""
        return self.home / "trust.json"

    @property
    def plugins(self) -> Path:
        """The folder of installed plugins."""
        return self.home / "plugins"

    @property
    def lock(self) -> Path:
        """The lock that every change of configuration or trust takes."""
        return self.home / "config.lock"

    def shown(self, path: Path) -> str:
        """A path as people write it: relative to the project, or with `~`."""
        if path.is_relative_to(self.root) and not path.is_relative_to(self.home):
            return str(path.relative_to(self.root))
        if path.is_relative_to(self.person):
            return str(Path("~") / path.relative_to(self.person))
        return str(path)


def find_places(cwd: Path, env: Mapping[str, str]) -> Places:
    """Places for a working directory: `ROOCODE_HOME` moves `~/.roocode`; UserError where it is relative.

    The project is the nearest directory upwards with a `.git` (a file in a linked worktree: it is not
    followed), or `cwd` itself.
    """
    person = Path(env["HOME"]) if env.get("HOME") else Path.home()
    named = env.get("ROOCODE_HOME")
    home = Path(named).expanduser() if named else person / ".roocode"
    if not home.is_absolute():
        # What a directory brings would become the person's own configuration.
        raise UserError(f"ROOCODE_HOME is {named!r}, which depends on the directory", "set an absolute path")
    cwd = cwd.resolve()
    root = next((folder for folder in (cwd, *cwd.parents) if (folder / ".git").exists()), cwd)
    return Places(home=home, root=root, person=person)
