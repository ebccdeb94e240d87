"""What a person sees of a team from another shell."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from roocode.app.teams import report
from roocode.engine.team.backends.tmux import session_name
from roocode.engine.team.backends.tmux_server import SOCKET, TmuxServer, find_tmux
from roocode.engine.team.founding import team_directory, team_names
from roocode.engine.team.repository import Located
from roocode.engine.team.standing import member_states
from roocode.engine.team.store.files import FileTeamStore
from roocode.engine.team.task_text import render_list
from roocode.interaction.ui.safe_text import judged, visible
from roocode.protocol.duration import in_words
from roocode.protocol.errors import HostError, UserError
from roocode.protocol.team import Member

CLEAR = "\x1b[H\x1b[2J"
REFRESH_S = 0.5
_AGE = re.compile(r'"ageS": \d+')
"""What changes by itself is no news for a program that reads the status."""


def listing(place: Located, *, as_json: bool) -> str:
    """The teams of a repository, one line each."""
    rows = [_row(FileTeamStore(team_directory(place, name))) for name in team_names(place)]
    if as_json:
        return json.dumps(rows)
    if not rows:
        return 'There is no team here: roocode team "goal" starts one.'
    return "\n".join(
        f"{r['name']}  {r['state']}  {r['tasks']} tasks, {r['open']} open  {r['goal']}" for r in rows
    )


def status(store: FileTeamStore, *, as_json: bool) -> str:
    """Members, tasks and waiting permissions."""
    value = report.status(store, member_states(store))
    if as_json:
        return json.dumps(value)
    lead = value["lead"]
    lines = [f"Team {value['team']}: {value['goal']}"]
    lines.append(f"lead: {lead['state']} (pid {lead['pid']})" if lead["alive"] else "lead: not running")
    lines += [_member_line(member) for member in value["members"]]
    lines.append(f"all together: {_cost(value['costUsd'])}")
    lines += [f"budget: {_budget(value['budget'])}"] if value["budget"] else []
    lines += ["", "Tasks:", render_list(store.tasks())]
    lines += waiting_lines(value["waitingPermissions"])
    return "\n".join(lines)


def waiting_lines(waiting: Sequence[Mapping[str, Any]]) -> list[str]:
    """The questions that wait, equal ones together, each with its age and what to type."""
    lines: list[str] = []
    for first in (question for question in waiting if question["group"] == question["id"]):
        equal = [question for question in waiting if question["group"] == first["id"]]
        askers = ", ".join(f"{each['member']} ({in_words(each['ageS'])})" for each in equal)
        place = "" if first["directory"] == "." else f" in {first['directory']}"
        danger = "DANGER: " if first["level"] == "danger" else ""
        lines += ["", f"{danger}{askers} wait{'' if len(equal) > 1 else 's'} for {first['tool']}{place}:"]
        lines += [f"  {line}" for line in judged(first["preview"]).split("\n")]
        lines += [f"  {first['reason']}", *(f"  ! {warning}" for warning in first["warnings"])]
        lines.append(f"  roocode team approve {first['shortId']} · roocode team deny {first['shortId']}")
    return lines


async def board(store: FileTeamStore, *, as_json: bool) -> int:
    """Prints the status whenever it changes, on a clean screen where there is one, until a signal comes."""
    clear = CLEAR if sys.stdout.isatty() and not as_json else ""
    shown = ""
    try:
        while True:
            text = await asyncio.to_thread(lambda: status(store, as_json=as_json))
            if _AGE.sub("", text) != _AGE.sub("", shown) or (not as_json and text != shown):
                sys.stdout.write(f"{clear}{visible(text)}\n")
                sys.stdout.flush()
                shown = text
            await asyncio.sleep(REFRESH_S)
    except asyncio.CancelledError:
        return 0


def tasks(store: FileTeamStore, *, as_json: bool) -> str:
    """The shared task list."""
    if as_json:
        return json.dumps(report.status(store, {})["tasks"])
    return render_list(store.tasks())


async def attach(store: FileTeamStore, member: Member | None, env: Mapping[str, str]) -> int:
    """Becomes tmux, attached to the team's session. Raises UserError where there is nothing to see."""
    team = store.team()
    session = session_name(store.root)
    places = {m.backend_type for m in team.members}
    if "tmux" not in places:
        where = "no member yet" if not places else "its members run inside the lead's process"
        raise UserError(f"team {team.name} has nothing to attach to: {where}", "roocode team status --watch")
    if not any(store.member_lock(m.name).is_held() for m in team.members):
        raise UserError(f"no member of team {team.name} runs", f"roocode team resume --team {team.name}")
    program = find_tmux(env, store.root)
    if program is None:
        raise HostError("there is no tmux program", "install tmux")
    sessions = await TmuxServer(program=program)("list-sessions", "-F", "#{session_name}", check=False)
    if session not in sessions:
        raise UserError(f"the panes of team {team.name} stand beside its lead", "look at them there, in tmux")
    command = f"tmux -L {SOCKET} attach -t {session}"
    if env.get("TMUX"):
        raise UserError("you are inside tmux already", f"in a terminal of its own: {command}")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UserError("attach needs a terminal", f"in a terminal: {command}")
    argv = [program, "-L", SOCKET, "attach", "-t", f"={session}"]
    if member is not None and member.pane_id:
        argv += [";", "select-pane", "-t", member.pane_id]
    sys.stdout.flush()
    try:
        os.execve(program, argv, dict(env))  # noqa: S606
    except OSError as error:
        raise HostError(f"cannot run tmux: {error.strerror}", "install tmux") from error


def _row(store: FileTeamStore) -> dict[str, Any]:
    team, found = store.team(), store.tasks()
    return {
        "name": team.name,
        "goal": team.goal,
        "state": "running" if store.lead_lock().is_held() else "without a lead",
        "members": [member.name for member in team.members],
        "tasks": len(found),
        "open": sum(task.status != "completed" for task in found),
    }


def _cost(usd: float | None) -> str:
    return "cost unknown" if usd is None else f"{usd:.4f} USD"


def _budget(budget: Mapping[str, Any]) -> str:
    units = {"tokens": "tokens", "costUsd": "USD", "seconds": "seconds"}
    return ", ".join(f"{budget[key]} {unit}" for key, unit in units.items() if budget[key] is not None)


def _member_line(member: Mapping[str, Any]) -> str:
    reason = f" ({member['reason']})" if member["reason"] else ""
    task = f", task {member['task']}" if member["task"] else ""
    cost = _cost(member["costUsd"])
    pid = f", pid {member['pid']}" if member["pid"] else ""
    pane = f", pane {member['paneId']}" if member["paneId"] else ""
    return (
        f"{member['name']}: {member['state']}{reason}{task}{pid}{pane}, "
        f"{member['branch']} in {member['worktreePath']}, {member['tokens']} tokens, {cost}, "
        f"last seen {member['lastEventAt']}"
    )
