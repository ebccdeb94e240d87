"""What the built-in tools need of others: one frozen set, built for each agent."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import field
from pathlib import Path
from types import EllipsisType
from typing import Annotated, Literal, Protocol

from roocode.protocol.frozen import frozen
from roocode.protocol.tools import ToolSpec, Workspace
from roocode.security.permissions.places import Place
from roocode.security.sandbox.job import Job
from roocode.tools.schema import Input, Limit
from roocode.tools.seen import Seen
from roocode.tools.syntax.watch import SyntaxWatch
from roocode.tools.todos import Todos


class Files(Protocol):
    """Opens files of a workspace by the model's spelling or by their place.

    Raises PathRefused for what the sandbox does not let through, HostError when the disk fails.
    """

    def resolve(self, path: str) -> Place:
        """Where a path leads."""
        ...

    def read(self, path: str | Place, *, limit: int | None = None) -> bytes:
        """The bytes of a regular file, at most `limit` of them."""
        ...

    def stat(self, path: str | Place) -> os.stat_result:
        """The status of a file or directory."""
        ...

    def write(self, path: str | Place, data: bytes, *, replacing: bytes | EllipsisType | None = ...) -> Place:
        """Replaces or creates a file, whole or not at all; keeps its mode; makes missing directories.

        `replacing` is what it must still hold, None that it must not exist, `...` no condition. Raises
        HostError where that is not so.
        """
        ...

    def is_hidden(self, path: str) -> bool:
        """Whether an absolute path must not show up in what a search finds."""
        ...

    def held(self, path: str | Place) -> AbstractContextManager[Path]:
        """Keeps a directory, or a file's, open: a path to it that stays good whatever its name leads to."""
        ...


class Shell(Protocol):
    """Runs shell lines."""

    @property
    def background(self) -> dict[str, Job]:
        """The jobs that were started in the background, by id."""
        ...

    async def start(
        self,
        command: str,
        *,
        cwd: Path,
        background: bool = False,
        granted: bool = False,
        pins: Mapping[str, str] = ...,
        stdin: bytes | None = None,
    ) -> Job:
        """Starts a line; `granted` when a person or a rule wants it, `pins` win over the agent's variables.

        `stdin` is what it reads, nothing where it is None.

        Raises HostError.
        """
        ...


@frozen
class Option(Input):
    """One of the answers that a question offers."""

    label: Annotated[str, Limit(min_length=1)]
    """What is picked, in 1 to 5 words."""
    description: str = ""
    """What picking it means."""


@frozen
class Question(Input):
    """A question with answers to pick from."""

    question: Annotated[str, Limit(min_length=1)]
    """The whole question."""
    options: Annotated[tuple[Option, ...], Limit(min_length=2, max_length=4)]
    """Answers that exclude each other; one of the person's own is always possible."""
    header: str = ""
    """A label of at most 12 characters."""
    multiple: bool = False
    """Several answers may be picked."""


class Asker(Protocol):
    """A way to the person."""

    async def ask(self, questions: tuple[Question, ...]) -> tuple[str, ...] | None:
        """One answer for each question; None when the person would not answer."""
        ...


class NoteKeeper(Protocol):
    """Where notes are kept that outlive a session."""

    def keep(self, kind: Literal["user", "feedback", "project", "reference"], name: str, text: str) -> str:
        """Stores one and says where. Raises ModelError or HostError."""
        ...


class Planner(Protocol):
    """Who decides on a plan."""

    async def propose(self, plan: str) -> str:
        """Puts it to the person and says in words for the model what they decided."""
        ...


class FurtherTools(Protocol):
    """Tools beside those that the model was sent at the start."""

    def tools(self) -> tuple[ToolSpec, ...]:
        """Those that may be called, loaded or not."""
        ...

    def load(self, names: Iterable[str]) -> tuple[str, ...]:
        """Sends them to the model from the next request on; returns those that are new there."""
        ...

    async def absent(self) -> Mapping[str, str]:
        """Waits a while for servers that are being connected; then those without tools, and why."""
        ...


class SkillCatalog(Protocol):
    """Where skills come from."""

    async def load(self, name: str, arguments: str) -> str:
        """The instructions of one, or what it came to. Raises ModelError, UserError or HostError."""
        ...


@frozen
class Services:
    """What `build` of a tool gets. A part that is None is not to be had, nor the tools that need it.

    `pin_git`: nobody was asked before `git add` and `git commit`, so they run nothing that the repository
    names, as reading never does.
    """

    workspace: Workspace
    files: Files
    shell: Shell | None = None
    asker: Asker | None = None
    seen: Seen = field(default_factory=Seen)
    todos: Todos = field(default_factory=Todos)
    notes: NoteKeeper | None = None
    planner: Planner | None = None
    skills: SkillCatalog | None = None
    syntax: SyntaxWatch = field(default_factory=SyntaxWatch)
    further: FurtherTools | None = None
    pin_git: bool = False
