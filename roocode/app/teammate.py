"""One teammate's life: as a process of its own in a pane, or as a task inside the lead's process."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from roocode.app import assemble, moment
from roocode.app.approvers import DenyByPolicy, EventRecorder
from roocode.app.options import AgentOptions
from roocode.app.signals import until_signalled
from roocode.engine.loop.turn import prompt_of
from roocode.engine.team import handshake as handshakes
from roocode.engine.team.board import TeamBoard
from roocode.engine.team.handshake import Handshake
from roocode.engine.team.inbox import Inbox
from roocode.engine.team.permission_mail import AskByMail
from roocode.engine.team.post import TeamPost
from roocode.engine.team.reporter import Reporter
from roocode.engine.team.store.files import FileTeamStore
from roocode.engine.team.teammate import PATIENCE_S, Membership, Teammate
from roocode.engine.team.tools.toolsets import teammate_tools
from roocode.engine.team.wake import WakeSocket
from roocode.engine.team.work import MemberWork, written_paths
from roocode.interaction.cli.requests import TeammateRequest
from roocode.interaction.ui.pane import Pane
from roocode.memory.sessions.conversation import Conversation
from roocode.memory.sessions.log import Header
from roocode.protocol.errors import Interrupted, RooCodeError
from roocode.protocol.events import CallDecided, Event, PromptAdded, SessionStarted
from roocode.protocol.messages import Message, reminder
from roocode.protocol.team import Member
from roocode.security.ports import Approver
from roocode.security.sandbox.git import Git

LOCK_WITHIN_S = 5.0

log = logging.getLogger(__name__)


def teammate(request: TeammateRequest) -> int:
    """The whole process of a teammate; its standard error goes to the member's log."""
    handshake = handshakes.take(request.handshake)
    os.environ.clear()
    os.environ.update(handshake.env)
    path = Path(handshake.team_dir) / "logs" / f"{handshake.member}.log"
    with path.open("a", encoding="utf-8", buffering=1) as stream:
        os.dup2(stream.fileno(), sys.stderr.fileno())
        logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
        pane = Pane(handshake.member)
        try:
            return asyncio.run(until_signalled(live(handshake, pane.show)))
        except RooCodeError as error:
            sys.stderr.write(f"error: {error}\n")
            return error.exit_code


async def live(handshake: Handshake, show: Callable[[Event], None]) -> int:
    """Takes the member's place, works until it leaves, and says how it ended.

    Changes nothing of the process: in-process members share it. Raises AlreadyHeld, with nothing written,
    while the member lives elsewhere.
    """
    store = FileTeamStore(Path(handshake.team_dir))
    held = await asyncio.to_thread(store.member_lock(handshake.member).hold, LOCK_WITHIN_S)
    try:
        reporter = Reporter(store, handshake.member, store.report(handshake.member))
        reporter.say("starting")
        try:
            leave = await _in_touch(handshake, store, reporter, show)
        except (Interrupted, asyncio.CancelledError):
            reporter.leave(143, "ended by a signal or by the lead")
            raise
        except RooCodeError as error:
            reporter.leave(error.exit_code, str(error))
            raise
        finally:
            await reporter.close()
        reporter.leave(0, leave)
        return 0
    finally:
        held.release()


async def _in_touch(
    handshake: Handshake, store: FileTeamStore, reporter: Reporter, show: Callable[[Event], None]
) -> str:
    """Opens inbox and wake socket around the work."""
    mailbox = store.inbox(handshake.member)
    await asyncio.to_thread(mailbox.tidy)
    wake = WakeSocket.open(mailbox.directory, handshake.env)
    try:
        reporter.say("starting", wake_socket=str(wake.path))
        return await _work(handshake, store, reporter, wake, show)
    finally:
        await wake.close()


