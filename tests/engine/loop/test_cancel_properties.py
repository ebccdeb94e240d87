"""Cancelled at whatever step, compacted, resumed: what is sent stays whole, and the log tells the same."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roocode.protocol.events import RoomMade, RunEnded
from tests.engine.loop.cancelling import Said, Told, Whole

names = st.sampled_from(["ReadFile", "TodoWrite", "Work", "Beside", "Beside", "Fail", "Unknown", "Broken"])
answers = st.builds(
    Said,
    st.sampled_from(["", "I look.", " "]),
    st.booleans(),
    st.lists(names, max_size=4).map(tuple),
    st.sampled_from(["", "", "", "", "busy", "window"]),
)
prompts = st.builds(
    Told,
    st.lists(answers, max_size=4).map(tuple),
    st.none() | st.integers(0, 12) | st.integers(0, 60),
    st.booleans(),
)
steps = st.lists(prompts | st.sampled_from(["resume", "compact"]), min_size=1, max_size=8)


async def play(root: Path, script: list[Told | str]) -> Whole:
    whole = Whole(root)
    for number, step in enumerate(script):
        if isinstance(step, Told):
            await whole.tell(step, number)
        elif step == "resume":
            whole.resume()
        else:
            await whole.compact()
        assert whole.flaws() == []
    whole.conversation.close()
    return whole


@settings(max_examples=100, deadline=None)
@given(steps)
def test_a_session_stays_whole_whatever_is_cancelled(script: list[Told | str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(play(Path(folder).resolve(), script))


@pytest.mark.parametrize("cut", range(40))
def test_each_step_of_a_turn_may_be_its_last(tmp_path: Path, cut: int) -> None:
    """Every place at once, in a turn with all kinds of calls; the next prompt is answered."""
    kinds = ("ReadFile", "Beside", "Beside", "Work", "Fail", "Beside", "Unknown", "TodoWrite")
    turn = Told((Said("I look.", calls=kinds), Said("Done with it.")), cut)
    whole = asyncio.run(play(tmp_path.resolve(), [turn, "resume", Told((Said("Here."),))]))
    ends = [event.end for event in whole.events if isinstance(event, RunEnded)]
    assert ends == ["cancelled", "done"]
    assert whole.conversation.messages()[-1].text == "Here."


def test_the_window_is_small_enough_to_be_compacted(tmp_path: Path) -> None:
    turn = Told(tuple(Said(f"Round {number}.", calls=("Work", "Beside")) for number in range(4)))
    whole = asyncio.run(play(tmp_path.resolve(), [turn] * 6))
    assert {event.kind for event in whole.events if isinstance(event, RoomMade)} >= {"summary"}
