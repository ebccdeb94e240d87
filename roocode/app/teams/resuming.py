"""Brings a team back: members that live are looked after again, others start from their transcripts."""

from __future__ import annotations

import asyncio

from roocode.app import moment
from roocode.app.teams.opening import OpenTeam
from roocode.engine.loop.turn import prompt_of
from roocode.engine.team.release import NO_WORD, free_tasks, has_died, was_at_work
from roocode.engine.team.store.interface import TeamStore
from roocode.protocol.errors import HostError, UserError
from roocode.protocol.messages import Message, reminder
from roocode.protocol.team import LEAD, Member, Team

BACK = (
    "The team was interrupted and is brought back. {facts} Go on from here; look at the list with TaskList."
)
SAID = "The person says: {text}"
RUN_ENDED = "the team's run had ended"


async def bring_back(team: OpenTeam, member: str | None, text: str) -> Message:
    """Adopts and starts members, and gives the lead's first prompt.

    `member` is started in any case; `text` goes to it, or to the lead. Raises UserError for an unknown one.
    """
    roster = await asyncio.to_thread(team.ground.founded.store.team)
    name = _known(roster, member)
    facts = list(await asyncio.gather(*(_bring_back_one(team, one, name) for one in roster.members)))
    if text and name:
        told = await team.staff.post.send(name, "", text)
        facts.append(f"The person has written to {name}. {told}")
        text = ""
    lines = [BACK.format(facts=" ".join(facts) or "It has no members yet.")]
    if text:
        lines.append(SAID.format(text=text))
    return _prompt(team, roster, "\n".join(lines))


def _known(roster: Team, member: str | None) -> str | None:
    """The name of a member that a person means, None for the lead."""
    if member is None or member in (LEAD, roster.lead_agent_id):
        return None
    found = roster.member(member)
    if found is None:
        names = ", ".join(one.name for one in roster.members) or "nobody yet"
        raise UserError(f"there is no member {member} in team {roster.name}", f"its members: {names}")
    return found.name


def _prompt(team: OpenTeam, roster: Team, words: str) -> Message:
    """A lead that was cut off before it heard the goal hears it now."""
    ground = team.ground
    if team.seat.conversation.messages():
        return Message("user", (reminder(words),))
    now = moment.reminders(ground.founded.place.main_root, ground.options.mode)
    return prompt_of(roster.goal, *now, words)


async def _bring_back_one(team: OpenTeam, member: Member, wanted: str | None) -> str:
    store, supervisor, name = team.ground.founded.store, team.staff.supervisor, member.name
    if supervisor.lives(name):
        supervisor.adopt(name)
        return f"{name} still runs."
    if not team.staff.crew.has_begun(name):
        return f"{name} has not begun: give it its part again with Agent."
    if name != wanted and not await asyncio.to_thread(_was_cut_off, store, name):
        return f"{name} is stopped; a message starts it again."
    try:
        await _start_again(team, member)
    except HostError as error:
        return f"{name} could not be started again: {error.what}"
    return f"{name} was started again from its transcript."


def _was_cut_off(store: TeamStore, name: str) -> bool:
    """Whether there was something left to do: tasks, mail, or a turn that did not end."""
    held = any(task.owner == name and task.status == "in_progress" for task in store.tasks())
    at_work = was_at_work(store.report(name))
    return held or at_work or store.inbox(name).waking() or has_died(store.events(), name)


async def _start_again(team: OpenTeam, member: Member) -> None:
    store = team.ground.founded.store
    report = await asyncio.to_thread(store.report, member.name)
    left = report.exit if report else None
    reason = RUN_ENDED if left and left.get("code") == 0 else str(left.get("reason")) if left else NO_WORD
    freed = await asyncio.to_thread(free_tasks, store, member.name, "was cut off")
    prompt = await team.staff.crew.condition(member, freed, reason)
    await team.staff.supervisor.start(member, prompt, resumed=True)
