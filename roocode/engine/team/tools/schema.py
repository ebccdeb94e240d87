"""What every scheduling tool is built on: arguments checked against a JSON schema, no file touched."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roocode.protocol.decisions import Decision
from roocode.protocol.errors import HostError, ModelError
from roocode.protocol.messages import Arguments
from roocode.protocol.tools import ToolOutcome, ToolSpec, Touches

Schema = Mapping[str, Any]

_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (Mapping,),
    "array": (list, tuple),
    "string": (str,),
    "boolean": (bool,),
}


def text(description: str, *, least: int = 0) -> Schema:
    """A string of at least `least` characters."""
    return {"type": "string", "description": description, **({"minLength": least} if least else {})}


def texts(description: str) -> Schema:
    """A list of strings."""
    return {"type": "array", "items": {"type": "string"}, "description": description}


class SchedulingTool(ABC):
    """A tool whose effect is on the team alone. Its description is the `.md` file beside `source`."""

    def __init__(
        self, name: str, source: str, fields: Mapping[str, Schema], required: tuple[str, ...]
    ) -> None:
        parameters = {
            "type": "object",
            "properties": dict(fields),
            "required": list(required),
            "additionalProperties": False,
        }
        description = Path(source).with_suffix(".md").read_text(encoding="utf-8").strip()
        self.spec = ToolSpec(name, description, parameters)

    def complaint(self, arguments: Arguments) -> str:
        """Why the arguments do not fit, naming field and expectation; empty where they do."""
        return misfit(arguments, self.spec.parameters)

    def touches(self, arguments: Arguments) -> Touches:
        """Nothing outside the team."""
        return Touches()

    def runs_alongside(self, arguments: Arguments) -> bool:
        """False: the order of calls in a batch is part of what they mean."""
        return False

    def preview(self, arguments: Arguments) -> str:
        """The call as it will be made."""
        return f"{self.spec.name} {json.dumps(dict(arguments), ensure_ascii=False)}"

    async def run(self, arguments: Arguments, decision: Decision) -> ToolOutcome:
        """Does it; a refusal or a failed write is an error result, with its mend."""
        try:
            return ToolOutcome(await self.act(arguments))
        except (ModelError, HostError) as error:
            return ToolOutcome(str(error), is_error=True)

    @abstractmethod
    async def act(self, arguments: Arguments) -> str:
        """Does it and returns the text for the model. Raises ModelError or HostError."""


def misfit(value: Any, schema: Schema, place: str = "") -> str:
    """How a value does not fit a JSON schema of the kinds used here, the first problem; empty if it fits."""
    if "anyOf" in schema:
        return _misfit_of_all(value, schema["anyOf"], place)
    kind = schema["type"]
    if not isinstance(value, _TYPES[kind]):
        return f"{place or 'arguments'}: expected {kind}, found {_found(value)}"
    if isinstance(value, Mapping):
        return _misfit_of_object(value, schema, place)
    if isinstance(value, list | tuple):
        problems = (misfit(item, schema["items"], f"{place}[{n}]") for n, item in enumerate(value))
        return next(filter(None, problems), "")
    if isinstance(value, str) and len(value) < schema.get("minLength", 0):
        return f"{place}: must not be empty"
    if value not in schema.get("enum", [value]):
        return f"{place}: expected one of {', '.join(schema['enum'])}, found {json.dumps(value)}"
    return ""


def _misfit_of_object(value: Mapping[str, Any], schema: Schema, place: str) -> str:
    fields: Mapping[str, Schema] = schema["properties"]
    prefix = f"{place}." if place else ""
    for name in schema.get("required", ()):
        if name not in value:
            return f"{prefix}{name}: missing, expected {fields[name].get('type', 'a value')}"
    for name, item in value.items():
        if name not in fields:
            return f"{prefix}{name}: unknown field; expected {', '.join(fields)}"
        if problem := misfit(item, fields[name], f"{prefix}{name}"):
            return problem
    return ""


def _misfit_of_all(value: Any, schemas: list[Schema], place: str) -> str:
    for schema in schemas:
        if isinstance(value, _TYPES[schema["type"]]):
            return misfit(value, schema, place)
    kinds = " or ".join(schema["type"] for schema in schemas)
    return f"{place}: expected {kinds}, found {_found(value)}"


def _found(value: Any) -> str:
    if value is None:
        return "null"
    return {"bool": "boolean", "int": "number", "float": "number", "str": "string"}.get(
        type(value).__name__, "object" if isinstance(value, Mapping) else "array"
    )
