"""A team that is ready to be led, and how it is given back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from roocode.app import assemble
from roocode.app.approvers import AskOnScreen, DenyByPolicy, EventRecorder, LocalRules
from roocode.app.discovery import Discovery
from roocode.app.hooked import hooked
from roocode.app.mcp.hosting import equip, warn_of_failures
from roocode.app.teams import seat as seats
from roocode.app.teams import staff as staffs
from roocode.app.teams.ground import Ground
from roocode.app.teams.seat import Seat
from roocode.app.teams.staff import Staff
from roocode.engine.loop.agent import Agent
from roocode.engine.team import handshake
from roocode.engine.team.board import TeamBoard
from roocode.engine.team.integration import TeamIntegration
from roocode.engine.team.lead import Lead, LeadTeam
from roocode.engine.team.spending import Account, WindUp
from roocode.engine.team.stopping import ANSWER_WITHIN_S
from roocode.engine.team.tools.agent import Agent as AgentTool
from roocode.engine.team.tools.toolsets import lead_tools
from roocode.engine.team.work import MemberWork, written_paths
from roocode.interaction.config.settings import RuleLine
from roocode.protocol.events import Event, SessionStarted
from roocode.protocol.models import ModelClient
from roocode.protocol.team import LEAD
from roocode.protocol.tools import Tool, Workspace
from roocode.tools.services import Asker

if TYPE_CHECKING:
    from roocode.app.hooking import Hooking
    from roocode.tools.mcp.servers import Servers


@dataclass(slots=True)
class OpenTeam:
    """A team around its lead. `hands` are the lead's code tools, None in Coordinator Mode."""

    ground: Ground
    staff: Staff
    seat: Seat
    parts: LeadTeam
    lead: Lead
    agent: Agent
    approver: AskOnScreen | None
    client: ModelClient
    hands: assemble.Hands | None
    hooking: Hooking | None = None
    servers: Servers | None = None

    @property
    def learned(self) -> list[RuleLine]:
        """The rules that the person has stored since the lead's start."""
        return self.staff.learned

    async def close(self, reason: str, *, ask_s: float = ANSWER_WITHIN_S) -> None:
        """Stops the members, their work committed, and puts the rest away; the team stays.

        They have `ask_s` seconds to stop by themselves, before they are ended.
        """
        async with AsyncExitStack() as last:
            last.callback(handshake.discard, self.ground.founded.store.root, self.ground.env)
            last.push_async_callback(self.seat.leave)
            last.push_async_callback(self.client.close)
            if self.hands is not None:
                last.push_async_callback(self.hands.close)
            if self.hooking is not None:
                last.push_async_callback(self.hooking.close)
            if self.servers is not None:
                last.push_async_callback(self.servers.close)
            await self.staff.supervisor.close(self.staff.post, reason=reason, deadline_s=ask_s)


async def open_team(ground: Ground, show: Callable[[Event], None], asker: Asker | None = None) -> OpenTeam:
    """Puts a team together around its lead, whose lock is held. Nothing runs yet."""
    root = ground.founded.store.root
    runtime = await asyncio.to_thread(handshake.directory, root, ground.env)
    if ground.budget != await asyncio.to_thread(ground.founded.store.budget):
        await asyncio.to_thread(ground.founded.store.write_budget, ground.budget)
    staff = staffs.hire(ground, runtime)
    seat = seats.take(ground, staff, show)
    return _led(ground, staff, seat, asker)


