"""The fixed names of a team's branches and worktrees, and a name for a team from its goal. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from pathlib import Path

from roocode.security.isolation.place import Place

TEAMS = ".roocode/teams"
WORKTREES = ".roocode/worktrees"
INTEGRATION = "_integration"
EXCLUDED = (f"{TEAMS}/", f"{WORKTREES}/", ".roocode/config.local.yaml", ".roocode-*.tmp")
"""What git shows to nobody: our state, and what a writer that was killed left beside its file."""
NAME_LENGTH = 32
SLUG_LENGTH = 24


def integration_branch(team: str) -> str:
    """The branch that a team's work is merged on."""
    return f"roocode-team/{team}"


def member_branch(team: str, member: str) -> str:
    """The branch that a member works on."""
    return f"worktree-team-{team}+{member}"


def integration_place(main_root: Path, team: str) -> Place:
    """Where a team's work is merged."""
    return Place(main_root / WORKTREES / team / INTEGRATION, integration_branch(team), f"{team}/integration")


def member_place(main_root: Path, team: str, member: str) -> Place:
    """Where a member works."""
    return Place(main_root / WORKTREES / team / member, member_branch(team, member), f"{team}/{member}")


def team_of(branch: str) -> str | None:
    """The team that a branch belongs to by its name."""
    found = re.fullmatch(r"roocode-team/(.+)|worktree-team-(.+)\+[^+]+", branch, re.IGNORECASE)
    return found and (found[1] or found[2])


def free_name(goal: str, taken: Collection[str]) -> str:
    """A team name from the goal's first words, with a number when it is taken; case does not tell apart."""
    used = {name.casefold() for name in taken}
    stem = slug(goal)
    number = 1
    while True:
        end = "" if number == 1 else f"-{number}"
        name = stem[: NAME_LENGTH - len(end)].rstrip("-") + end
        if name not in used:
            return name
        number += 1


def slug(goal: str) -> str:
    """The goal's first words as a name; "team" where it has no Latin letter or digit."""
    plain = unicodedata.normalize("NFKD", goal).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)
    name = words[0][:SLUG_LENGTH] if words else "team"
    for word in words[1:]:
        if len(name) + 1 + len(word) > SLUG_LENGTH:
            break
        name += f"-{word}"
    return name
