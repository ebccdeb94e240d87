"""Runs the action of one hook; whatever goes wrong becomes words, never an exception."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol

from roocode.protocol.errors import RooCodeError
from roocode.protocol.frozen import frozen
from roocode.security.isolation.masking import Mask, masked
from roocode.tools.hooks.answers import Printed, Said, said_by, verdict_in
from roocode.tools.hooks.hook import Action, Hook
from roocode.tools.hooks.payload import payload, variables

MOST_BYTES = 4 * 1024 * 1024
"""Output of a hook beyond this ends it."""
LONGEST_QUESTION = 60_000

_FED_BACK = frozenset({"post_tool_use", "post_tool_use_failure"})
_log = logging.getLogger(__name__)


class Judge(Protocol):
    """An agent that judges: a sub-agent with tools, or one request where it is `alone`."""

    async def judge(self, question: str, *, model: str, alone: bool) -> str:
        """Its last words. Raises RooCodeError."""
        ...


@frozen
class Ground:
    """Where hooks run: in `root` with `env`.

    `project` is the directory that was trusted: a teammate's root is a worktree of it.

    `refuses_url` says why an address must not be asked, "" where it may; its second argument tells whether
    the hook is the person's own.
    """

    root: Path
    env: Mapping[str, str]
    project: Path
    transcript: str
    mask: Mask
    refuses_url: Callable[[str, bool], str]
    judge: Judge | None = None


async def run_action(hook: Hook, fields: Mapping[str, Any], ground: Ground) -> Said:
    """What the hook's program, address or agent says, within its time. A cancel ends it."""
    try:
        async with asyncio.timeout(hook.timeout_s + 5):
            match hook.action.kind:
                case "command":
                    return await _command(hook, fields, ground)
                case "http":
                    async with asyncio.timeout(hook.timeout_s):
                        return await _http(hook, fields, ground)
                case _:
                    async with asyncio.timeout(hook.timeout_s):
                        return await _judged(hook, fields, ground)
    except TimeoutError:
        return Said(fault=f"it did not end within {hook.timeout_s:g} s")
    except RooCodeError as error:
        return Said(fault=error.what)
    except Exception as error:
        _log.exception("the hook %s failed", hook.name)
        return Said(fault=f"{type(error).__name__}: {error}")


async def _command(hook: Hook, fields: Mapping[str, Any], ground: Ground) -> Said:
    from roocode.security.sandbox.contained import run_contained

    told = json.dumps(payload(hook.kind, fields, ground.root, ground.transcript), default=str)
    env = {
        **ground.env,
        **variables(hook.kind, fields, ground.root, ground.project, hook.plugin),
    }
    done = await run_contained(
        _argv(hook.action, env, ground.root),
        cwd=ground.root,
        env=env,
        stdin=told.encode("utf-8", "replace") + b"\n",
        timeout_s=hook.timeout_s,
        limit=MOST_BYTES,
    )
    if done.timed_out:
        return Said(fault=f"it did not end within {hook.timeout_s:g} s and was ended")
    if done.truncated:
        return Said(fault=f"it wrote more than {MOST_BYTES:,} bytes and was ended")
    printed = Printed(done.code, done.out.decode(errors="replace"), done.err.decode(errors="replace"))
    fed_back = hook.kind.name in _FED_BACK and not hook.foreign
    return said_by(printed, text_counts=hook.kind.text_counts or fed_back, failure_counts=fed_back)


def _argv(action: Action, env: Mapping[str, str], root: Path) -> list[str]:
    if action.args is not None:
        return [action.text, *action.args]
    from roocode.security.sandbox.process import find_program

    shell = find_program("bash", env, outside=root) or "/bin/sh"
    return [shell, "-c", action.text]


async def _http(hook: Hook, fields: Mapping[str, Any], ground: Ground) -> Said:
    from roocode.tools.hooks.posting import post

    if why := ground.refuses_url(hook.action.text, hook.own):
        return Said(fault=f"{hook.action.text} is not asked: {why}")
    told = masked(payload(hook.kind, fields, ground.root, ground.transcript), ground.mask)
    body = json.dumps(told, default=str).encode("utf-8", "replace")
    status, text = await post(hook.action.text, body, hook.action.headers, MOST_BYTES, allow_local=hook.own)
    if not 200 <= status < 300:
        return Said(fault=f"{hook.action.text} answered {status}")
    return said_by(Printed(0, text), text_counts=hook.kind.text_counts)


async def _judged(hook: Hook, fields: Mapping[str, Any], ground: Ground) -> Said:
    if ground.judge is None:
        return Said(fault="no agent can be asked here")
    question = question_for(hook.action, payload(hook.kind, fields, ground.root, ground.transcript))
    answer = await ground.judge.judge(question, model=hook.action.model, alone=hook.action.alone)
    return verdict_in(answer)


def question_for(action: Action, told: Mapping[str, Any]) -> str:
    """What an agent is asked: the hook's question, with the event in place of `$ARGUMENTS` or behind it."""
    event = json.dumps(told, ensure_ascii=False, default=str)[:LONGEST_QUESTION]
    if "$ARGUMENTS" in action.text:
        asked = action.text.replace("$ARGUMENTS", event)
    else:
        asked = f"{action.text}\n\n{event}"
    return f"{(files(__package__) / 'judge.md').read_text(encoding='utf-8').strip()}\n\n{asked}"
