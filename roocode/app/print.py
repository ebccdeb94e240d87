"""`roocode -p`: one headless run."""

from __future__ import annotations

import asyncio
import os
from contextlib import aclosing
from typing import TYPE_CHECKING

from roocode.app import stdin
from roocode.app.output import Output
from roocode.app.signals import until_signalled
from roocode.interaction.cli.requests import PrintRequest
from roocode.protocol.errors import UsageError, UserError
from roocode.security.isolation.secrets import Secrets

if TYPE_CHECKING:
    from roocode.app.single import Single

UNUSED_MEND = "`roocode skills list` and `roocode commands list` show what is used"


def print_answer(request: PrintRequest, secrets: Secrets) -> int:
    """Runs it and returns the exit code. The result is always written."""
    output = Output(
        request.output,
        agent="main",
        verbose=request.options.verbose,
        partial=request.partial_messages,
        mask=secrets,
    )
    return output.conclude(lambda: asyncio.run(until_signalled(_print(request, output, secrets))))


async def _print(request: PrintRequest, output: Output, secrets: Secrets) -> int:
    # What an agent is made of takes a moment to import: from here on a signal is noticed, and answered.
    from roocode.app.approvers import DenyByPolicy
    from roocode.app.mcp.hosting import FIRST_REQUEST_WAITS_S
    from roocode.app.opening import open_session

    first = await _prompt(request) if request.input == "text" else ""
    single = open_session(
        request.options,
        request.session,
        os.environ,
        output.show,
        secrets,
        approver=DenyByPolicy(),
        asker=None,
        alone=True,
    )
    for note in single.notes:
        output.note(note)
    try:
        await single.begin(wait_s=FIRST_REQUEST_WAITS_S)
        code = await (_run_once(single, first) if first else _run_stream(single, output))
    finally:
        await single.close()
    output.finish(exit_code=code)
    return code


async def _run_once(single: Single, text: str) -> int:
    """A run of a prompt, or of what `/name` calls. Raises UserError where it calls nothing that there is."""
    from roocode.interaction.commands.reading import read
    from roocode.protocol.commands import Invoke

    command = read(text)
    if not isinstance(command, Invoke):
        return (await single.run(single.prompt(text))).exit_code
    ended = await single.invoke(command.name, command.arguments)
    if ended is None:
        raise _unknown(single, command.name)
    return ended.exit_code


def _unknown(single: Single, name: str) -> UserError:
    from roocode.interaction.commands.invoking import near

    if why := single.skilled.catalogue.why_not(name):
        return UserError(f"/{name} is not used: {why}", UNUSED_MEND)
    meant = " or ".join(f"/{each}" for each in near(name, single.skilled.invocations.names(), ()))
    mend = f"did you mean {meant}?" if meant else "write the words without the slash in front"
    return UserError(f"there is no skill or command /{name}", mend)


async def _run_stream(single: Single, output: Output) -> int:
    """A run for each prompt that comes in; one that fails is the last."""
    code = None
    async with aclosing(stdin.prompts()) as prompts:
        async for text in prompts:
            code = await _run_once(single, text)
            output.answered(code)
            if code:
                return code
    if code is None:
        raise UsageError("no prompt came on standard input", "a line is a message of type user")
    return code


async def _prompt(request: PrintRequest) -> str:
    context = await stdin.piped(wait=not request.prompt.strip())
    text = "\n\n".join(part for part in (request.prompt, context) if part.strip())
    if not text:
        raise UsageError("roocode -p needs a prompt", 'roocode -p "what does this project do?"')
    return text
