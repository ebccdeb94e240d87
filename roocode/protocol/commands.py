"""Commands in: what a screen can ask of the application. A closed union."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from roocode.protocol.decisions import Mode, PermissionAnswer
from roocode.protocol.frozen import frozen


@frozen
class SubmitPrompt:
    """The person's words."""

    text: str


@frozen
class CancelRun:
    """Stop what runs and keep the session (Esc)."""


@frozen
class AnswerPermission:
    """The person's answer to the open question with this id."""

    question_id: str
    answer: PermissionAnswer


@frozen
class SetMode:
    """Another permission mode from now on."""

    mode: Mode


@frozen
class Leave:
    """End the program (Ctrl+C twice, Ctrl+D)."""


@frozen
class CompactNow:
    """Replace old turns by a summary now; `focus` is what must be kept above all."""

    focus: str = ""


@frozen
class ShowContext:
    """Say how full the model's window is."""


@frozen
class Memory:
    """Show what is remembered across sessions, or forget the note of this name."""

    forget: str = ""


RewindPart: TypeAlias = Literal["both", "code", "conversation"]
REWIND_PARTS: Final[tuple[RewindPart, ...]] = ("both", "code", "conversation")


@frozen
class Rewind:
    """Show the turns, or go back to where the one of this number began.

    `unclear` is what was asked where nobody can read it.
    """

    turn: int | None = None
    part: RewindPart = "both"
    unclear: str = ""


@frozen
class Invoke:
    """`/name arguments` of what is no command of RooCode's own: a skill, a command in a file, a prompt."""

    name: str
    arguments: str = ""


@frozen
class ShowHelp:
    """Say which slash commands there are; `unknown` is one that was tried and does not exist."""

    unknown: str = ""


Command: TypeAlias = (
    SubmitPrompt
    | CancelRun
    | AnswerPermission
    | SetMode
    | CompactNow
    | ShowContext
    | Memory
    | Rewind
    | Invoke
    | ShowHelp
    | Leave
)
