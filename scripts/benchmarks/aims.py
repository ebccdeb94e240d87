"""Each measure with its aim, the floor and the best peer.

Peers and floors were measured on 2026-11-29 on two cores (AMD EPYC virtual machine, 24 GiB, Debian 12,
CPython 3.11.7) with the same kind of work: a scripted model on loopback without delay, 200 small files, one
file read a turn, median of 5 runs. The floor of the times is a bare Python client on httpx, that of a spawn a
pane (0.11 s) and this client, that of a message a renamed file and a datagram, that of a snapshot a run of
`git status` in the same repository.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Unit = Literal["s", "ms", "MB", "%"]


@dataclass(frozen=True, slots=True)
class Aim:
    """A measure. `aim` is the bound of the median, None where there is none; `at_least` turns it round."""

    name: str
    title: str
    unit: Unit
    aim: float | None
    floor: str
    peer: str
    at_least: bool = False

    def is_met(self, value: float) -> bool:
        """Whether a figure keeps the bound."""
        if self.aim is None:
            return True
        return value >= self.aim if self.at_least else value < self.aim


AIMS = (
    Aim("start", "start to the first request, -p", "s", 0.35, "0.18", "0.27 codex, most 2-5"),
    Aim("turn20", "a tool turn, of 20", "ms", 5, "1.8", "9.7 gemini-cli, most 27-73"),
    Aim("turn200", "the last 20 of 200 tool turns", "ms", 5, "1.8", "21 gemini-cli, most 28-250"),
    Aim("eight", "8 agents at once, 20 turns each", "s", 4, "-", "7.6 codex, most 16-95"),
    Aim("memory", "their memory (PSS), all 8", "MB", 280, "-", "384 codex, most 850-3800"),
    Aim("spawn", "Agent call to the teammate's first request", "s", None, "0.30", "-"),
    Aim("message", "message written to read", "ms", 5, "0.4", "250, polling at 500 ms"),
    Aim("idle", "CPU of a waiting teammate", "%", 1, "0", "-"),
    Aim("undo", "one file kept, of 20,000", "ms", 50, "23", "-"),
    Aim("guard", "1,000 Bash commands judged", "s", 2, "-", "-"),
    Aim("prefix", "prompt prefix kept", "%", 100, "100", "100 all", at_least=True),
)
NAMES = tuple(aim.name for aim in AIMS)
