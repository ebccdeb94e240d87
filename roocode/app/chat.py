"""`roocode`: the chat of a single agent at a terminal."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from dataclasses import replace

from roocode.app import replaying
from roocode.app.approvers import AskOnScreen, rule_check
from roocode.app.asking import AskAtScreen
from roocode.app.log_notices import log_shown_by
from roocode.app.masked_screen import MaskedChat
from roocode.app.opening import open_session
from roocode.app.picking import picked
from roocode.app.saved_sessions import SHORT_ID
from roocode.app.signals import until_signalled
from roocode.app.single import Single
from roocode.app.talk import Talk
from roocode.interaction.cli.requests import ChatRequest
from roocode.interaction.config.load import load_settings
from roocode.interaction.config.places import find_places
from roocode.interaction.config.providers import resolve_model
from roocode.interaction.ui.chat_screen import ChatScreen
from roocode.interaction.ui.terminal.rule_list import RuleCheck
from roocode.protocol.errors import UsageError
from roocode.protocol.events import Event, Notice
from roocode.security.isolation.secrets import Secrets


def chat(request: ChatRequest, secrets: Secrets) -> int:
    """Chats until the person leaves; returns the exit code.

    Raises UserError where no model can be asked, UsageError off a terminal, Interrupted on a signal.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        # What must be mended first is said first.
        resolve_model(load_settings(request.options.cwd, os.environ, request.options.flags), None, os.environ)
        raise UsageError("the chat needs a terminal", 'without one: roocode -p "your prompt"')
    if request.session.start == "ask":
        request = replace(request, session=picked(request))
    return asyncio.run(until_signalled(_chat(request, secrets)))


async def _chat(request: ChatRequest, secrets: Secrets) -> int:
    screen = MaskedChat(_screen(rule_check(find_places(request.options.cwd, os.environ))), secrets)
    approver = AskOnScreen()
    single = open_session(
        request.options,
        request.session,
        os.environ,
        screen.show,
        secrets,
        approver=approver,
        asker=AskAtScreen(screen.choose),
    )
    try:
        await single.begin()
        for event in _beginning(single):
            screen.show(event)
        with log_shown_by(screen.show):
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(screen.run())
                await Talk(single, screen, approver, tasks).go_on(request.prompt)
                screen.close()
    finally:
        await single.close()
    if single.conversation.messages():
        print(f"Go on with: roocode -r {single.conversation.header.id[:SHORT_ID]}")
    return 0


def _screen(check: RuleCheck) -> ChatScreen:
    if os.environ.get("TERM", "dumb") == "dumb":
        from roocode.interaction.ui.line_chat import LineChat

        return LineChat(check_rule=check)
    from roocode.interaction.ui.terminal.chat import TerminalChat

    return TerminalChat(check_rule=check)


def _beginning(single: Single) -> Iterator[Event]:
    """What a person should know first, and where a session that goes on had stopped."""
    for note in single.notes:
        yield Notice(text=note)
    yield from replaying.events(replaying.last_exchange(single.conversation.messages()))
