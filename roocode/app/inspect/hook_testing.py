"""`roocode hooks test`: which hooks would have fired in a recorded session, and with which input."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from roocode.app import sessions
from roocode.app.hooking import hooks_in
from roocode.app.inspect.hook_words import described
from roocode.app.inspect.recorded import Moment, header_of, moments
from roocode.app.masking import secrets_of
from roocode.interaction.cli.extension_orders import HooksTest
from roocode.interaction.config.settings import Settings
from roocode.interaction.ui.safe_text import visible
from roocode.memory.sessions.log import Header
from roocode.protocol.errors import UserError
from roocode.security.isolation.masking import Mask
from roocode.security.sandbox.environment import child_env
from roocode.security.sandbox.scratch import Scratch
from roocode.tools.hooks.events import EVENTS, event_named
from roocode.tools.hooks.payload import payload
from roocode.tools.hooks.runner import Firing, Hooks
from roocode.tools.hooks.running import Ground
from roocode.tools.hooks.telling import Telling


def test_hooks(order: HooksTest, settings: Settings) -> int:
    """Prints each event at which a hook fires; runs the hooks where the order says so."""
    kind = event_named(order.event) if order.event else None
    if order.event and kind is None:
        raise UserError(f"there is no event {order.event!r}", f"known are {', '.join(EVENTS)}")
    for note in settings.notes:
        print(visible(note), file=sys.stderr)
    path = _session(order, settings)
    header = header_of(path)
    scratch = Scratch()
    try:
        mask = secrets_of(os.environ)
        hooks = Hooks(hooks_in(settings.hooks), _firing(settings, header, path, scratch, mask))
        told = [each for each in moments(path, header) if kind is None or each.event == kind.name]
        rows = asyncio.run(_rows(hooks, told, run=order.run))
    finally:
        scratch.remove()
    _print(rows, path, len(told), as_json=order.json)
    return 0


def _session(order: HooksTest, settings: Settings) -> Path:
    """The log that is meant: a file, a saved session, or the last one."""
    if order.session and (named := order.cwd / order.session).is_file():
        return named
    if order.session:
        return sessions.find(settings.places, order.session).path
    found = sessions.saved(settings.places)
    if not found:
        raise UserError("there is no saved session here", "name a file, or run one: roocode -p …")
    return found[-1].path


def _firing(settings: Settings, header: Header, path: Path, scratch: Scratch, mask: Mask) -> Firing:
    root = Path(header.cwd) if Path(header.cwd).is_dir() else settings.places.root
    ground = Ground(
        root=root,
        env=child_env(os.environ, agent=header.agent),
        project=settings.places.root,
        transcript=str(path),
        mask=mask,
        refuses_url=lambda _url, _own: "",
    )
    return Firing(
        session=header.id,
        agent=header.agent,
        mode=lambda: header.mode,
        tell=lambda text, _level: print(visible(text), file=sys.stderr),
        ground=ground,
        telling=Telling(scratch.spool, mask),
    )


async def _rows(hooks: Hooks, told: list[Moment], *, run: bool) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    fired: set[int] = set()
    for moment in told:
        planned = [hook for hook in hooks.plan(moment.event, **moment.fields) if id(hook) not in fired]
        fired |= {id(hook) for hook in planned if hook.once}
        if not planned:
            continue
        whole = hooks.whole(moment.event, moment.fields)
        ground = hooks.firing.ground
        row: dict[str, Any] = {
            "turn": moment.turn,
            "event": moment.event,
            "hooks": [{"name": hook.name, "at": hook.source, "does": described(hook)} for hook in planned],
            "input": payload(EVENTS[moment.event], whole, ground.root, ground.transcript),
        }
        if run:
            row["outcome"] = await _outcome(hooks, moment)
        rows.append(row)
    await hooks.close()
    return rows


async def _outcome(hooks: Hooks, moment: Moment) -> dict[str, Any]:
    said = await hooks.fire(moment.event, **moment.fields)
    found = {
        "blocks": said.refused,
        "asks": said.ask,
        "rewrites": None if said.arguments is None else dict(said.arguments),
        "tells": "\n\n".join(said.context),
        "replaces_result": said.output,
        "ends_run": said.stop,
    }
    return {name: value for name, value in found.items() if value}


def _print(rows: list[dict[str, Any]], path: Path, events: int, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(rows, indent=2, ensure_ascii=False, default=str))
        return
    for line in _lines(rows):
        print(visible(line).replace("\n", "\\n"))
    print(f"{sum(len(row['hooks']) for row in rows)} hooks would fire at {events} events of {path.name}.")


def _lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        about = row["input"].get("tool") or row["input"].get("source") or ""
        yield f"turn {row['turn']}  {row['event']}{f'  {about}' if about else ''}"
        for hook in row["hooks"]:
            yield f"    {hook['does']}   ({hook['at']})"
        for name, value in row.get("outcome", {}).items():
            yield f"    {name.replace('_', ' ')}: {value}"