async def _work(
    handshake: Handshake,
    store: FileTeamStore,
    reporter: Reporter,
    wake: WakeSocket,
    show: Callable[[Event], None],
) -> str:
    team = await asyncio.to_thread(store.team)
    member = team.member(handshake.member)
    if member is None:
        raise RooCodeError(f"{handshake.member} is not on the roster of team {team.name}")
    options = AgentOptions.from_json(handshake.options["agent"])
    conversation, seen = _conversation(store, member, options)

    def emit(event: Event) -> None:
        reporter.take(event)
        if isinstance(event, CallDecided) and event.decision.verdict == "deny":
            store.record("permission_denied", member.name, _denial(event))
        show(event)

    inbox = Inbox(
        store,
        member.name,
        conversation,
        key=bytes.fromhex(handshake.key),
        seen=seen,
        told=lambda message: emit(PromptAdded(agent=member.name, message=message)),
        since=reporter.report.started_at,
    )
    post = TeamPost(store, member.name)
    root = Path(member.worktree_path)
    git = await Git.open(root, handshake.env)
    work = MemberWork(git, member.name, member.branch, lambda: written_paths(conversation.messages()))
    hands = assemble.hands(options, root, member.name, handshake.env, None)
    board = TeamBoard(store, post, member.name, work)
    patience_s = float(handshake.options.get("patience_s", PATIENCE_S))
    ask = AskByMail(store, member.name, post, inbox, wake, reporter, patience_s)
    approver: Approver = ask if handshake.options["ask"] == "mail" else DenyByPolicy()
    toolset = assemble.guarded(
        options,
        hands.workspace,
        (*hands.tools, *teammate_tools(board, post)),
        approver=approver,
        recorder=EventRecorder(member.name, team.lead_agent_id, conversation, emit),
    )
    client = assemble.client_of(options.model)
    agent = assemble.agent(
        member.name,
        options,
        toolset,
        conversation,
        client,
        emit,
        parent=team.lead_agent_id,
        team=team.name,
        steps=(inbox,),
    )
    emit(_started(member, options, conversation, tuple(spec.name for spec in toolset.specs)))
    reporter.say("ready")
    membership = Membership(
        member.name, store, post, inbox, wake, reporter, root, work.commit_left, patience_s
    )
    try:
        first = _first(handshake, root, options)
        return await Teammate(membership, agent).live(first)
    finally:
        await hands.close()
        await _commit_rest(work)
        await client.close()
        conversation.close()


async def _commit_rest(work: MemberWork) -> None:
    """What cannot be committed must not hide how the work ended."""
    try:
        await work.commit_left("what was left when it ended")
    except RooCodeError as error:
        log.warning("nothing could be committed: %s", error)


def _conversation(
    store: FileTeamStore, member: Member, options: AgentOptions
) -> tuple[Conversation, frozenset[str]]:
    path = store.root / "transcripts" / f"{member.name}.jsonl"
    if path.exists():
        conversation, past = Conversation.resume(path)
        return conversation, past.mail
    header = Header(
        id=member.session_id or member.name,
        cwd=member.worktree_path,
        model=member.model,
        mode=options.mode,
        system=options.system,
        agent=member.name,
    )
    return Conversation.create(path, header), frozenset()


def _first(handshake: Handshake, root: Path, options: AgentOptions) -> Message | None:
    if not handshake.prompt:
        return None
    if handshake.resumed:
        return Message("user", (reminder(handshake.prompt),))
    return prompt_of(handshake.prompt, *moment.reminders(root, options.mode))


def _started(
    member: Member, options: AgentOptions, conversation: Conversation, tools: tuple[str, ...]
) -> SessionStarted:
    return SessionStarted(
        agent=member.name,
        session_id=conversation.header.id,
        model=options.model.model or "",
        cwd=member.worktree_path,
        mode=options.mode,
        tools=tools,
    )


def _denial(event: CallDecided) -> Mapping[str, object]:
    return {
        "tool": event.call.name,
        "input": dict(event.call.arguments or {}),
        "layer": event.decision.layer,
        "reason": event.decision.reason,
    }
