"""ToolSearch: what it loads, and what it says where it finds nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roocode.protocol.decisions import Decision
from roocode.protocol.tools import Tool, ToolOutcome, ToolSpec, Touches, Workspace
from roocode.security.sandbox.files import SafeFiles
from roocode.tools.builtin.tool_search import MOST_PARAMETERS, SHOWN
from roocode.tools.registry import Services, build

ALLOWED = Decision("allow", "mode", "a test")


def spec(name: str, description: str = "", *parameters: str, required: tuple[str, ...] = ()) -> ToolSpec:
    properties = {each: {"type": "string"} for each in parameters}
    return ToolSpec(
        name, description, {"type": "object", "properties": properties, "required": list(required)}
    )


@dataclass
class Shelf:
    """Tools that can be loaded; `late` are there once somebody waited."""

    specs: tuple[ToolSpec, ...] = ()
    late: tuple[ToolSpec, ...] = ()
    reasons: dict[str, str] = field(default_factory=dict)
    loaded: list[str] = field(default_factory=list)

    def tools(self) -> tuple[ToolSpec, ...]:
        return self.specs

    def load(self, names: Iterable[str]) -> tuple[str, ...]:
        new = tuple(name for name in names if name not in self.loaded)
        self.loaded += new
        return new

    async def absent(self) -> Mapping[str, str]:
        self.specs, self.late = (*self.specs, *self.late), ()
        return self.reasons


def tool(shelf: Shelf) -> Tool:
    workspace = Workspace(root=Path("/project"))
    offered = build(Services(workspace, SafeFiles(workspace, Path("/home/user")), further=shelf))
    (found,) = (each for each in offered if each.spec.name == "ToolSearch")
    return found


def search(shelf: Shelf, query: str, **more: Any) -> ToolOutcome:
    return asyncio.run(tool(shelf).run({"query": query, **more}, ALLOWED))


def test_what_is_found_is_loaded_and_told_in_one_line_each() -> None:
    shelf = Shelf(
        (spec("mcp__a__send_mail", "Sends\n  a mail. " + "x" * 300, "to", "text", required=("to",)),)
    )
    outcome = search(shelf, "send mail")

    assert shelf.loaded == ["mcp__a__send_mail"]
    head, line = outcome.content.split("\n")
    assert head.startswith("Loaded, in your tool list from your next step on")
    assert line.startswith("- mcp__a__send_mail(to*, text): Sends a mail. xxx")
    assert len(line) == len("- mcp__a__send_mail(to*, text): ") + SHOWN
    assert not outcome.is_error


def test_what_was_loaded_before_is_said_to_be_there() -> None:
    shelf = Shelf((spec("mcp__a__send"), spec("mcp__a__read")), loaded=["mcp__a__read"])
    outcome = search(shelf, "select:send,mcp__a__read")
    assert "- mcp__a__send()" in outcome.content
    assert outcome.content.endswith("In your tool list already: mcp__a__read")


def test_many_parameters_are_cut() -> None:
    shelf = Shelf((spec("mcp__a__big", "", *(f"p{number}" for number in range(40))),))
    assert f"p{MOST_PARAMETERS - 1}, …)" in search(shelf, "big").content


def test_no_more_are_loaded_than_was_asked_for() -> None:
    shelf = Shelf(tuple(spec(f"mcp__a__item_{number}") for number in range(30)))
    search(shelf, "item")
    search(Shelf(shelf.specs, loaded=shelf.loaded), "item", max_results=20)
    assert len(shelf.loaded) == 20
    assert "from 1 to 20" in tool(shelf).complaint({"query": "x", "max_results": 21})
    assert "`query`" in tool(shelf).complaint({"query": ""})


def test_a_miss_waits_looks_again_and_says_who_is_missing() -> None:
    shelf = Shelf(late=(spec("mcp__a__late"),), reasons={"b": "connection refused"})
    assert "mcp__a__late" in search(shelf, "late").content

    outcome = search(shelf, "select:late,later_still")
    assert not outcome.is_error
    assert "There is no tool later_still." in outcome.content
    assert outcome.content.endswith("b has no tools here: connection refused")

    outcome = search(shelf, "cake")
    assert outcome.is_error
    assert "None of the 1 further tools fits 'cake'." in outcome.content
    assert "There are no further tools." in search(Shelf(), "cake").content


def test_a_name_that_is_nearly_right_is_corrected() -> None:
    outcome = search(Shelf((spec("mcp__a__create_issue"),)), "select:mcp__a__create_isue")
    assert outcome.content.split("\n")[1] == "Close to it: mcp__a__create_issue."


def test_a_search_touches_nothing_and_may_run_beside_others() -> None:
    found = tool(Shelf())
    assert found.touches({"query": "x"}) == Touches()
    assert found.runs_alongside({"query": "x"})
