"""Asks the real tools what a call would touch, with no agent around them."""

from __future__ import annotations

from pathlib import Path

from roocode.protocol.messages import Arguments
from roocode.protocol.tools import Touches, Workspace
from roocode.security.permissions.check import TouchesOf
from roocode.security.permissions.names import presumed_touches
from roocode.security.sandbox.files import SafeFiles
from roocode.security.sandbox.shell import Shells
from roocode.tools.registry import Services, build


def touches_in(workspace: Workspace, home: Path) -> TouchesOf:
    """What calls touch in a workspace; a tool that is not built in, or input that it refuses, is presumed."""
    services = Services(workspace, SafeFiles(workspace, home), Shells(workspace.env), None)
    tools = {tool.spec.name: tool for tool in build(services)}

    def touches(name: str, arguments: Arguments) -> Touches:
        tool = tools.get(name)
        if tool is None or tool.complaint(arguments):
            return presumed_touches(name, arguments)
        return tool.touches(arguments)

    return touches
