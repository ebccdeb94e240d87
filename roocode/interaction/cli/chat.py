"""`roocode ["prompt"]` and `roocode -p "prompt"`."""

from __future__ import annotations

import sys
from typing import Any

import click

from roocode.interaction.cli.options import (
    headless,
    one_text,
    output_format,
    output_of,
    partial_messages,
    run_options,
    run_options_of,
)
from roocode.interaction.cli.requests import ChatRequest, PrintRequest, SessionChoice

_ASK = "\0"


@click.command("chat")
@click.argument("words", nargs=-1, metavar="[PROMPT]")
@headless
@output_format
@click.option(
    "--input-format",
    "input_",
    type=click.Choice(("text", "stream-json")),
    default="text",
    help="How standard input is read with -p.",
)
@partial_messages
@click.option("-c", "--continue", "last", is_flag=True, help="Go on with the last session of this directory.")
@click.option(
    "-r",
    "--resume",
    is_flag=False,
    flag_value=_ASK,
    metavar="[ID|NAME]",
    help="Go on with a session; without a value, choose one.",
)
@click.option(
    "--fork-session", "fork", is_flag=True, help="With -c or -r: leave it as it is, go on in a copy."
)
@click.option("-n", "--name", default="", metavar="NAME", help="Name the session; a named one is kept.")
@run_options
def chat(**given: Any) -> ChatRequest | PrintRequest:
    """Chat in this directory."""
    options, session, output = run_options_of(given), _session(given), output_of(given)
    prompt = one_text(given["words"], "prompt")
    if not given["headless"]:
        if given["input_"] != "text":
            raise click.UsageError("--input-format needs -p.")
        return ChatRequest(options, prompt, session)
    if session.start == "ask":
        raise click.UsageError("-p with --resume needs the session's ID or NAME.")
    if not prompt and sys.stdin.isatty():
        raise click.UsageError('-p needs a prompt: roocode -p "PROMPT", or one on standard input.')
    return PrintRequest(options, prompt, session, output, given["input_"], given["partial_messages"])


def _session(given: dict[str, Any]) -> SessionChoice:
    resume, last, fork, name = given["resume"], given["last"], given["fork"], given["name"]
    if resume is not None and last:
        raise click.UsageError("--continue and --resume exclude each other.")
    if fork and resume is None and not last:
        raise click.UsageError("--fork-session needs --continue or --resume.")
    if resume == _ASK:
        return SessionChoice("ask", fork=fork, name=name)
    if resume is not None:
        return SessionChoice("named", resume, fork, name)
    return SessionChoice("last" if last else "new", fork=fork, name=name)
