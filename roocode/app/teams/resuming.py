"""Brings a team back: members that live are looked after again, others start from their transcripts."""

from __future__ import annotations

import asyncio
from pathlib import Path

from roocode.app.teams.opening import OpenTeam
from roocode.engine.team.backends.backend import Launch
from roocode.engine.team.codec import timestamp
from roocode.engine.team.tasks import release_all
from roocode.protocol.messages import Message, reminder
from roocode.protocol.team import LEAD, Member

BACK = (
    "The team was interrupted and is brought back. {facts} Go on from here; look at the list with TaskList."
)
SAID = "The person says: {text}"


async def bring_back(team: OpenTeam, member: str | None, text: str) -> Message | None:
    """Adopts and starts members, and gives the lead's first prompt."""
    facts: list[str] = []
    roster = (await asyncio.to_thread(team.ground.founded.store.team)).members
    for one in roster:
        if team.staff.supervisor.lives(one.name):
            team.staff.supervisor.adopt(one, _known_place(team, one))
            facts.append(f"{one.name} still runs.")
        elif await _has_work(team, one):
            await _start_again(team, one)
            facts.append(f"{one.name} was started again from its transcript.")
        else:
            facts.append(f"{one.name} is stopped; a message starts it again.")
    if text and member and member != LEAD:
        await team.staff.post.send(member, "", text)
        facts.append(f"The person has written to {member}.")
        text = ""
    lines = [BACK.format(facts=" ".join(facts) or "It has no members yet.")]
    if text:
        lines.append(SAID.format(text=text))
    return Message("user", (reminder("\n".join(lines)),))


async def _has_work(team: OpenTeam, member: Member) -> bool:
    """Whether a member was cut off: it held tasks, or did not leave by itself, or has mail."""
    store = team.ground.founded.store
    tasks = await asyncio.to_thread(store.tasks)
    report = await asyncio.to_thread(store.report, member.name)
    held = any(task.owner == member.name and task.status == "in_progress" for task in tasks)
    cut = report is not None and not (report.exit and report.exit.get("code") == 0)
    return held or cut or store.inbox(member.name).waking()


async def _start_again(team: OpenTeam, member: Member) -> None:
    store = team.ground.founded.store
    note = f"{member.name} was cut off while it had this task; what it had committed is on its branch."
    freed = await asyncio.to_thread(
        store.change_tasks, lambda now: release_all(now, member.name, at=timestamp(), note=note)
    )
    for task in freed:
        detail = {"task": task.id, "reason": f"{member.name} was cut off"}
        await asyncio.to_thread(store.record, "released", member.name, detail)
    prompt = await team.staff.crew.condition(member, freed)
    await team.staff.supervisor.start(member, prompt, resumed=True)


def _known_place(team: OpenTeam, member: Member) -> Launch:
    return Launch(team.ground.name, member.name, (), Path(member.worktree_path), Path("/nonexistent"))
