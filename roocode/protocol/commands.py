"""Commands in: what a screen can ask of the application. A closed union."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from roocode.protocol.decisions import Mode, PermissionAnswer


@dataclass(frozen=True, slots=True)
class SubmitPrompt:
    """The person's words."""

    text: str


@dataclass(frozen=True, slots=True)
class CancelRun:
    """Stop what runs and keep the session (Esc)."""


@dataclass(frozen=True, slots=True)
class AnswerPermission:
    """The person's answer to the open question with this id."""

    question_id: str
    answer: PermissionAnswer


@dataclass(frozen=True, slots=True)
class SetMode:
    """Another permission mode from now on."""

    mode: Mode


@dataclass(frozen=True, slots=True)
class Leave:
    """End the program (Ctrl+C twice, Ctrl+D)."""


Command: TypeAlias = SubmitPrompt | CancelRun | AnswerPermission | SetMode | Leave
