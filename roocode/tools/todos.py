"""An agent's own list of what it has to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from roocode.protocol.frozen import frozen
from roocode.tools.schema import Input, Limit

Status: TypeAlias = Literal["pending", "in_progress", "completed"]

MARKS: Mapping[Status, str] = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]"}


@frozen
class Todo(Input):
    """One thing to do."""

    content: Annotated[str, Limit(min_length=1)]
    """What is to be done, in a short sentence."""
    status: Status = "pending"
    """pending, in_progress or completed."""


@dataclass(slots=True)
class Todos:
    """The list; `changed` hears of each new one before it counts."""

    items: tuple[Todo, ...] = ()
    changed: Callable[[tuple[Todo, ...]], None] = lambda items: None

    def replace(self, items: tuple[Todo, ...]) -> None:
        """Puts another list in the place of the old one."""
        self.changed(items)
        self.items = items

    def text(self) -> str:
        """The list, one a line; empty where there is none."""
        return "\n".join(f"{MARKS[item.status]} {item.content}" for item in self.items)


def to_json(items: Sequence[Todo]) -> list[dict[str, str]]:
    """The list as JSON values."""
    return [{"content": item.content, "status": item.status} for item in items]


def from_json(values: Sequence[Mapping[str, Any]]) -> tuple[Todo, ...]:
    """The inverse of `to_json`; what is no item of ours is left out."""
    return tuple(
        Todo(str(value["content"]), value["status"])
        for value in values
        if isinstance(value, Mapping) and value.get("content") and value.get("status") in MARKS
    )
