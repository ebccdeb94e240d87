"""What is open while a line is read: parentheses, and `case` with how far each has been read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from roocode.security.permissions.shell.cursor import DEEPEST, TooDeep
from roocode.security.permissions.shell.reading import Span

State = Literal["(", "subject", "in", "pattern", "body"]


@dataclass(slots=True)
class Nest:
    """A parenthesis, or a `case` with its subject and patterns."""

    state: State
    words: list[Span] = field(default_factory=list)


@dataclass(slots=True)
class Nesting:
    """What is open, outermost first."""

    nests: list[Nest] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.nests)

    @property
    def state(self) -> State | None:
        """How far the innermost has been read."""
        return self.nests[-1].state if self.nests else None

    @property
    def case(self) -> Nest | None:
        """The `case` whose subject or patterns are being read."""
        return self.nests[-1] if self.state in ("subject", "in", "pattern") else None

    def open(self, state: State) -> Nest:
        """Opens one more. Raises TooDeep."""
        if len(self.nests) >= DEEPEST:
            raise TooDeep
        nest = Nest(state)
        self.nests.append(nest)
        return nest

    def close(self) -> bool:
        """Takes a `)`: it ends a pattern or a parenthesis. False where it ends nothing."""
        if self.state == "pattern":
            self.nests[-1].state = "body"
        elif self.state == "(":
            self.nests.pop()
        else:
            return False
        return True

    def next_pattern(self) -> bool:
        """Takes a `;;`. False where it stands in no `case`."""
        if self.state != "body":
            return False
        self.nests[-1].state = "pattern"
        return True

    def end_case(self) -> None:
        """Takes an `esac`."""
        if self.state in ("body", "pattern"):
            self.nests.pop()