def _led(
    ground: Ground,
    staff: Staff,
    seat: Seat,
    asker: Asker | None,
) -> OpenTeam:
    store = ground.founded.store
    integration = TeamIntegration(
        store,
        ground.founded.integrator,
        ground.founded.worktrees,
        staff.post,
        staff.supervisor.states,
        ground.check,
        checkout=ground.founded.place.checkout,
    )
    hands = discovery = None
    if not ground.coordinating:
        discovery = assemble.discovery_of(ground.options, seat.conversation)
        means = assemble.Means(asker, further=discovery)
        hands = assemble.hands(ground.options, ground.root, LEAD, ground.env, means)
    work = _own_work(ground, seat) if hands else None
    account = Account(store, seat.reporter)
    parts = LeadTeam(
        store=store,
        inbox=seat.inbox,
        wake=seat.wake,
        supervisor=staff.supervisor,
        desk=seat.desk,
        steering=seat.steering,
        integration=integration,
        account=account,
        changed=staff.changed,
        losses=staff.losses,
        merging=ground.wants.merging,
        commit_left=work.commit_left if work else None,
    )
    board = TeamBoard(store, staff.post, LEAD, work)
    scheduling = (AgentTool(staff.crew), *lead_tools(board, staff.post, integration, staff.crew))
    code = hands.tools if hands else assemble.asking(ground.options, ground.root, LEAD, asker)
    approver = None if ground.wants.headless else AskOnScreen()
    wind_up = WindUp(account, store, staff.supervisor.states, staff.changed)
    workspace = hands.workspace if hands else assemble.bare_workspace(ground.root, LEAD)
    hooking = hooked(
        ground.options, workspace, seat.conversation, seat.emit, ground.secrets, lambda: agent.tools.policy
    )
    if hooking is not None:
        _hang(hooking, ground, seat)
    agent = _agent(ground, seat, (*code, *scheduling), workspace, approver, wind_up, hooking, discovery)
    client = agent.brain.client
    servers = equip(agent, ground.options, hands, ground.secrets, discovery, asker) if hands else None
    seat.emit(_started(ground, seat, agent))
    if hooking is not None:
        hooking.open("resume" if seat.resumed else "startup", agent.brain.info.name)
    if servers is not None:
        servers.start()
        warn_of_failures(servers, agent)
    return OpenTeam(
        ground, staff, seat, parts, Lead(parts, agent), agent, approver, client, hands, hooking, servers
    )


def _hang(hooking: Hooking, ground: Ground, seat: Seat) -> None:
    """Lets the hooks hear what happens in the team: its events, its worktrees, the person's words."""
    seat.hearers.append(hooking.hears)
    seat.steering.admits = hooking.life.admits
    ground.founded.worktrees.told = lambda event, place: hooking.hears_of_worktree(
        event, place.path, place.branch, team=ground.name, teammate=place.label
    )


def _agent(
    ground: Ground,
    seat: Seat,
    tools: tuple[Tool, ...],
    workspace: Workspace,
    approver: AskOnScreen | None,
    wind_up: WindUp,
    hooking: Hooking | None,
    discovery: Discovery | None,
) -> Agent:
    options = replace(ground.options, system=seat.conversation.header.system)
    toolset = assemble.guarded(
        options,
        workspace,
        tools,
        approver=approver or DenyByPolicy(),
        hooking=hooking,
        recorder=EventRecorder(LEAD, None, seat.conversation, seat.emit),
        rule_store=LocalRules(ground.settings.places),
        mask=ground.secrets,
    )
    return assemble.agent(
        LEAD,
        options,
        toolset,
        seat.conversation,
        assemble.client_of(options, seat.emit, LEAD, None, seat.conversation.breaks.answered_by),
        seat.emit,
        team=ground.name,
        steps=(wind_up, seat.steering, seat.inbox),
        briefing=discovery.begun(toolset, seat.emit, LEAD) if discovery is not None else None,
        bound=wind_up,
        hooking=hooking,
    )


def _own_work(ground: Ground, seat: Seat) -> MemberWork:
    """A lead with code tools works in the integration worktree, never in the person's checkout."""
    return MemberWork(
        ground.founded.integrator.git,
        LEAD,
        ground.founded.team.integration_branch,
        lambda: written_paths(seat.conversation.messages()),
    )


def _started(ground: Ground, seat: Seat, agent: Agent) -> SessionStarted:
    return SessionStarted(
        agent=LEAD,
        session_id=seat.conversation.header.id,
        model=agent.brain.info.name,
        cwd=str(ground.founded.place.main_root),
        mode=ground.options.mode,
        tools=tuple(spec.name for spec in agent.tools.specs),
        resumed=seat.resumed,
    )
