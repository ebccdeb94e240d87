"""All that a teammate works with: mail, tasks, its worktree, guarded tools and a model."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from roocode.app import assemble, read_files
from roocode.app.approvers import DenyByPolicy, EventRecorder, OneAtATime, RulesOfTheLead
from roocode.app.hooked import hooked
from roocode.app.mcp.hosting import equip, waiting_for, warn_of_failures
from roocode.app.options import AgentOptions
from roocode.app.remembering import notes_of
from roocode.app.skilled import Skilled
from roocode.app.subagents.errands import Errands
from roocode.app.subagents.family import Family
from roocode.app.subagents.found import Definitions
from roocode.app.subagents.models import Models
from roocode.app.subagents.parentage import Parentage
from roocode.app.transcripts import open_transcript
from roocode.engine.loop.agent import Agent, Steps
from roocode.engine.loop.briefing import Briefing
from roocode.engine.subagents.agents import Terms
from roocode.engine.team.board import TeamBoard
from roocode.engine.team.handshake import Handshake
from roocode.engine.team.inbox import Inbox
from roocode.engine.team.permission_mail import AskByMail, Patience
from roocode.engine.team.post import TeamPost
from roocode.engine.team.reporter import Reporter
from roocode.engine.team.spending import Account
from roocode.engine.team.store.interface import TeamStore
from roocode.engine.team.teammate import PATIENCE_S, Membership
from roocode.engine.team.tools.toolsets import teammate_tools
from roocode.engine.team.wake import WakeSocket
from roocode.engine.team.work import MemberWork, written_paths
from roocode.interaction.config.places import Places, find_places
from roocode.interaction.config.settings import Settings
from roocode.interaction.config.trust import Standing, standing
from roocode.memory.compaction.spill import spilled
from roocode.memory.sessions.conversation import Conversation
from roocode.memory.sessions.log import Header
from roocode.protocol.errors import HostError, RooCodeError
from roocode.protocol.events import CallDecided, Event, PromptAdded, SessionStarted
from roocode.protocol.frozen import frozen
from roocode.protocol.team import Member
from roocode.protocol.tools import Tool
from roocode.security.guard import GuardedToolset
from roocode.security.permissions.narrowing import narrowing
from roocode.security.ports import Approver
from roocode.security.sandbox.git import Git

if TYPE_CHECKING:
    from roocode.app.hooking import Hooking
    from roocode.tools.mcp.servers import Servers

TEAMMATE = "teammate"

log = logging.getLogger(__name__)

TEAMS_OWN = frozenset({"SendMessage", "TaskCreate", "TaskUpdate"})
"""Tools by which a member speaks and acts in its team: its sub-agents do neither in its name."""


@frozen
class Presence:
    """How a member is in touch with its team: handshake, store, report, socket, screen.

    `own_process` is False where it lives in the lead's: the events of a session are the lead's there.
    """

    handshake: Handshake
    store: TeamStore
    root: Path
    reporter: Reporter
    wake: WakeSocket
    show: Callable[[Event], None]
    own_process: bool = True


@frozen
class Workplace:
    """What `furnish` made; `close` ends processes, commits what is left, and closes the rest."""

    membership: Membership
    agent: Agent
    options: AgentOptions
    hands: assemble.Hands
    conversation: Conversation
    family: Family
    hooking: Hooking | None = None
    servers: Servers | None = None

    async def close(self) -> None:
        """What cannot be committed is logged: it must not hide how the work ended."""
        await self.family.close()
        if self.hooking is not None:
            await self.hooking.close()
        if self.servers is not None:
            await self.servers.close()
        await self.hands.close()
        try:
            await self.membership.commit_left()
        except RooCodeError as error:
            log.warning("nothing could be committed: %s", error)
        await self.agent.brain.client.close()
        self.conversation.close()


async def furnish(presence: Presence) -> Workplace:
    """Puts the agent of a member together. Raises HostError, also where its worktree is gone."""
    handshake, store = presence.handshake, presence.store
    team = await asyncio.to_thread(store.team)
    member = team.member(handshake.member)
    if member is None:
        raise HostError(f"{handshake.member} is not on the roster of team {team.name}")
    options = AgentOptions.from_json(handshake.options["agent"])
    git = await Git.open(Path(member.worktree_path), handshake.env)
    transcript = presence.root / "transcripts" / f"{member.name}.jsonl"
    conversation, past = open_transcript(transcript, _header(member, options), store.mask)
    options = replace(options, system=conversation.header.system)
    emit = _emitter(presence)
    inbox = Inbox(
        store,
        member.name,
        conversation,
        key=bytes.fromhex(handshake.key),
        seen=past.mail if past else (),
        told=lambda message: emit(PromptAdded(agent=member.name, message=message)),
        since=presence.reporter.report.started_at,
    )
    work = MemberWork(git, member.name, member.branch, lambda: written_paths(conversation.messages()))
    membership = Membership(
        name=member.name,
        store=store,
        post=TeamPost(store, member.name),
        inbox=inbox,
        wake=presence.wake,
        reporter=presence.reporter,
        worktree=git.cwd,
        commit_left=work.commit_left,
        patience_s=float(handshake.options.get("patience_s", PATIENCE_S)),
    )
    notes = notes_of(git.cwd, Path(options.state), Path(options.home))
    skilled = _skilled(options, git.cwd, conversation)
    own = (spilled(conversation.path), *skilled.open_paths)
    discovery = assemble.discovery_of(options, conversation)
    hands = assemble.hands(
        options,
        git.cwd,
        member.name,
        handshake.env,
        assemble.Means(notes=notes, further=discovery, skills=skilled.loader),
        own,
    )
    read_files.keep(hands.seen, conversation)
    board = TeamBoard(store, membership.post, member.name, work)
    hooking = hooked(
        options,
        hands.workspace,
        conversation,
        emit,
        store.mask,
        lambda: toolset.policy,
        agent_type=TEAMMATE,
        parent=team.lead_agent_id,
    )
    if hooking is not None:
        emit = hooking.emitter(emit)
    recorder = EventRecorder(member.name, team.lead_agent_id, conversation, emit)
    approver = _approver(presence, membership)
    account = Account(store, presence.reporter)
    family = _family(
        presence,
        Parentage(
            name=member.name,
            options=options,
            root=git.cwd,
            env=handshake.env,
            hands=hands,
            conversation=conversation,
            models=Models(options, lambda: _settings(git.cwd, handshake.env), handshake.env),
            approver=approver,
            mask=store.mask,
            emit=emit,
            places=skilled.catalogue.places,
            trusted=_trusted(options, git.cwd),
            bound=account,
            hooking=hooking,
            notes=notes,
            team=team.name,
            apart=TEAMS_OWN,
        ),
        resumed=past is not None,
    )
    errands = Errands(family)
    skilled.loader.fork = errands
    tools = (*hands.tools, *teammate_tools(board, membership.post), family.agent_tool())
    toolset = _toolset(presence, options, hands, tools, approver, recorder, hooking)
    skilled.settle(toolset, hands.shells)
    briefing = Briefing(conversation, git.cwd, Path(options.state), notes.told)
    further = () if discovery is None else (discovery.begun(toolset, emit, member.name, team.lead_agent_id),)
    answered_by = conversation.breaks.answered_by
    client = assemble.client_of(options, emit, member.name, team.lead_agent_id, answered_by)
    agent = assemble.agent(
        member.name,
        options,
        toolset,
        conversation,
        client,
        emit,
        parent=team.lead_agent_id,
        team=team.name,
        steps=(skilled.released_by(inbox), *family.steps()),
        briefing=Steps((skilled.briefed(briefing, log.warning), family.roster(), *further)),
        todos=hands.todos,
        bound=account,
        hooking=hooking,
        pinned=skilled.running.pinned,
        before_end=(family.waiting(),),
    )
    skilled.running.window = agent.brain.info.window
    if hooking is not None:
        hooking.judge.spawner = errands
    servers = equip(agent, options, hands, store.mask, discovery)
    family.attach(agent, client, servers)
    emit(_started(member, options, conversation, toolset, resumed=past is not None))
    if hooking is not None and presence.own_process:
        hooking.open("resume" if past is not None else "startup", agent.brain.info.name)
    if servers is not None:
        servers.start()
        warn_of_failures(servers, agent)
        agent = waiting_for(servers, agent)
    return Workplace(membership, agent, options, hands, conversation, family, hooking, servers)


def _skilled(options: AgentOptions, worktree: Path, conversation: Conversation) -> Skilled:
    """The skills in a worktree: a file of the project counts where it is the one that was trusted."""
    places = Places(Path(options.state), worktree, Path(options.home))
    return Skilled(places, worktree, conversation, _trusted(options, worktree))


def _trusted(options: AgentOptions, worktree: Path) -> Callable[[], Standing]:
    project = Places(Path(options.state), Path(options.rule_base or worktree), Path(options.home))
    return lambda: standing(project)


def _settings(root: Path, env: Mapping[str, str]) -> Settings:
    """The person's settings, for the names of models; loaded when a sub-agent asks for one."""
    from roocode.interaction.config.load import load_settings

    return load_settings(root, env)


