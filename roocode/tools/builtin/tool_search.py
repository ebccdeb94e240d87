"""ToolSearch: tools that the model knows by name only, or not at all, come into its list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

from roocode.protocol.brevity import in_brief
from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool, ToolOutcome, ToolSpec, Touches
from roocode.tools.schema import Input, Limit
from roocode.tools.services import FurtherTools, Services
from roocode.tools.typed_tool import Action, make_tool

if TYPE_CHECKING:
    from roocode.tools.mcp.search import Found

SHOWN = 160
"""Characters of a description that stand in the answer: the whole of it is in the tool list."""
MOST_PARAMETERS = 12


@frozen
class ToolSearchInput(Input):
    """What ToolSearch takes."""

    query: Annotated[str, Limit(min_length=1)]
    """Words for what is to be done, or `select:NAME,NAME`."""
    max_results: Annotated[int, Limit(ge=1, le=20)] = 5
    """How many tools are loaded at most, where words are searched."""


class ToolSearch(Action[ToolSearchInput]):
    """Searches and loads."""

    def __init__(self, further: FurtherTools) -> None:
        self._further = further

    def touches(self, given: ToolSearchInput) -> Touches:
        """Nothing: whether a loaded tool may be called is decided at its call."""
        return Touches()

    def runs_alongside(self, given: ToolSearchInput) -> bool:
        """Always."""
        return True

    async def run(self, given: ToolSearchInput) -> ToolOutcome:
        """Loads what fits. A search that misses looks again once no server is being connected any more."""
        from roocode.tools.mcp.search import find

        found = find(given.query, self._further.tools(), given.max_results)
        absent: Mapping[str, str] = {}
        if found.missing or not found.tools:
            absent = await self._further.absent()
            found = find(given.query, self._further.tools(), given.max_results)
        new = self._further.load([tool.name for tool in found.tools])
        lines = [*_loaded(found.tools, new), *self._missed(given.query, found, absent)]
        return ToolOutcome("\n".join(lines), is_error=not found.tools)

    def _missed(self, query: str, found: Found, absent: Mapping[str, str]) -> Iterator[str]:
        """What was not found, and what may be the reason."""
        if found.tools and not found.missing:
            return
        if found.missing:
            yield f"There is no tool {', '.join(found.missing)}."
            if found.close:
                yield f"Close to it: {', '.join(found.close)}."
        else:
            yield from _nothing(query, len(self._further.tools()))
        for name, why in absent.items():
            yield f"{name} has no tools here: {why}"


def build(services: Services) -> Tool | None:
    """ToolSearch, where further tools are there or to come."""
    return make_tool(__name__, ToolSearchInput, ToolSearch(services.further)) if services.further else None


def _loaded(tools: Sequence[ToolSpec], new: Sequence[str]) -> Iterator[str]:
    fresh = [tool for tool in tools if tool.name in new]
    known = [tool.name for tool in tools if tool.name not in new]
    if fresh:
        yield "Loaded, in your tool list from your next step on (* is required):"
        yield from map(_line, fresh)
    if known:
        yield f"In your tool list already: {', '.join(known)}"


def _nothing(query: str, of: int) -> Iterator[str]:
    if not of:
        yield "There are no further tools."
        return
    yield f"None of the {of} further tools fits {query!r}."
    yield "Try other words, fewer of them, or `select:` with a name that a reminder lists."


def _line(tool: ToolSpec) -> str:
    """A tool in one line: what it takes and does."""
    required = frozenset(tool.parameters.get("required", ()))
    takes = [f"{name}*" if name in required else name for name in tool.parameters.get("properties", {})]
    if len(takes) > MOST_PARAMETERS:
        takes = [*takes[:MOST_PARAMETERS], "…"]
    does = in_brief(tool.description, SHOWN)
    return f"- {tool.name}({', '.join(takes)})" + (f": {does}" if does else "")
