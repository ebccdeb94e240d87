"""Old results of reading calls."""

from __future__ import annotations

from hypothesis import given

from roocode.memory.compaction.clearing import cleared
from roocode.protocol.messages import Message, ToolCall, ToolResult, user
from tests.memory.compaction.histories import flaws, histories, history

READERS = frozenset({"ReadFile", "Grep"})


def test_all_but_the_newest_five_are_cleared() -> None:
    shorter = cleared(history(8, size=1_000), READERS)
    assert shorter is not None
    results = [result.content for message in shorter for result in message.results]
    assert [len(content) > 1_000 for content in results] == [False] * 3 + [True] * 5
    assert results[0] == "[Cleared to save room: call ReadFile again if you need it.]"


def test_what_changed_something_stays_and_so_does_what_is_short() -> None:
    bash = [
        user("go"),
        *(
            message
            for number in range(9)
            for message in (
                Message("assistant", (ToolCall(f"b{number}", "Bash", {}),)),
                Message("user", (ToolResult(f"b{number}", "x" * 1_000),)),
            )
        ),
    ]
    assert cleared(bash, READERS) is None
    assert cleared(history(9, size=50), READERS) is None


def test_a_second_time_changes_nothing() -> None:
    once = cleared(history(9, size=1_000), READERS)
    assert once is not None
    assert cleared(once, READERS) is None


@given(histories())
def test_a_sound_history_stays_sound(messages: tuple[Message, ...]) -> None:
    shorter = cleared(messages, READERS, kept=0)
    assert flaws(messages) == []
    assert shorter is None or flaws(shorter) == []
