"""Sub-agents of a real session against a scripted model: in front, in the background, as forks."""

from __future__ import annotations

from typing import Any

import pytest

from roocode.protocol.events import SubAgentChanged
from tests.engine.loop.conftest import Opener, opened  # noqa: F401


def agent(**given: Any) -> dict[str, Any]:
    return {"tool": "Agent", "input": {"prompt": "Find it.", "description": "find it", **given}}


@pytest.mark.asyncio
async def test_in_front_the_report_is_the_result(opened: Opener) -> None:  # noqa: F811
    beside = {"ann": [{"calls": [{"tool": "Glob", "input": {"pattern": "*"}}]}, {"text": "It is in a.txt."}]}
    steps = (
        {"calls": [agent(subagent_type="general-purpose", name="ann")]},
        {"when": {"last_contains": "It is in a.txt."}, "text": "Found."},
    )
    async with opened(*steps, beside=beside) as session:
        assert (await session.say("Go.")).text == "Found."
        states = [event.state for event in session.seen(SubAgentChanged)]
        assert states == ["queued", "working", "completed"]
