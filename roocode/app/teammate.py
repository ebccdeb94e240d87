"""One teammate's life: as a process of its own in a pane, or as a task inside the lead's process."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path

from roocode.app import moment
from roocode.app.masked_screen import MaskedEvents
from roocode.app.masking import secrets_of
from roocode.app.mcp.hosting import learn_secrets
from roocode.app.options import AgentOptions
from roocode.app.signals import until_signalled
from roocode.app.workplace import Presence, Workplace, furnish
from roocode.app.written_secrets import learn_written
from roocode.engine.loop.turn import prompt_of
from roocode.engine.team import handshake as handshakes
from roocode.engine.team.handshake import Handshake
from roocode.engine.team.reporter import Reporter
from roocode.engine.team.store.files import FileTeamStore
from roocode.engine.team.teammate import Teammate
from roocode.engine.team.wake import WakeSocket
from roocode.interaction.cli.requests import TeammateRequest
from roocode.interaction.ui.pane import Pane
from roocode.protocol.errors import Interrupted, RooCodeError
from roocode.protocol.events import Event
from roocode.protocol.messages import Message, reminder
from roocode.security.isolation.secrets import Secrets

LOCK_WITHIN_S = 5.0


def teammate(request: TeammateRequest, secrets: Secrets) -> int:
    """The whole process of a teammate; its standard error goes to the member's log."""
    handshake = handshakes.take(request.handshake)
    os.environ.clear()
    os.environ.update(handshake.env)
    secrets.learn(handshake.env, handshake.options["agent"]["secret_names"])
    _learn(secrets, AgentOptions.from_json(handshake.options["agent"]))
    log = Path(handshake.team_dir) / "logs" / f"{handshake.member}.log"
    with log.open("a", encoding="utf-8", buffering=1) as stream:
        os.dup2(stream.fileno(), sys.stderr.fileno())
        logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
        pane = Pane(handshake.member, asks=handshake.options.get("ask") == "mail")
        try:
            return asyncio.run(until_signalled(live(handshake, pane.show)))
        except RooCodeError as error:
            sys.stderr.write(f"error: {error}\n")
            return error.exit_code


def _learn(secrets: Secrets, options: AgentOptions) -> None:
    learn_secrets(secrets, options.mcp)
    learn_written(secrets, [line.data for line in options.hooks])


async def live(handshake: Handshake, show: Callable[[Event], None], *, own_process: bool = True) -> int:
    """Takes the member's place, works until it leaves, and says how it ended.

    Changes nothing of the process: in-process members share it. Raises AlreadyHeld, with nothing written,
    while the member lives elsewhere.
    """
    secrets = secrets_of(handshake.env, handshake.options["agent"]["salt"])
    secrets.learn(handshake.env, handshake.options["agent"]["secret_names"])
    _learn(secrets, AgentOptions.from_json(handshake.options["agent"]))
    show = MaskedEvents(secrets, show)
    store = FileTeamStore(Path(handshake.team_dir), secrets)
    held = await asyncio.to_thread(store.member_lock(handshake.member).hold, LOCK_WITHIN_S)
    with held:
        reporter = Reporter(store, handshake.member, store.report(handshake.member))
        reporter.say("starting")
        try:
            leave = await _in_touch(handshake, store, reporter, show, own_process)
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


async def _in_touch(
    handshake: Handshake,
    store: FileTeamStore,
    reporter: Reporter,
    show: Callable[[Event], None],
    own_process: bool,
) -> str:
    """Opens inbox and wake socket around the work."""
    mailbox = store.inbox(handshake.member)
    await asyncio.to_thread(mailbox.tidy)
    wake = WakeSocket.open(mailbox.directory, handshake.env)
    try:
        reporter.say("starting", wake_socket=str(wake.path))
        workplace = await furnish(Presence(handshake, store, store.root, reporter, wake, show, own_process))
        reporter.say("ready")
        try:
            return await Teammate(workplace.membership, workplace.agent).live(_first(handshake, workplace))
        finally:
            await workplace.close()
    finally:
        await wake.close()


def _first(handshake: Handshake, workplace: Workplace) -> Message | None:
    """The prompt of this life; one that goes on hears it as a reminder, not as the person's word."""
    if not handshake.prompt:
        return None
    if handshake.resumed:
        return Message("user", (reminder(handshake.prompt),))
    root = workplace.membership.worktree
    return prompt_of(handshake.prompt, *moment.reminders(root, workplace.options.mode))
