"""TodoWrite."""

from __future__ import annotations

import pytest

from roocode.tools.todos import Todo, Todos, from_json, to_json
from tests.tools.conftest import Bench

LIST = [
    {"content": "read the code", "status": "completed"},
    {"content": "change it", "status": "in_progress"},
    {"content": "run the tests"},
]


@pytest.mark.asyncio
async def test_the_list_is_replaced_as_a_whole(bench: Bench) -> None:
    outcome = await bench.call("TodoWrite", todos=LIST)
    assert outcome.content == "The list has 3 items, 1 completed."
    assert outcome.shown == "[x] read the code\n[>] change it\n[ ] run the tests"
    assert await bench.text("TodoWrite", todos=[]) == "The list is empty."
    assert bench.services.todos.items == ()


@pytest.mark.parametrize(
    ("todos", "words"),
    [
        ([{"content": ""}], "`todos[0].content`"),
        ([{"content": "a", "status": "done"}], "`todos[0].status`"),
        (
            [{"content": "a", "status": "in_progress"}, {"content": "b", "status": "in_progress"}],
            "only one item",
        ),
    ],
)
def test_what_is_no_list_is_refused(bench: Bench, todos: object, words: str) -> None:
    assert words in bench.tools["TodoWrite"].complaint({"todos": todos})


def test_a_change_is_heard_before_it_counts() -> None:
    heard: list[tuple[Todo, ...]] = []
    todos = Todos(changed=lambda items: heard.append((*items, *todos.items)))
    todos.replace((Todo("a"),))
    todos.replace((Todo("b"),))
    assert heard == [(Todo("a"),), (Todo("b"), Todo("a"))]


def test_json_and_back_leaves_out_what_is_no_item() -> None:
    items = (Todo("a", "completed"), Todo("b"))
    assert from_json(to_json(items)) == items
    assert (
        from_json([{"content": "a"}, {"content": "", "status": "pending"}, {"status": "x", "content": "c"}])
        == ()
    )
