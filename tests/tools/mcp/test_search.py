"""Tools are found by what they are for: by name, by words, in whatever script."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.protocol.tools import ToolSpec
from roocode.tools.mcp.search import LEAST_SHARE, find, words


def tool(name: str, description: str = "", **parameters: str) -> ToolSpec:
    properties: dict[str, Any] = {
        key: {"type": "string", "description": text} for key, text in parameters.items()
    }
    return ToolSpec(name, description, {"type": "object", "properties": properties})


TOOLS = (
    tool("mcp__github__create_issue", "Opens a new issue in a repository.", owner="who owns it", title=""),
    tool("mcp__github__list_issues", "Lists the issues of a repository, filtered by label and state."),
    tool("mcp__github__create_pull_request", "Opens a pull request.", base="branch to merge into"),
    tool("mcp__github__search_code", "Searches code over all repositories."),
    tool("mcp__slack__sendMessage", "Posts to a channel or a person.", channel="#name or id"),
    tool("mcp__slack__listChannels", "Lists the channels of the workspace."),
    tool("mcp__weather__forecast", "Tells the weather of the next days.", city="name of the place"),
    tool("mcp__db__runSQLQuery", "Runs a statement against the warehouse."),
    tool("mcp__kb__搜索文档", "在知识库中搜索文档,返回标题和摘要。", 关键词="要查找的词"),
    tool("mcp__kb__create_doc", "新建一篇文档。"),
    tool("mcp__cal__予定を作る", "カレンダーに予定を追加します。"),
)


def names(found: Iterable[ToolSpec]) -> list[str]:
    return [each.name for each in found]


def first(query: str) -> str:
    return names(find(query, TOOLS, 5).tools)[0]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("create github issue", "mcp__github__create_issue"),
        ("I want to open an issue in a repo", "mcp__github__create_issue"),
        ("list the issues", "mcp__github__list_issues"),
        ("issues by label", "mcp__github__list_issues"),
        ("open PULL-REQUEST", "mcp__github__create_pull_request"),
        ("send a message to a channel", "mcp__slack__sendMessage"),
        ("sendmessage", "mcp__slack__sendMessage"),
        ("send_message", "mcp__slack__sendMessage"),
        ("channels", "mcp__slack__listChannels"),
        ("city", "mcp__weather__forecast"),
        ("sql", "mcp__db__runSQLQuery"),
        ("query the warehouse", "mcp__db__runSQLQuery"),
        ("weath", "mcp__weather__forecast"),
        ("搜索文档", "mcp__kb__搜索文档"),
        ("新建文档", "mcp__kb__create_doc"),
        ("请在知识库里查找", "mcp__kb__搜索文档"),
        ("予定の追加", "mcp__cal__予定を作る"),
        ("Ｗｅａｔｈｅｒ", "mcp__weather__forecast"),
    ],
)
def test_the_best_comes_first(query: str, best: str) -> None:
    assert first(query) == best


@pytest.mark.parametrize("query", ["", "   ", "quantum chromodynamics", "的", "!!!", "select:", "+", "__"])
def test_what_fits_nothing_finds_nothing(query: str) -> None:
    assert find(query, TOOLS, 5).tools == ()
    assert find(query, (), 5).tools == ()


def test_no_more_are_found_than_were_asked_for_and_no_noise() -> None:
    many = [tool(f"mcp__s__thing_{number}", "A thing.") for number in range(40)]
    assert len(find("thing", many, 7).tools) == 7
    assert names(find("weather forecast", TOOLS, 5).tools) == ["mcp__weather__forecast"]
    assert 0 < LEAST_SHARE < 1


def test_a_word_with_a_plus_has_to_be_there() -> None:
    assert all("slack" in name for name in names(find("+slack list", TOOLS, 5).tools))
    assert names(find("+slack +issue", TOOLS, 5).tools) == []
    assert "mcp__github__list_issues" in names(find("+github list", TOOLS, 5).tools)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("select:mcp__slack__sendMessage", ["mcp__slack__sendMessage"]),
        (
            " select: mcp__db__runSQLQuery , mcp__weather__forecast,",
            ["mcp__db__runSQLQuery", "mcp__weather__forecast"],
        ),
        ("select:forecast,forecast", ["mcp__weather__forecast"]),
        ("select:MCP__WEATHER__FORECAST", ["mcp__weather__forecast"]),
        ("mcp__kb__create_doc", ["mcp__kb__create_doc"]),
        ("create_doc", ["mcp__kb__create_doc"]),
        ("搜索文档", ["mcp__kb__搜索文档"]),
    ],
)
def test_a_name_finds_its_tool_alone(query: str, found: list[str]) -> None:
    assert names(find(query, TOOLS, 5).tools) == found


def test_a_name_that_is_not_there_is_told_with_those_that_are_close() -> None:
    found = find("select:mcp__github__create_isue,mcp__slack__sendMessage,zzz", TOOLS, 5)
    assert names(found.tools) == ["mcp__slack__sendMessage"]
    assert found.missing == ("mcp__github__create_isue", "zzz")
    assert found.close[0] == "mcp__github__create_issue"


def test_a_short_name_that_two_servers_have_selects_neither() -> None:
    twins = (tool("mcp__a__search"), tool("mcp__b__search"))
    assert find("select:search", twins, 5).missing == ("search",)
    assert names(find("search", twins, 5).tools) == ["mcp__a__search", "mcp__b__search"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mcp__github__createIssue", ["mcp", "github", "create", "issue"]),
        ("getHTTPResponse2xx", ["get", "http", "response2xx"]),
        ("list-all_the.things", ["list", "all", "the", "thing"]),
        ("queries matches boxes status class", ["query", "match", "box", "status", "class"]),
        ("查天气", ["查天", "天气"]),
        ("查weather吧", ["查", "weather", "吧"]),
        ("Straße ÉTÉ", ["strasse", "été"]),
        ("날씨 조회", ["날씨", "조회"]),
    ],
)
def test_words_are_split_as_people_read_them(text: str, expected: list[str]) -> None:
    assert list(words(text)) == expected


@given(st.text(max_size=60), st.lists(st.text(max_size=30), max_size=12), st.integers(1, 20))
def test_any_words_over_any_tools_give_one_answer_in_any_order(
    query: str, described: list[str], most: int
) -> None:
    tools = [tool(f"mcp__s__t{number}", text, **{text[:5]: text}) for number, text in enumerate(described)]
    found = find(query, tools, most)
    mixed = list(tools)
    random.Random(query).shuffle(mixed)
    assert names(find(query, mixed, most).tools) == names(found.tools)
    assert query.strip().startswith("select:") or len(found.tools) <= most
