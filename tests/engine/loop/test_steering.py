"""Words that come while a run goes on."""

import asyncio

import pytest

from roocode.engine.loop.limits import Tally
from roocode.engine.loop.steering import Steering
from roocode.interaction.config.sources import Flag
from roocode.protocol.events import CallBegan, PromptAdded
from roocode.protocol.messages import user
from tests.engine.loop.conftest import ALLOW_ALL, Opener


@pytest.mark.asyncio
async def test_they_stand_behind_the_results_of_the_next_request(opened: Opener):
    wait = {"tool": "Bash", "input": {"command": "until test -e go.txt; do sleep 0.02; done"}}
    steps = ({"calls": [wait]}, {"when": {"last_contains": "Mind the gap."}, "text": "I do."})
    limit = Flag(("max_turns",), 1, "--max-turns")
    async with opened(*steps, flags=(ALLOW_ALL, limit)) as session:
        running = session.start("Go.")
        await session.until(lambda: bool(session.seen(CallBegan)))
        session.single.steering.say(session.single.prompt("Mind the gap."))
        opened.write(go="")
        ended = await running
    assert (ended.end, ended.text) == ("done", "I do."), "outside input begins the count of turns anew"
    assert [event.message.spoken for event in session.seen(PromptAdded)] == ["Go.", "Mind the gap."]
    assert len(session.messages[2].results) == 1
    assert session.messages[2].spoken == "Mind the gap."


@pytest.mark.asyncio
async def test_what_comes_too_late_is_there_for_the_next_run(opened: Opener):
    async with opened({"text": "One."}, {"text": "Two."}) as session:
        await session.say("First.")
        steering = session.single.steering
        steering.say(session.single.prompt("Second."))
        assert steering.waits
        message = steering.next()
        assert message is not None
        assert message.spoken == "Second."
        assert steering.next() is None
        await session.say("Second.")


def test_what_is_forgotten_does_not_come_back():
    taken: list[object] = []

    class Takes:
        def add_prompt(self, message: object) -> None:
            taken.append(message)

    steering = Steering(Takes())
    steering.say(user("x"))
    steering.clear()
    assert not steering.waits
    assert asyncio.run(steering(Tally())) is False
    assert taken == []
