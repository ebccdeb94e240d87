"""`roocode provider test`: finds out where an endpoint differs from its protocol, for later runs too."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import asdict
from datetime import date
from typing import Any

from roocode.app import assemble
from roocode.app.signals import until_signalled
from roocode.engine.models.catalog import lookup
from roocode.engine.models.probe.probe import Report, probe
from roocode.interaction.cli.orders import ProviderTest
from roocode.interaction.config.learned import FILE, Learned, write_learned
from roocode.interaction.config.load import load_settings
from roocode.interaction.config.providers import ResolvedModel, resolve_model
from roocode.interaction.ui.safe_text import visible
from roocode.protocol.models import ModelInfo

MARKS = {"ok": "ok      ", "quirk": "quirk   ", "problem": "problem "}


def test_provider(order: ProviderTest) -> int:
    """Prints what was found; 1 where an agent cannot work with it. Raises ProviderError and UserError."""
    settings = load_settings(order.cwd, os.environ)
    resolved = resolve_model(settings, order.name, os.environ)
    priced = assemble.model_of(resolved)
    name = priced.name
    info = lookup(resolved.provider, name)
    report = asyncio.run(until_signalled(probe(assemble.endpoint_of(resolved), info)))
    learned = Learned(
        resolved.provider,
        resolved.protocol,
        resolved.base_url,
        name,
        date.today().isoformat(),
        report.window,
        report.profile,
    )
    if order.store:
        write_learned(settings.places, learned)
    path = settings.places.shown(settings.places.home / FILE) if order.store else ""
    if order.json:
        print(json.dumps(_object(report, resolved, priced, path), indent=2, ensure_ascii=False))
    else:
        _print(report, resolved, priced, path)
    return 0 if report.usable else 1


def _object(report: Report, resolved: ResolvedModel, info: ModelInfo, path: str) -> dict[str, Any]:
    return {
        "provider": resolved.provider,
        "protocol": resolved.protocol,
        "baseUrl": resolved.base_url,
        "model": info.name,
        "usable": report.usable,
        "findings": [asdict(finding) for finding in report.findings],
        "window": report.window,
        "profile": report.profile,
        "requests": report.requests,
        "usage": asdict(report.usage),
        "costUsd": info.cost(report.usage),
        "storedIn": path or None,
    }


def _print(report: Report, resolved: ResolvedModel, info: ModelInfo, path: str) -> None:
    place = resolved.base_url or resolved.platform
    print(visible(f"{info.full_name} at {place}, protocol {resolved.protocol}"))
    for finding in report.findings:
        print(visible(f"{MARKS[finding.status]} {finding.name}: {finding.detail}"))
    cost = info.cost(report.usage)
    usage = report.usage
    estimated = ", some of it estimated" if usage.estimated else ""
    price = "unknown cost, since there is no price for it" if cost is None else f"{cost:.6f} USD"
    print(f"This took {report.requests} requests and {usage.total} tokens{estimated}: {price}.")
    if not report.usable:
        print("An agent cannot work with this model there.", file=sys.stderr)
    print(f"Kept in {path}: later runs use it." if path else "Nothing was kept.", file=sys.stderr)
