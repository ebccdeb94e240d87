"""Code in other languages that does what a command would be refused for."""

from __future__ import annotations

from roocode.security.permissions.dangerous.targets import Surroundings, lost_file, lost_tree
from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.inline import inspect, inspect_awk
from roocode.security.permissions.shell.values import UNKNOWN, Field


def dangerous_code(call: Call, around: Surroundings) -> str:
    """Why the code that a call runs is refused, or ""."""
    for code in call.code:
        if not code.text.strip(UNKNOWN + " \n"):
            if code.network and UNKNOWN in code.text:
                return "runs code that another machine sends"
            if code.hidden:
                return "runs code that is hidden by an encoding"
            continue
        if found := _in_code(code.text, call, around):
            return found
    return ""


def _in_code(text: str, call: Call, around: Surroundings) -> str:
    if call.name.endswith("awk"):
        found = inspect_awk(text)
    else:
        found = inspect(text, backticks_run=not call.name.startswith(("node", "deno", "bun")))
    if found.runs_input and any(field.network for field in call.stdin):
        return "runs what another machine sends"
    if found.evaluates_network:
        return "runs code that another machine sends"
    if found.forks_without_end:
        return "a fork bomb: the code starts processes without end"
    if found.kills_all:
        return "the code ends all processes"
    for path in found.deletes:
        if lost := lost_tree(_path(path, around), call.cwds, around.home):
            return f"the code deletes {lost}"
    for path in found.writes:
        if lost := lost_file(_path(path, around), call.cwds):
            return f"the code writes over {lost}"
    return ""


def _path(text: str, around: Surroundings) -> Field:
    if text == "~" or text.startswith("~/"):
        text = around.home + text[1:]
    return Field(text, live="*" in text)
