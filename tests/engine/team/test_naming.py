"""Names of teams, branches and worktrees."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.engine.team import naming
from roocode.protocol.team import valid_name


@pytest.mark.parametrize(
    ("goal", "name"),
    [
        ("Refactor auth", "refactor-auth"),
        ("Add a --json flag to the CLI, please", "add-a-json-flag-to-the"),
        ("  ÉCRIRE des tests!", "ecrire-des-tests"),
        ("重构认证模块", "team"),
        ("Donaudampfschifffahrtsgesellschaft first", "donaudampfschifffahrtsge"),
        ("", "team"),
    ],
)
def test_slug(goal: str, name: str) -> None:
    assert naming.slug(goal) == name


def test_a_taken_name_gets_a_number_whatever_its_case() -> None:
    assert naming.free_name("Refactor auth", ["REFACTOR-Auth", "refactor-auth-2"]) == "refactor-auth-3"
    assert naming.free_name("Refactor auth", ["refactor"]) == "refactor-auth"


@given(st.text(), st.integers(0, 12))
def test_a_name_is_always_valid_and_free(goal: str, taken_before: int) -> None:
    taken: list[str] = []
    for _ in range(taken_before + 1):
        name = naming.free_name(goal, taken)
        assert valid_name(name)
        assert name not in taken
        taken.append(name.upper())


def test_fixed_names() -> None:
    place = naming.member_place(Path("/p"), "refactor-auth", "alice")
    assert place.path == Path("/p/.roocode/worktrees/refactor-auth/alice")
    assert place.branch == "worktree-team-refactor-auth+alice"
    place = naming.integration_place(Path("/p"), "refactor-auth")
    assert place.path == Path("/p/.roocode/worktrees/refactor-auth/_integration")
    assert place.branch == "roocode-team/refactor-auth"


@pytest.mark.parametrize(
    ("branch", "team"),
    [
        ("roocode-team/a-b", "a-b"),
        ("worktree-team-a-b+alice", "a-b"),
        ("Worktree-Team-A+bob", "A"),
        ("worktree-team-a", None),
        ("main", None),
        ("feature/roocode-team/x", None),
    ],
)
def test_team_of_a_branch(branch: str, team: str | None) -> None:
    assert naming.team_of(branch) == team