def _family(presence: Presence, parent: Parentage, *, resumed: bool) -> Family:
    """The member's own sub-agents, from the definitions that count for its lead."""
    given = presence.handshake.options.get("subagents", {})
    places = find_places(parent.root, parent.env)
    return Family(
        parent,
        Definitions(places, given.get("agents", ""), verifying=bool(given.get("verifying"))),
        Terms(int(given.get("most", 8)), given.get("patience_s"), synchronous=bool(given.get("synchronous"))),
        resumed=resumed,
    )


def _approver(presence: Presence, team: Membership) -> Approver:
    """Who answers for the member and its sub-agents; mail holds one open question at a time."""
    if presence.handshake.options["ask"] != "mail":
        return DenyByPolicy()
    patience = Patience(team.patience_s, presence.handshake.options.get("ask_timeout_s"))
    return OneAtATime(
        AskByMail(team.store, team.name, team.post, team.inbox, team.wake, team.reporter, patience)
    )


def _toolset(
    presence: Presence,
    options: AgentOptions,
    hands: assemble.Hands,
    tools: tuple[Tool, ...],
    approver: Approver,
    recorder: EventRecorder,
    hooking: Hooking | None,
) -> GuardedToolset:
    """The member's tools; of the code tools only those that the definition which it follows lists."""
    toolset = assemble.guarded(
        options,
        hands.workspace,
        tools,
        approver=approver,
        hooking=hooking,
        recorder=recorder,
        mask=presence.store.mask,
        rule_store=RulesOfTheLead(options.rule_base),
    )
    listed = presence.handshake.options.get("tools")
    if listed is not None:
        own = {tool.spec.name for tool in hands.tools}
        teams = (tool.spec.name for tool in tools if tool.spec.name not in own)
        held = narrowing("the agent definition", (*listed, *teams))
        toolset.policy = replace(toolset.policy, narrowings=(held,))
    return toolset


def _emitter(presence: Presence) -> Callable[[Event], None]:
    name = presence.handshake.member

    def emit(event: Event) -> None:
        presence.reporter.take(event)
        if isinstance(event, CallDecided) and event.decision.verdict == "deny":
            presence.store.record("permission_denied", name, _denial(event))
        presence.show(event)

    return emit


def _header(member: Member, options: AgentOptions) -> Header:
    return Header(
        id=member.session_id or member.name,
        cwd=member.worktree_path,
        model=member.model,
        mode=options.mode,
        system=options.system,
        agent=member.name,
    )


def _started(
    member: Member,
    options: AgentOptions,
    conversation: Conversation,
    toolset: GuardedToolset,
    *,
    resumed: bool,
) -> SessionStarted:
    return SessionStarted(
        agent=member.name,
        session_id=conversation.header.id,
        model=options.model.model or "",
        cwd=member.worktree_path,
        mode=options.mode,
        tools=tuple(spec.name for spec in toolset.specs),
        resumed=resumed,
    )


def _denial(event: CallDecided) -> Mapping[str, object]:
    return {
        "tool": event.call.name,
        "input": dict(event.call.arguments or {}),
        "layer": event.decision.layer,
        "reason": event.decision.reason,
    }
