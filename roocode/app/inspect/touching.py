"""Asks the real tools what a call would touch, with no agent around them."""

from __future__ import annotations

from pathlib import Path

from roocode.protocol.messages import Arguments
from roocode.protocol.tools import Touches, Workspace
from roocode.security.permissions.names import presumed_touches
from roocode.security.sandbox.files import SafeFiles
from roocode.security.sandbox.shell import Shells
from roocode.tools.registry import Services, build


class ToolsOf:
    """The built-in tools in a workspace, asked and never run."""

    def __init__(self, workspace: Workspace, home: Path) -> None:
        services = Services(workspace, SafeFiles(workspace, home), Shells(workspace.env), None)
        self._tools = {tool.spec.name: tool for tool in build(services)}

    def touches(self, name: str, arguments: Arguments) -> Touches:
        """What a call touches; presumed for a tool that is not built in, or input that it refuses."""
        tool = self._tools.get(name)
        if tool is None or tool.complaint(arguments):
            return presumed_touches(name, arguments)
        return tool.touches(arguments)

    def complaint(self, name: str, arguments: Arguments) -> str:
        """Why the tool would refuse the input, whatever the guard says; "" where it would take it."""
        tool = self._tools.get(name)
        return tool.complaint(arguments) if tool is not None else ""
