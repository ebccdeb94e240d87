"""`roocode doctor`: what is missing or broken here, and the mend for each."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Literal, TypeAlias

from roocode.app.inspect.extensions import LOOKS, Item, counted, is_broken, lines_of
from roocode.app.inspect.mcp import mcp_findings
from roocode.app.inspect.team_leftovers import team_findings
from roocode.app.policy import rule_notes
from roocode.app.written_secrets import known_settings
from roocode.interaction.cli.orders import Doctor
from roocode.interaction.config.load import load_settings
from roocode.interaction.config.providers import NOTHING_SET, resolve_model, usable_providers
from roocode.interaction.config.settings import Settings
from roocode.interaction.ui.safe_text import visible
from roocode.protocol.errors import RooCodeError, UserError
from roocode.protocol.frozen import frozen
from roocode.security.isolation.secrets import Secrets
from roocode.security.sandbox.confinement import obstacle
from roocode.security.sandbox.git import Git
from roocode.security.sandbox.process import find_program, outermost_checkout, run

Status: TypeAlias = Literal["ok", "warning", "error"]

MOST_LINES = 8
MENDS = {"plugins": "install it again (roocode plugins install SOURCE), or roocode plugins remove NAME"}
MARKS = {"ok": "ok      ", "warning": "warning ", "error": "error   "}


@frozen
class Finding:
    """One thing looked at; `mend` is empty where there is nothing to do. `items` are what it consists of."""

    name: str
    status: Status
    detail: str
    mend: str = ""
    items: tuple[Item, ...] = ()


def doctor(order: Doctor, secrets: Secrets) -> int:
    """Prints what was found; 1 where something is broken."""
    with suppress(RooCodeError):
        known_settings(order.cwd, secrets)
    findings = asyncio.run(_findings(order.cwd))
    if order.json:
        print(json.dumps([asdict(finding) for finding in findings], indent=2, ensure_ascii=False))
    else:
        for finding in findings:
            print(visible(f"{MARKS[finding.status]} {finding.name}: {finding.detail}"))
            for line in _shown(finding):
                print(visible(f"          {line}").replace("\n", "\\n"))
            if finding.mend:
                print(visible(f"          {finding.mend}"))
    return int(any(finding.status == "error" for finding in findings))


def _shown(finding: Finding) -> Iterator[str]:
    """The lines below a finding, no more than a person reads."""
    lines = list(lines_of(finding.items))
    yield from lines[:MOST_LINES]
    if len(lines) > MOST_LINES:
        yield f"and {len(lines) - MOST_LINES} more: roocode doctor --json has all"


async def _findings(cwd: Path) -> list[Finding]:
    programs = await asyncio.gather(
        _git(cwd),
        _program("tmux", "-V", cwd, "teammates run in this process without panes", "install tmux"),
        _program("rg", "--version", cwd, "searches take the slower way", "install ripgrep"),
    )
    teams = [Finding(*each) async for each in team_findings(cwd)]
    return [
        *programs,
        await _sandbox(cwd),
        *_configuration(cwd),
        *_extensions(cwd),
        *_mcp(cwd),
        *teams,
    ]


async def _git(cwd: Path) -> Finding:
    try:
        git = await Git.open(cwd)
    except RooCodeError as error:
        return Finding("git", "error", error.what, error.mend)
    version = (await git("version")).line
    if git.user.identity is None:
        mend = 'git config --global user.name "Your Name" and git config --global user.email you@example.com'
        return Finding("git", "error", f"{version}, but it does not know who commits", mend)
    return Finding("git", "ok", f"{version}, {git.user.identity.author_email}")


async def _program(name: str, option: str, cwd: Path, without: str, mend: str) -> Finding:
    path = find_program(name, os.environ, outside=outermost_checkout(cwd))
    if path is None:
        return Finding(name, "warning", f"not installed: {without}", mend)
    said = await run([path, option], cwd=cwd, env=os.environ)
    first, _, _ = said.out.decode(errors="replace").partition("\n")
    if said.code:
        return Finding(name, "warning", f"{path} ends with {said.code}: {without}", mend)
    return Finding(name, "ok", first)


async def _sandbox(cwd: Path) -> Finding:
    """Whether Bash lines run in bubblewrap here; a configuration that cannot be read says nothing on it."""
    try:
        settings = load_settings(cwd, os.environ)
        mode, root = settings.sandbox, settings.places.root
    except UserError:
        mode, root = "auto", cwd
    if mode == "off":
        mend = "sandbox: auto in your own configuration"
        return Finding("sandbox", "warning", "off: commands can do all that you can do", mend)
    refusal = await obstacle(os.environ, outside=root)
    if refusal is None:
        return Finding(
            "sandbox", "ok", "on: commands write in the project alone, and have no network unasked"
        )
    without = "commands do not run" if mode == "required" else "commands can do all that you can do"
    status: Status = "error" if mode == "required" else "warning"
    return Finding("sandbox", status, f"{refusal.what}: {without}", refusal.mend)


def _configuration(cwd: Path) -> Iterator[Finding]:
    try:
        settings = load_settings(cwd, os.environ)
    except UserError as error:
        yield Finding("configuration", "error", error.what, error.mend)
        return
    files = dict.fromkeys(each.source.rpartition(":")[0] for each in settings.account if ":" in each.source)
    yield Finding("configuration", "ok", f"read {', '.join(files)}" if files else "there are no files")
    for note in settings.notes:
        yield Finding("configuration", "warning", note)
    for complaint in rule_notes(settings):
        yield Finding("rules", "warning", complaint, "mend or remove it")
    yield _trust(settings)
    yield _keys(settings)


def _extensions(cwd: Path) -> Iterator[Finding]:
    """A finding for each kind of which there is something."""
    try:
        settings = load_settings(cwd, os.environ)
    except UserError:
        return
    for name, look in LOOKS.items():
        try:
            items = tuple(look(settings))
        except RooCodeError as error:
            yield Finding(name, "error", error.what, error.mend)
            continue
        if items:
            broken = any(map(is_broken, items))
            mend = MENDS.get(name, "mend or remove what is named") if broken else ""
            yield Finding(name, "warning" if broken else "ok", counted(items), mend, items)


def _mcp(cwd: Path) -> Iterator[Finding]:
    """The MCP servers; a configuration that cannot be read has been complained of already."""
    try:
        settings = load_settings(cwd, os.environ)
    except UserError:
        return
    yield from (Finding(*each) for each in mcp_findings(settings))


def _trust(settings: Settings) -> Finding:
    if settings.trusted:
        return Finding("trust", "ok", f"{settings.places.root} is trusted")
    detail = f"{settings.places.root} is not trusted: its own configuration and tests are not run"
    return Finding("trust", "warning", detail, "roocode trust")


def _keys(settings: Settings) -> Finding:
    names = usable_providers(settings, os.environ)
    if not names:
        return Finding("keys", "error", "no model can be asked: no key is set", NOTHING_SET)
    try:
        model = resolve_model(settings, None, os.environ)
    except UserError as error:
        return Finding("keys", "error", error.what, error.mend)
    return Finding("keys", "ok", f"{', '.join(names)}; {model.provider} answers by default")
