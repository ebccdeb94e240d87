"""What following a line yields: the programs that it would start, and what those would start in turn."""

from __future__ import annotations

from typing import TypeAlias

from roocode.protocol.frozen import frozen
from roocode.security.permissions.shell.programs import base_name
from roocode.security.permissions.shell.values import ANYTHING, UNKNOWN, Field, Fields, Value


@frozen
class Target:
    """Where a redirection leads: `writes` for one that puts something there."""

    path: Field
    writes: bool
    appends: bool = False


@frozen
class Setting:
    """An assignment in front of a command, or alone."""

    name: str
    value: Value
    literal: bool


@frozen
class Call:
    """One program with its arguments, as it would be started.

    `key` is the same for the ways in which one command of the line may turn out; `spelled` are its words as
    the line has them. `cwds` are the directories it may run in, the likely one first, "" for one that is
    not known. `guess`: it may be no command at all, so it counts only where it would be refused. `plain`:
    no expansion stands in its words and redirections; `quiet`: none but of variables, so that nothing runs
    for them. `code` is what an interpreter of another language is given to run.
    """

    key: tuple[object, ...]
    argv: Fields
    spelled: tuple[str, ...]
    inside: tuple[str, ...]
    cwds: tuple[str, ...]
    stdin: Value
    targets: tuple[Target, ...] = ()
    settings: tuple[Setting, ...] = ()
    guess: bool = False
    plain: bool = True
    quiet: bool = True
    code: Value = ()

    @property
    def name(self) -> str:
        """The program's base name, or "" where it is not known."""
        text = self.argv[0].text if self.argv else ""
        return "" if UNKNOWN in text else base_name(text)

    @property
    def arguments(self) -> Fields:
        """What stands behind the program."""
        return self.argv[1:]

    @property
    def texts(self) -> list[str]:
        """The arguments as texts."""
        return [field.text for field in self.argv[1:]]


@frozen
class Program:
    """A program that another one starts. `stdin` is None where it is the other's own."""

    argv: Fields
    label: str
    stdin: Value | None = None
    directory: Field | None = None
    guess: bool = False


@frozen
class Code:
    """Shell text that a program runs, or with `file` a path to it; in the shell of the line where `here`."""

    text: Value
    label: str
    arguments: Fields = ()
    name: Value = ANYTHING
    here: bool = False
    file: bool = False
    stdin: Value | None = None
    guess: bool = False


Opened: TypeAlias = Program | Code
