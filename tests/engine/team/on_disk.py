"""A team in a temporary directory, and messages to put into it."""

from pathlib import Path

from roocode.engine.team import mail
from roocode.engine.team.store.files import FileTeamStore
from roocode.protocol.team import Member, StatusUpdate, Team, TextMail

AT = "2026-01-02T03:04:05.678Z"


def member(name: str) -> Member:
    return Member(
        name=name,
        agent_id=f"agent-{name}",
        agent_type="general-purpose",
        model="scripted",
        color="blue",
        worktree_path=f"/repo/.roocode/worktrees/crew/{name}",
        branch=f"worktree-team-crew+{name}",
        backend_type="in-process",
    )


def roster(*names: str) -> Team:
    return Team(
        name="crew",
        lead_agent_id="agent-lead",
        goal="refactor",
        created_at=AT,
        base_branch="main",
        base_commit="c0ffee",
        integration_branch="roocode-team/crew",
        members=tuple(member(name) for name in names),
    )


def team_store(directory: Path, *names: str) -> FileTeamStore:
    store = FileTeamStore(directory / "teams" / "crew")
    store.create(roster(*names))
    return store


def text_mail(text: str, to: str = "bob", sender: str = "alice") -> TextMail:
    return TextMail(id=mail.new_id(), from_=sender, to=to, timestamp=AT, summary="a word", text=text)


def status_mail(text: str, to: str = "bob", sender: str = "alice") -> StatusUpdate:
    return StatusUpdate(id=mail.new_id(), from_=sender, to=to, timestamp=AT, summary="a fact", text=text)
