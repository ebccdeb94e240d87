"""Sandboxes of the operating system for tests, and what skips where there are none."""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from roocode.security.sandbox.confinement import Confinement, SandboxMode, obstacle
from roocode.security.sandbox.enclosure import Premises, program_places


@functools.cache
def why_not() -> str:
    """Why bubblewrap does not work here; empty where it does."""
    refusal = asyncio.run(obstacle(os.environ, outside=Path("/nowhere")))
    return str(refusal) if refusal else ""


needs_bubblewrap = pytest.mark.skipif(bool(why_not()), reason=f"bubblewrap does not work here: {why_not()}")


def premises_of(root: Path, *extra: Path, home: Path | None = None, spool: Path | None = None) -> Premises:
    """An agent's places: its root, with its temporary directory and spool beside one another."""
    own = root.parent / f"{root.name}-own"
    premises = Premises(
        roots=(root, *extra),
        home=home or Path("/nowhere"),
        temporary=own / "tmp",
        spool=spool or root / "spool",
        blank=own / "blank",
        state=(home or own) / ".roocode",
        visible=program_places(os.environ),
    )
    for folder in (premises.temporary, premises.spool):
        folder.mkdir(parents=True, exist_ok=True)
    premises.blank.touch()
    return premises


def confined(
    root: Path,
    env: Mapping[str, str],
    *,
    mode: SandboxMode = "required",
    home: Path | None = None,
    spool: Path | None = None,
) -> Confinement:
    """A sandbox around `root`."""
    return Confinement(mode, premises_of(root, home=home, spool=spool), env)
