"""What the guard is told: the person's rules and mode, as frozen data that the composition root builds."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from roocode.protocol.decisions import Mode, Verdict
from roocode.protocol.frozen import frozen

Tier: TypeAlias = Literal["session", "local", "project", "user"]

TIERS: tuple[Tier, ...] = ("session", "local", "project", "user")
"""Highest first: the first tier with a match decides, after every deny."""

FROM_THE_DIRECTORY: frozenset[Tier] = frozenset({"local", "project"})
"""Tiers whose files lie in the working directory, so that whoever wrote it could have written them."""


@frozen
class Rule:
    """One line of a `permissions` list, such as `Bash(git log *)`.

    `tool` is our own name for it and `spec` the part in parentheses, None where the rule is about the whole
    tool. `source` is the file and line, `base` the directory that a path beginning with `/` starts from
    (empty: the workspace's root). `flaw` says why the rule can never match; it is empty for a sound one.
    """

    verdict: Verdict
    tool: str
    spec: str | None
    tier: Tier
    text: str
    source: str = ""
    base: str = ""
    flaw: str = ""


@frozen
class Narrowing:
    """The only tools that may be called for a while, as allow rules; `by` says in words who."""

    by: str
    rules: tuple[Rule, ...]


@frozen
class Policy:
    """All that a person has decided beforehand.

    `config_errors` names tiers that could not be read: each may have held a deny, so allow rules stop.
    `exact_commands` are shell lines that run without a question byte for byte (a team's verify command).
    `protected` are directories that no tool writes, beyond those known by name (a ROOCODE_HOME elsewhere).
    `plan_file` is the one file that plan mode may write. `tools` are names beyond the built-in ones. A call
    has to be within every one of the `narrowings`.
    """

    home: Path
    mode: Mode = "default"
    rules: tuple[Rule, ...] = ()
    trusted: bool = False
    config_errors: tuple[str, ...] = ()
    protected_branches: tuple[str, ...] = ("main", "master")
    protected: tuple[Path, ...] = ()
    plan_file: Path | None = None
    exact_commands: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()
    narrowings: tuple[Narrowing, ...] = ()

    def counts(self, rule: Rule) -> bool:
        """Whether a rule has effect: a deny always, the directory's others only once it is trusted."""
        return not rule.flaw and (
            rule.verdict == "deny" or self.trusted or rule.tier not in FROM_THE_DIRECTORY
        )
