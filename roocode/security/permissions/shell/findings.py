"""What following a line collects, and where in it a command stands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from roocode.protocol.frozen import frozen
from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.cursor import DEEPEST, TooDeep
from roocode.security.permissions.shell.values import ANYTHING, UNKNOWN, Field, Value

MOST_STEPS = 20_000
"""Commands that are followed, and what costs as much: no line that anybody needs runs more."""

_WORDS_A_STEP = 10
_CHARACTERS_A_STEP = 50


class TooIntricate(ValueError):
    """The line grows when it runs: more than MOST_STEPS commands."""


@frozen
class Running:
    """A function or file that is being followed, with the forks and background jobs around its start."""

    name: str
    body: int | str
    forks: int
    beside: int


@frozen
class Context:
    """Where a command stands: what is around it, its input, and what is being run, to see what calls itself.

    `forks` counts pipelines and background jobs around it, `beside` the latter alone. `network`: the text
    that it stands in came from another machine.
    """

    inside: tuple[str, ...] = ()
    stdin: Value = ANYTHING
    guess: bool = False
    key: tuple[object, ...] = ()
    running: tuple[Running, ...] = ()
    forks: int = 0
    beside: int = 0
    network: bool = False


@dataclass(slots=True)
class Findings:
    """`calls` in order, `doubts` why the line cannot be proven, and `alarms` why it is refused."""

    calls: list[Call] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    alarms: list[str] = field(default_factory=list)
    _steps: int = 0
    _depth: int = 0
    _recursions: dict[int | str, set[tuple[object, ...]]] = field(default_factory=dict)

    def take(self, call: Call) -> None:
        """Notes a call. Raises TooIntricate."""
        self._spend(1 + (len(call.argv) + len(call.cwds)) // _WORDS_A_STEP)
        self.calls.append(call)

    def read(self, text: str) -> None:
        """Notes that a script is read. Raises TooIntricate."""
        self._spend(len(text) // _CHARACTERS_A_STEP)

    def _spend(self, steps: int) -> None:
        self._steps += steps
        if self._steps > MOST_STEPS:
            raise TooIntricate

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """One level of nesting more. Raises TooDeep."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise TooDeep
        try:
            yield
        finally:
            self._depth -= 1

    def check_source(self, program: Field, context: Context) -> None:
        """Alarms where what is run is not known and came from where nobody has seen it."""
        if UNKNOWN not in program.text:
            return
        if program.network or context.network:
            self.alarms.append("runs what another machine sends")
        elif program.hidden:
            self.alarms.append("runs text that is hidden by an encoding")
        elif program.endless:
            self.alarms.append("runs one of too many possible programs to follow")

    def runs_itself(self, running: Running, context: Context) -> bool:
        """Whether this is running already; alarms where it goes on beside itself, or forks at two places."""
        entered = next((each for each in context.running if each.body == running.body), None)
        if entered is None:
            return False
        places = self._recursions.setdefault(running.body, set())
        places.add(context.key)
        if context.beside > entered.beside or (context.forks > entered.forks and len(places) > 1):
            self.alarms.append(f"a fork bomb: {running.name} starts itself again and again")
        return True
