"""What is known while a line is followed: directory, variables, functions, and files that it wrote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from roocode.security.permissions.shell.numbers import natural
from roocode.security.permissions.shell.syntax import Node
from roocode.security.permissions.shell.values import ANYTHING, EMPTY, Field, Fields, Value, either, unset

_USUAL = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "SHELL": "/bin/bash",
    "BASH": "/bin/bash",
    "TERM": "xterm",
    "LANG": "C.UTF-8",
} | dict.fromkeys(("?", "OPTIND", "$", "!", "PPID", "RANDOM", "SECONDS", "LINENO", "UID", "EUID"), "1000")
"""Variables that hold nothing secret and name no file, with what usually stands in them."""

_BLANKS = " \t\n"


@dataclass(slots=True)
class State:
    """A shell's state as far as it is followed.

    `cwd` is "" where the directory is not known; `perhaps` are directories that it may be then. `arguments`
    are `$1` and so on, `open` where there may be others; `files` the texts that the line itself wrote, by
    path; `references` the names that `declare -n` made for others.
    """

    cwd: str
    home: str
    previous: str = ""
    perhaps: tuple[str, ...] = ()
    stack: list[str] = field(default_factory=list)
    variables: dict[str, Value] = field(default_factory=dict)
    arrays: dict[str, Fields] = field(default_factory=dict)
    arguments: Fields = ()
    name: Value = (Field("bash"),)
    functions: dict[str, Node] = field(default_factory=dict)
    files: dict[str, Value] = field(default_factory=dict)
    open: bool = False
    references: dict[str, str] = field(default_factory=dict)

    @property
    def cwds(self) -> tuple[str, ...]:
        """The directories that relative paths may start from, the likely one first; "" is one not known."""
        return (self.cwd, *self.perhaps)

    def copy(self) -> State:
        """A state that can change on its own, as that of a subshell does."""
        return State(
            self.cwd,
            self.home,
            self.previous,
            self.perhaps,
            list(self.stack),
            dict(self.variables),
            dict(self.arrays),
            self.arguments,
            self.name,
            dict(self.functions),
            self.files,
            self.open,
            dict(self.references),
        )

    def merge(self, other: State) -> None:
        """Takes in what another way through the line may have left."""
        if self.cwd != other.cwd:
            self.change_directory([*self.cwds, *other.cwds])
        for name in {*self.variables, *other.variables}:
            self.variables[name] = either(self.value(name), other.value(name))
        self.arrays.update({name: value for name, value in other.arrays.items() if name not in self.arrays})
        self.functions.update(other.functions)
        if len(other.arguments) > len(self.arguments):
            self.arguments = other.arguments

    def value(self, name: str) -> Value:
        """What a variable or special parameter may hold."""
        if name in self.references and self.references[name] != name:
            return self.value(self.references[name])
        if name in self.variables:
            return self.variables[name]
        if name in self.arrays:
            return self.arrays[name][:1] or EMPTY
        number = natural(name)
        if number is not None:
            return self._argument(number)
        return self._preset(name)

    def several(self, name: str) -> Fields | None:
        """The elements of an array or of the arguments, or None where the name is no such thing."""
        return self.arguments if name in ("@", "*") else self.arrays.get(name)

    def separators(self) -> str:
        """The characters at which an unquoted expansion is split."""
        options = self.variables.get("IFS")
        return _BLANKS if options is None or not options[0].known else options[0].text

    def change_directory(self, targets: Sequence[str], others: Sequence[str] = ()) -> None:
        """Follows `cd` to one of the targets, or perhaps one of the others; "" is one not known."""
        sure = len(set(targets)) == 1
        self.previous, self.cwd = self.cwd, targets[0] if sure else ""
        known = dict.fromkeys(target for target in (*targets, *others) if target and target != self.cwd)
        self.perhaps = tuple(known)

    def _argument(self, number: int) -> Value:
        if number == 0:
            return self.name
        if number <= len(self.arguments):
            return (self.arguments[number - 1],)
        return unset() if self.open else EMPTY

    def _preset(self, name: str) -> Value:
        user = self.home.rstrip("/").rpartition("/")[2]
        match name:
            case "HOME":
                return (Field(self.home),)
            case "PWD":
                return (Field(self.cwd),) if self.cwd else ANYTHING
            case "OLDPWD":
                return (Field(self.previous),) if self.previous else unset()
            case "USER" | "LOGNAME":
                return (Field(user),)
            case _ if name in _USUAL:
                return (Field(_USUAL[name]),)
            case "IFS":
                return (Field(_BLANKS),)
            case "#":
                return (Field(str(len(self.arguments))),)
            case "@" | "*":
                return (Field(" ".join(field.text for field in self.arguments)),)
            case "TMPDIR" | "HOSTNAME":
                return ANYTHING
            case _:
                return unset()
