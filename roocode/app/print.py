"""`roocode -p`: one headless run."""

from __future__ import annotations

import asyncio
import os
from contextlib import aclosing

from roocode.app import stdin
from roocode.app.approvers import DenyByPolicy
from roocode.app.output import Output
from roocode.app.signals import until_signalled
from roocode.app.single import Single, open_session
from roocode.engine.loop.turn import run
from roocode.interaction.cli.requests import PrintRequest
from roocode.protocol.errors import RooCodeError, UsageError


def print_answer(request: PrintRequest) -> int:
    """Runs it and returns the exit code. The result is always written."""
    output = Output(
        request.output, agent="main", verbose=request.options.verbose, partial=request.partial_messages
    )
    try:
        return asyncio.run(until_signalled(_print(request, output)))
    except RooCodeError as error:
        output.finish(str(error), error.exit_code)
        return error.exit_code


async def _print(request: PrintRequest, output: Output) -> int:
    first = _prompt(request) if request.input == "text" else ""
    single = open_session(
        request.options, request.session, os.environ, output.show, approver=DenyByPolicy(), asker=None
    )
    for note in single.notes:
        output.note(note)
    try:
        code = await (_run_once(single, first) if request.input == "text" else _run_stream(single))
    finally:
        await single.close()
    output.finish(exit_code=code)
    return code


async def _run_once(single: Single, text: str) -> int:
    return (await run(single.agent, single.prompt(text))).exit_code


async def _run_stream(single: Single) -> int:
    code = 0
    async with aclosing(stdin.prompts()) as lines:  # type: ignore[type-var]
        async for text in lines:
            code = await _run_once(single, text)
    return code


def _prompt(request: PrintRequest) -> str:
    context = stdin.piped()
    text = "\n\n".join(part for part in (request.prompt, context) if part.strip())
    if not text:
        raise UsageError("roocode -p needs a prompt", 'roocode -p "what does this project do?"')
    return text
