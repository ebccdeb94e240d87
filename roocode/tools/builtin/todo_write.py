"""TodoWrite: the agent's own list."""

from __future__ import annotations

from typing import Annotated

from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool, ToolOutcome, Touches
from roocode.tools.schema import Input, Limit
from roocode.tools.services import Services
from roocode.tools.todos import Todo, Todos
from roocode.tools.typed_tool import Action, make_tool

MOST = 50


@frozen
class TodoWriteInput(Input):
    """What TodoWrite takes."""

    todos: Annotated[tuple[Todo, ...], Limit(max_length=MOST)]
    """The whole list, as it is from now on."""


class TodoWrite(Action[TodoWriteInput]):
    """Keeps the list."""

    def __init__(self, todos: Todos) -> None:
        self._todos = todos

    def objection(self, given: TodoWriteInput) -> str:
        """Why this is no list to work from."""
        begun = [item for item in given.todos if item.status == "in_progress"]
        return "only one item may be in_progress at a time" if len(begun) > 1 else ""

    def touches(self, given: TodoWriteInput) -> Touches:
        """Nothing."""
        return Touches()

    async def run(self, given: TodoWriteInput) -> ToolOutcome:
        """Replaces the list."""
        self._todos.replace(given.todos)
        done = sum(item.status == "completed" for item in given.todos)
        said = (
            f"The list has {len(given.todos)} items, {done} completed."
            if given.todos
            else "The list is empty."
        )
        return ToolOutcome(said, shown=self._todos.text() or said)


def build(services: Services) -> Tool:
    """TodoWrite."""
    return make_tool(__name__, TodoWriteInput, TodoWrite(services.todos))
