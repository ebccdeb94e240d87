"""`roocode team "goal"`, and what can be done with a team."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from roocode.interaction.cli.group import Group
from roocode.interaction.cli.options import (
    BACKENDS,
    as_json,
    headless,
    in_directory,
    one_text,
    output_format,
    output_of,
    partial_messages,
    run_options,
    run_options_of,
)
from roocode.interaction.cli.orders import (
    TeamAnswer,
    TeamAttach,
    TeamCleanup,
    TeamList,
    TeamLogs,
    TeamMerge,
    TeamMessage,
    TeamStatus,
    TeamStop,
    TeamTasks,
)
from roocode.interaction.cli.requests import TeamRequest, TeamResume

team = Group(
    "team",
    default="start",
    reserved=frozenset({"undo", "blame", "wait", "doctor", "export", "import", "record", "replay"}),
    subcommand_metavar='"GOAL" [OPTIONS] | COMMAND …',
    options_metavar="",
    help="Run a team of agents on this repository, or look after one.",
)

which_team = click.option("--team", metavar="TEAM", help="Which team, where there is more than one.")
only = click.option("--only", is_flag=True, help="This question alone, not all that look the same.")
merging = click.option(
    "--no-merge", "merge", flag_value=False, default=True, help="Leave the result on the integration branch."
)
cleaning = click.option("--cleanup", is_flag=True, help="Remove worktrees, branches and team at the end.")
verifying = click.option("--verify", metavar="CMD", help="The command that must pass before the merge lands.")
backends = click.option("--backend", type=click.Choice(BACKENDS), help="Where teammates run.")


@team.command("start")
@click.argument("words", nargs=-1, required=True, metavar="GOAL")
@headless
@output_format
@partial_messages
@click.option("-n", "--name", metavar="NAME", help="The team's name; made from the goal by default.")
@click.option("--max-teammates", type=click.IntRange(1, 32), metavar="N", help="At most this many at once.")
@backends
@click.option("--teammate-model", metavar="NAME", help="The teammates' model; the lead's by default.")
@verifying
@click.option("--base", metavar="REF", help="Start from this commit or branch instead of HEAD.")
@click.option(
    "--dirty",
    type=click.Choice(("ignore", "refuse")),
    default="ignore",
    help="What to do with uncommitted changes, which the team does not see by default.",
)
@merging
@cleaning
@click.option(
    "--coordinator/--no-coordinator",
    default=None,
    help="Whether the lead only schedules, without any code tool of its own.",
)
@run_options
def start(**given: Any) -> TeamRequest:
    """Run a team on this repository."""
    return TeamRequest(
        options=run_options_of(given),
        output=output_of(given),
        goal=one_text(given["words"], "goal"),
        **{name: given[name] for name in ("headless", "partial_messages", "name", "teammate_model")},
        **{name: given[name] for name in ("base", "dirty", "merge", "cleanup")},
    )


@team.command("status")
@click.argument("team", required=False)
@as_json
@click.option("--watch", is_flag=True, help="Show it again whenever it changes, until Ctrl+C.")
@in_directory
def status(cwd: Path, team: str | None, json: bool, watch: bool) -> TeamStatus:
    """Members, tasks, waiting permissions, tokens and cost."""
    return TeamStatus(cwd, team, json, watch)


@team.command("list")
@as_json
@in_directory
def list_(cwd: Path, json: bool) -> TeamList:
    """The teams of this repository."""
    return TeamList(cwd, json)


@team.command("attach")
@click.argument("member", metavar="[NAME]", required=False)
@which_team
@in_directory
def attach(cwd: Path, team: str | None, member: str | None) -> TeamAttach:
    """Watch the team's panes, or one member's."""
    return TeamAttach(cwd, team, member)


@team.command("message")
@click.argument("member", metavar="NAME")
@click.argument("text", nargs=-1, required=True)
@which_team
@in_directory
def message(cwd: Path, member: str, text: tuple[str, ...], team: str | None) -> TeamMessage:
    """Write to a member, or to the lead."""
    return TeamMessage(cwd, member, " ".join(text), team)


@team.command("tasks")
@click.argument("team", required=False)
@as_json
@in_directory
def tasks(cwd: Path, team: str | None, json: bool) -> TeamTasks:
    """The shared task list."""
    return TeamTasks(cwd, team, json)


@team.command("logs")
@click.argument("member", metavar="NAME")
@click.option(
    "--lines", type=click.IntRange(min=1), default=100, metavar="N", help="How many of the last lines."
)
@which_team
@in_directory
def logs(cwd: Path, member: str, team: str | None, lines: int) -> TeamLogs:
    """What a member wrote on standard error."""
    return TeamLogs(cwd, member, team, lines)


@team.command("resume")
@click.argument("member", metavar="[NAME]", required=False)
@click.argument("text", default="")
@which_team
@headless
@output_format
@partial_messages
@backends
@verifying
@merging
@cleaning
@run_options
def resume(**given: Any) -> TeamResume:
    """Bring a team back after its lead has gone; TEXT goes to the member NAME."""
    return TeamResume(
        options=run_options_of(given),
        output=output_of(given),
        **{name: given[name] for name in ("team", "member", "text", "headless", "partial_messages")},
        **{name: given[name] for name in ("merge", "cleanup")},
    )


@team.command("stop")
@click.argument("member", metavar="[NAME]", required=False)
@which_team
@in_directory
def stop(cwd: Path, team: str | None, member: str | None) -> TeamStop:
    """Stop a member, or the whole team with its work committed."""
    return TeamStop(cwd, team, member)


@team.command("approve")
@click.argument("question", metavar="ID")
@click.option("--session", is_flag=True, help="Exactly this call for the rest of the asker's session.")
@only
@which_team
@in_directory
def approve(cwd: Path, question: str, team: str | None, session: bool, only: bool) -> TeamAnswer:
    """Say yes to a member's question; `team status` shows the ids."""
    return TeamAnswer(cwd, question, allow=True, team=team, session=session, only=only)


@team.command("deny")
@click.argument("question", metavar="ID")
@click.option("--reason", metavar="TEXT", default="", help="What the member should know, or do instead.")
@only
@which_team
@in_directory
def deny(cwd: Path, question: str, team: str | None, reason: str, only: bool) -> TeamAnswer:
    """Say no to a member's question; `team status` shows the ids."""
    return TeamAnswer(cwd, question, allow=False, team=team, only=only, reason=reason)


@team.command("merge")
@click.option(
    "--preview", is_flag=True, help="Say what would be merged and what conflicts, and change nothing."
)
@verifying
@which_team
@run_options
def merge(team: str | None, preview: bool, **given: Any) -> TeamMerge:
    """Merge finished branches, verify, and move this repository's branch."""
    return TeamMerge(run_options_of(given), team, preview)


@team.command("cleanup")
@click.argument("team", required=False)
@click.option("--force", is_flag=True, help="Also what is not merged; it is kept under refs/roocode/rescue/.")
@in_directory
def cleanup(cwd: Path, team: str | None, force: bool) -> TeamCleanup:
    """Remove a team's panes, worktrees, branches and files."""
    return TeamCleanup(cwd, team, force)
