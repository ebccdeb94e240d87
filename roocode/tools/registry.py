"""Finds the built-in tools: every module of `builtin` that has something to offer."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from roocode.protocol.tools import Tool
from roocode.security.permissions.names import ALIASES, canonical
from roocode.tools.services import Asker, Services

__all__ = ["ALIASES", "Asker", "Services", "build", "canonical"]

_BUILTIN = "roocode.tools.builtin"


def build(services: Services) -> tuple[Tool, ...]:
    """The tools of one agent, in the order of their file names. They are raw: only a guard may run them.

    Each module's `build(services)` returns its tool, or None where it is not to be offered.
    """
    modules = sorted(found.name for found in iter_modules([str(Path(__file__).parent / "builtin")]))
    offered = (import_module(f"{_BUILTIN}.{name}").build(services) for name in modules)
    return tuple(tool for tool in offered if tool is not None)
