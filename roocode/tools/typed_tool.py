"""Makes a tool of the protocol from a typed action, its description and its schema."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from importlib.resources import files
from typing import Any, Generic, TypeVar

from roocode.protocol.decisions import Decision
from roocode.protocol.errors import HostError, ModelError, UserError
from roocode.protocol.messages import Arguments
from roocode.protocol.tools import ToolOutcome, ToolSpec, Touches
from roocode.security.sandbox.files import PathRefused
from roocode.tools.inputs import BadInput, InputShape
from roocode.tools.schema import generate

InputT = TypeVar("InputT")


class DecidedAction(ABC, Generic[InputT]):
    """What a tool does with an input of type `InputT`, by the decision that let it in; see Tool."""

    @abstractmethod
    def touches(self, given: InputT) -> Touches:
        """What it would touch."""

    def objection(self, given: InputT) -> str:
        """Why the input cannot be meant, beyond its types; empty where it can."""
        return ""

    def runs_alongside(self, given: InputT) -> bool:
        """Whether it is safe beside its neighbours."""
        return False

    def preview(self, given: InputT) -> str:
        """What a person sees before saying yes."""
        return ""

    @abstractmethod
    async def perform(self, given: InputT, decision: Decision) -> ToolOutcome:
        """Does it, let through by `decision`."""


class Action(DecidedAction[InputT]):
    """What a tool does whoever let it through."""

    async def perform(self, given: InputT, decision: Decision) -> ToolOutcome:
        """Does it."""
        return await self.run(given)

    @abstractmethod
    async def run(self, given: InputT) -> ToolOutcome:
        """Does it."""


class TypedTool(Generic[InputT]):
    """A Tool whose arguments have a type."""

    def __init__(self, spec: ToolSpec, shape: InputShape[InputT], action: DecidedAction[InputT]) -> None:
        self._spec = spec
        self._shape = shape
        self._action = action

    @property
    def spec(self) -> ToolSpec:
        """Name, description and schema."""
        return self._spec

    def complaint(self, arguments: Arguments) -> str:
        """Why the arguments do not fit, naming field and expectation; empty where they do."""
        try:
            return self._action.objection(self._shape.parse(arguments))
        except BadInput as bad:
            return str(bad)

    def touches(self, arguments: Arguments) -> Touches:
        """What this call would touch."""
        return self._action.touches(self._shape.parse(arguments))

    def runs_alongside(self, arguments: Arguments) -> bool:
        """Whether this call is safe beside its neighbours."""
        return self._action.runs_alongside(self._shape.parse(arguments))

    def preview(self, arguments: Arguments) -> str:
        """What a person sees before saying yes."""
        return self._action.preview(self._shape.parse(arguments))

    async def run(self, arguments: Arguments, decision: Decision) -> ToolOutcome:
        """Does it; what the machine or the sandbox refuses is a result that says so."""
        try:
            return await self._action.perform(self._shape.parse(arguments), decision)
        except (ModelError, HostError, UserError, PathRefused) as error:
            return ToolOutcome(str(error), is_error=True)


def make_tool(module: str, input_type: type[InputT], action: DecidedAction[InputT]) -> TypedTool[InputT]:
    """The tool of a module: `read_file` is ReadFile, with `read_file.md` and `read_file.json` beside it."""
    package, _, stem = module.rpartition(".")
    folder = files(package)
    description = (folder / f"{stem}.md").read_text(encoding="utf-8").strip()
    schema = _schema(folder / f"{stem}.json", input_type)
    name = "".join(word.capitalize() for word in stem.split("_"))
    return TypedTool(ToolSpec(name, description, schema), InputShape(input_type, schema), action)


def _schema(kept: Any, input_type: type[Any]) -> dict[str, Any]:
    """The schema that is kept beside the tool, or a fresh one."""
    try:
        schema: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return generate(input_type)
    return schema
