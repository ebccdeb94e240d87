"""What a tool is, and what it says of a call before it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Protocol

from roocode.protocol.decisions import Decision
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Arguments


@frozen
class ToolSpec:
    """What the model sees of a tool: `parameters` is a JSON schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@frozen
class Touches:
    """What a call would touch; the guard judges this and the name, for every tool alike.

    Paths are as the model spelled them (the guard resolves them against `cwd`, or the workspace's root
    where that is None). `command` is a shell line. `other` marks an effect that the fields cannot name.
    """

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    command: str | None = None
    urls: tuple[str, ...] = ()
    cwd: str | None = None
    other: bool = False


@frozen
class ToolOutcome:
    """What a tool gives back: text for the model, and whether it failed.

    `ends_batch` stops the calls behind it in its batch (a failing Bash). `shown` is what a screen may
    show instead of `content`, a diff for example.
    """

    content: str
    is_error: bool = False
    ends_batch: bool = False
    shown: str = ""


@frozen
class Workspace:
    """Where one agent works: there is no global working directory.

    `root` is a real path. `extra` are further allowed directories. `scratch` is the agent's own temporary
    directory. `open_paths` are its own spills, plan and skills, wherever they lie. `env` is what its
    processes get, without our keys.
    """

    root: Path
    agent: str = "main"
    env: Mapping[str, str] = field(default_factory=dict)
    extra: tuple[Path, ...] = ()
    scratch: Path | None = None
    open_paths: tuple[Path, ...] = ()


class Tool(Protocol):
    """Something the model can do. `arguments` have been checked by `complaint` before the other methods."""

    @property
    def spec(self) -> ToolSpec:
        """Name, description and schema, frozen for a session."""
        ...

    def complaint(self, arguments: Arguments) -> str:
        """Why the arguments do not fit, naming field and expectation; empty where they do."""
        ...

    def touches(self, arguments: Arguments) -> Touches:
        """What this call would touch."""
        ...

    def runs_alongside(self, arguments: Arguments) -> bool:
        """Whether this call is safe beside its neighbours."""
        ...

    def preview(self, arguments: Arguments) -> str:
        """What a person sees before saying yes: the command whole, or a diff.

        Raises RooCodeError where no answer could make the call work: nobody is asked then.
        """
        ...

    async def run(self, arguments: Arguments, decision: Decision) -> ToolOutcome:
        """Does it, let through by `decision`.

        A failure that the model can mend is an outcome with `is_error`, not an exception.
        """
        ...
