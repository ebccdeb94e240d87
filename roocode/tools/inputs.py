"""From the arguments that a model sent to a tool's input, or to words that help the model to do better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from roocode.protocol.messages import Arguments
from roocode.security.permissions.names import FIELDS
from roocode.tools.schema import Schema, expectation, fits, part_at, wire_names

InputT = TypeVar("InputT")

SPELLINGS: Mapping[str, str] = MappingProxyType(
    {
        **FIELDS,
        "filePath": "path", "filename": "path", "file": "path", "directory": "path",
        "cmd": "command", "script": "command",
        "old_str": "old_string", "oldString": "old_string", "oldText": "old_string",
        "new_str": "new_string", "newString": "new_string", "newText": "new_string",
        "replaceAll": "replace_all", "text": "content", "contents": "content", "file_text": "content",
        "regex": "pattern", "query": "pattern", "include": "glob",
        "background": "run_in_background", "bash_id": "id", "shell_id": "id", "task_id": "id",
    }
)  # fmt: skip
"""Field names of other tools' families, taken where they can mean only one thing here."""

_ELSEWHERE: Mapping[str, str] = MappingProxyType(
    {
        "edits": "several edits are several calls, each with `old_string` and `new_string`",
        "new_source": "a notebook is edited as the JSON text that it is: `old_string` and `new_string`",
        "cell_id": "a notebook is edited as the JSON text that it is: `old_string` and `new_string`",
    }
)
"""Fields of other families' tools that are nothing here, and what to do instead."""
_IGNORED = frozenset({"-n"})
_SHOWN = 60


class BadInput(Exception):
    """The arguments do not fit; the message says field and expectation."""


@dataclass(frozen=True)
class InputShape(Generic[InputT]):
    """What a tool takes: its type, and the schema that the model sees."""

    type: type[InputT]
    schema: Schema

    def parse(self, arguments: Arguments) -> InputT:
        """The input. Numbers and truth values may be spelled as strings. Raises BadInput."""
        given = self._ours(arguments)
        if unknown := [name for name in given if name not in self._fields]:
            raise BadInput("; ".join(map(self._unknown, unknown)))
        if self._is_flat and fits(given, self.schema):
            return self.type(**{self._fields[name]: value for name, value in given.items()})
        return self._converted(given)

    @cached_property
    def _fields(self) -> Mapping[str, str]:
        return {wire: name for name, wire in wire_names(self.type).items()}

    @cached_property
    def _is_flat(self) -> bool:
        return all(part["type"] not in ("array", "object") for part in self.schema["properties"].values())

    def _ours(self, arguments: Arguments) -> dict[str, Any]:
        """With our names, and without what is null or means nothing."""
        given = {name: value for name, value in arguments.items() if value is not None}
        for name in [name for name in given if name not in self._fields]:
            meant = SPELLINGS.get(name, "")
            if meant in self._fields and meant not in given:
                given[meant] = given.pop(name)
            elif name in _IGNORED:
                del given[name]
        return given

    def _unknown(self, name: str) -> str:
        if name in _ELSEWHERE and "old_string" in self._fields:
            return f"unknown field `{name}`: {_ELSEWHERE[name]}"
        close = get_close_matches(name, self._fields, n=1)
        hint = (
            f"did you mean `{close[0]}`?"
            if close
            else "known are " + ", ".join(f"`{f}`" for f in self._fields)
        )
        return f"unknown field `{name}`: {hint}"

    def _converted(self, given: Mapping[str, Any]) -> InputT:
        from pydantic import TypeAdapter, ValidationError

        try:
            return TypeAdapter(self.type).validate_python(
                {self._fields[name]: value for name, value in given.items()}
            )
        except ValidationError as error:
            raise BadInput("; ".join(self._explained(error.errors(include_url=False)))) from None

    def _explained(self, errors: Sequence[Any]) -> Iterator[str]:
        wire = {name: wire for wire, name in self._fields.items()}
        for error in errors:
            first, *rest = error["loc"]
            path = (wire.get(first, first), *rest)
            name = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)[1:]
            expected = expectation(part_at(self.schema, path))
            if error["type"].startswith("missing"):
                yield f"`{name}` is missing: it must be {expected}"
            elif error["type"] == "unexpected_keyword_argument":
                yield f"unknown field `{name}`"
            else:
                shown = repr(error["input"])
                shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
                yield f"`{name}` must be {expected}, got {shown}"
