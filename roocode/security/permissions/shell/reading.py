"""What the reader hands on: groups of words with their places in the line."""

from __future__ import annotations

from dataclasses import dataclass, field

from roocode.protocol.frozen import frozen
from roocode.security.permissions.shell.syntax import Word


@frozen
class Span:
    """A word with its place in the line, in characters."""

    start: int
    end: int
    word: Word


@dataclass(slots=True)
class Redirection:
    """A redirection with its place; `body` is the text of a here-document, once it has been read."""

    start: int
    end: int
    operator: str
    descriptor: str
    target: Span
    body: Word | None = None


@dataclass(slots=True)
class Group:
    """The words and redirections between two operators; `before` and `after` are those or a keyword."""

    before: str
    parts: list[Span] = field(default_factory=list)
    redirects: list[Redirection] = field(default_factory=list)
    after: str = ""

    @property
    def start(self) -> int:
        """Where it begins, in characters."""
        return min([part.start for part in self.parts] + [found.start for found in self.redirects])


@dataclass(slots=True)
class Reading:
    """A script as read, up to `end`; `broken` says why it cannot be whole Bash.

    `lists` are the words of a `for`, `select` or `case` and `tests` what stands in `[[ ]]` or `(( ))`, by the
    place of the keyword. `hidden` are stretches that the grammar is not shown, with what it sees instead.
    """

    groups: list[Group] = field(default_factory=list)
    lists: dict[int, list[Span]] = field(default_factory=dict)
    tests: dict[int, Span] = field(default_factory=dict)
    hidden: list[tuple[int, int, str]] = field(default_factory=list)
    broken: str = ""
    end: int = 0
