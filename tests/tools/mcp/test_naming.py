"""Names that every provider takes, that say whose a tool is, and that never change hands."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from roocode.tools.mcp.naming import LONGEST, Names

PAIRS = st.lists(st.tuples(st.text(max_size=80), st.text(max_size=200)), max_size=20, unique=True)


@given(PAIRS)
def test_names_fit_are_unique_and_stay(pairs: list[tuple[str, str]]) -> None:
    names = Names()
    given_ = [names.of(server, tool) for server, tool in pairs]

    assert all(re.fullmatch(r"mcp__[A-Za-z0-9_-]+", name) and len(name) <= LONGEST for name in given_)
    assert len(set(given_)) == len(pairs)
    assert [names.of(server, tool) for server, tool in pairs] == given_


@given(PAIRS)
def test_the_servers_part_can_be_told_from_the_tools(pairs: list[tuple[str, str]]) -> None:
    names = Names()
    for server, tool in pairs:
        part = names.of(server, tool).removeprefix("mcp__").partition("__")[0]
        assert part == names.server(server), "a rule for mcp__server is about no other server"


@given(st.permutations(["a.b", "a_b", "a b", "c"]))
def test_the_order_of_a_list_means_nothing(order: list[str]) -> None:
    names, sorted_names = Names(), Names()
    names.settle("s", order)
    sorted_names.settle("s", sorted(order))

    assert {tool: names.of("s", tool) for tool in order} == {
        tool: sorted_names.of("s", tool) for tool in order
    }
    assert names.of("s", "a_b") == "mcp__s__a_b", "a name that needs no change keeps it"


def test_a_server_cannot_take_the_place_of_another_by_its_name() -> None:
    names = Names()

    assert names.of("github", "x") == "mcp__github__x"
    assert names.of("github__x", "y") == "mcp__github_x__y"
    assert names.of("git hub", "y") != names.of("git_hub", "y")
