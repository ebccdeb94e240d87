"""What a connection needs of its host: who answers a server's questions, and who hears of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from roocode.protocol.frozen import frozen
from roocode.security.isolation.masking import Mask
from roocode.tools.services import Asker

PAUSES_S = (1.0, 2.0, 4.0, 8.0, 16.0)
"""How long a server is left alone before each further try; after the last it is given up."""


class Sampler(Protocol):
    """Asks the model on behalf of a server."""

    async def sample(
        self, system: str, turns: tuple[tuple[str, str], ...], max_tokens: int
    ) -> tuple[str, str]:
        """The answer to turns of (role, text), and the model's name. Raises RooCodeError."""
        ...


@dataclass(slots=True)
class Waiting:
    """How many questions of a server to the person are open: time does not count meanwhile."""

    questions: int = 0


@frozen
class Host:
    """The program around the connections of one process.

    `env` is what servers get, without our keys. `roots` are the directories that are worked in. Without an
    `asker` a server's questions are declined, and without a `sampler` it cannot ask the model.
    """

    root: Path
    home: Path
    state: Path
    env: Mapping[str, str] = field(repr=False)
    mask: Mask
    roots: tuple[Path, ...] = ()
    asker: Asker | None = None
    sampler: Sampler | None = None
    tell: Callable[[str], None] = lambda _text: None
    pauses_s: tuple[float, ...] = PAUSES_S

    @property
    def logs(self) -> Path:
        """Where the logs of servers lie."""
        return self.state / "logs" / "mcp"

    @property
    def logins(self) -> Path:
        """Where what a login gave is kept."""
        return self.state / "mcp-logins"
