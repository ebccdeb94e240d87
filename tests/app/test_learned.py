"""A rule stored since a member's start answers its question: judged from the call alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from roocode.app.options import AgentOptions
from roocode.app.teams.learned import ruled_by
from roocode.engine.team.store.files import FileTeamStore
from roocode.interaction.config.providers import ResolvedModel
from roocode.interaction.config.settings import RuleLine
from roocode.protocol.decisions import PermissionQuestion, QuestionPart
from roocode.security.permissions.grants import digest
from tests.engine.team.on_disk import team_store

RULE = RuleLine("allow", "Bash(make all)", "local", "config.local.yaml")


@dataclass
class Team:
    """alice in a worktree of hers, and the lead's options."""

    worktree: Path
    store: FileTeamStore
    options: AgentOptions

    def asks(self, command: str, directory: str = "") -> PermissionQuestion:
        where = str(self.worktree / directory) if directory else str(self.worktree)
        exact = digest("Bash", {"command": command}, where)
        root = str(self.worktree)
        return PermissionQuestion(
            "q1",
            "alice",
            "Bash",
            {"command": command},
            command,
            "",
            "mode",
            exact,
            root=root,
            directory=where,
        )

    def ruled(self, question: PermissionQuestion, *rules: RuleLine) -> str:
        return ruled_by(self.store, self.options, rules)(question)


@pytest.fixture
def team(tmp_path: Path) -> Team:
    worktree = (tmp_path / "repo/.roocode/worktrees/crew/alice").resolve()
    worktree.mkdir(parents=True)
    store: FileTeamStore = team_store(tmp_path, "alice")
    store.update_member("alice", worktree_path=str(worktree))
    model = ResolvedModel("anthropic", "anthropic", "http://127.0.0.1:1", "m", None, "m", "http")
    options = AgentOptions(model=model, system="", home=str(tmp_path), state=str(tmp_path / ".roocode"))
    return Team(worktree, store, options)


def test_a_rule_that_covers_the_call_answers(team: Team) -> None:
    assert team.ruled(team.asks("make all")) == ""
    assert team.ruled(team.asks("make all"), RULE) == "allowed by Bash(make all) (config.local.yaml)"
    assert team.ruled(team.asks("make all && rm x"), RULE) == ""


def test_what_a_question_says_of_itself_does_not_count(team: Team) -> None:
    """P32: parts, preview and reason could be written by anyone; the digest names the real call."""
    evil = replace(team.asks("rm -rf x"), preview="make all", parts=(QuestionPart("make all"),))
    assert team.ruled(evil, RULE) == ""
    assert team.ruled(replace(evil, input={"command": "make all"}), RULE) == ""
    assert team.ruled(replace(team.asks("make all"), agent="mallory"), RULE) == ""


def test_another_directory_is_judged_as_such(team: Team) -> None:
    assert team.ruled(team.asks("make all", "docs"), RULE)
    assert team.ruled(team.asks("make all", "../bob"), RULE) == ""


def test_a_deny_or_ask_of_the_person_stays(team: Team) -> None:
    deny = RuleLine("deny", "Bash(make *)", "user", "u:1")
    ask = RuleLine("ask", "Bash(make *)", "local", "l:1")
    assert team.ruled(team.asks("make all"), RULE, deny) == ""
    assert team.ruled(team.asks("make all"), RULE, ask) == ""
