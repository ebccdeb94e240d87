"""A tool that is a shell line of somebody's file: its arguments never become part of the line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from roocode.protocol.decisions import Decision
from roocode.protocol.errors import HostError
from roocode.protocol.messages import Arguments
from roocode.protocol.tools import ToolOutcome, ToolSpec, Touches
from roocode.security.sandbox.files import PathRefused
from roocode.tools.excerpt import excerpt
from roocode.tools.services import Shell

TIMEOUT_S = 120.0
LONGEST_VARIABLE = 32 * 1024
"""Bytes of an argument that is also a variable; standard input has each whole."""
_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (Mapping,),
}
_UNFIT = re.compile(r"[^A-Z0-9_]")


class CommandTool:
    """Runs `command` in `root`. The arguments are JSON on its standard input and in ROOCODE_ARGUMENTS.

    Each is also in ROOCODE_ARG_ and its name in capitals. `places` are further variables.
    """

    def __init__(
        self, spec: ToolSpec, command: str, root: Path, shell: Shell, places: Mapping[str, str]
    ) -> None:
        self._spec = spec
        self._command = command
        self._root = root
        self._shell = shell
        self._places = places

    @property
    def spec(self) -> ToolSpec:
        """Name, description and schema."""
        return self._spec

    def complaint(self, arguments: Arguments) -> str:
        """What of the arguments does not fit their schema, as far as types and names go."""
        return "; ".join(_complaints(arguments, self._spec.parameters))

    def touches(self, arguments: Arguments) -> Touches:
        """The line, and what it makes of the arguments, which nobody can tell from the line."""
        return Touches(command=self._command, cwd=str(self._root), other=True)

    def runs_alongside(self, arguments: Arguments) -> bool:
        """Never."""
        return False

    def preview(self, arguments: Arguments) -> str:
        """The line, and what it is given."""
        given = json.dumps(dict(arguments), indent=2, ensure_ascii=False)
        return f"{self._command}\n\non standard input:\n{given}"

    async def run(self, arguments: Arguments, decision: Decision) -> ToolOutcome:
        """Runs the line to its end, or until its time is up."""
        given = json.dumps(dict(arguments), ensure_ascii=False)
        try:
            job = await self._shell.start(
                self._command,
                cwd=self._root,
                granted=decision.granted,
                pins={**self._places, **_variables(arguments, given)},
                stdin=given.encode("utf-8", "surrogatepass"),
            )
        except (HostError, PathRefused) as error:
            return ToolOutcome(str(error), is_error=True)
        ended = await job.wait(TIMEOUT_S)
        shown = excerpt(job.output)
        failed = ended.why != "exit" or ended.code != 0
        why = f"[exit code {ended.code}]" if ended.why == "exit" else f"[ended: {ended.why}]"
        if shown.whole and not job.leftovers():
            job.discard()
        return ToolOutcome("\n".join(filter(None, [shown.text, why if failed else ""])), is_error=failed)


def _variables(arguments: Arguments, given: str) -> dict[str, str]:
    found = {"ROOCODE_ARGUMENTS": given}
    for name, value in arguments.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        found[f"ROOCODE_ARG_{_UNFIT.sub('_', name.upper())}"] = text
    return {name: text for name, text in found.items() if _fits_environment(text)}


def _fits_environment(text: str) -> bool:
    try:
        return "\0" not in text and len(text.encode()) <= LONGEST_VARIABLE
    except UnicodeEncodeError:
        return False


def _complaints(arguments: Arguments, schema: Mapping[str, Any]) -> Iterator[str]:
    properties = schema.get("properties", {})
    required = schema.get("required", ())
    for name in required if isinstance(required, list) else ():
        if name not in arguments:
            yield f"`{name}` is missing"
    for name, value in arguments.items():
        part = properties.get(name)
        if part is None and schema.get("additionalProperties") is False:
            yield f"`{name}` is not known: the fields are {', '.join(properties) or 'none'}"
        if isinstance(part, Mapping):
            yield from _complaints_of(name, value, part)


def _complaints_of(name: str, value: object, part: Mapping[str, Any]) -> Iterator[str]:
    kinds = _TYPES.get(str(part.get("type")))
    is_odd = isinstance(value, bool) and part.get("type") in ("integer", "number")
    if kinds is not None and (is_odd or not isinstance(value, kinds)):
        yield f"`{name}` must be of type {part['type']}"
    allowed = part.get("enum")
    if isinstance(allowed, list) and value not in allowed:
        yield f"`{name}` must be one of {', '.join(map(repr, allowed))}"
