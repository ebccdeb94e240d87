"""Reading scenarios: good ones become values, bad ones name the file and the key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from roocode.protocol.errors import UserError
from roocode.scripted.scenario import Between, Fault, Scenario, TaskIs, load


def one_step(**step: Any) -> dict[str, Any]:
    return {"agents": {"main": [step]}}


def test_a_file_is_read_with_its_short_forms(tmp_path: Path) -> None:
    path = tmp_path / "demo.yaml"
    path.write_text(
        """
        models: model-1
        agents:
          lead:
            - error: 429
            - when:
                tasks: {3: completed, Move it: {owner: alice}}
                turns: {at_least: 2}
                last_contains: done
              text: "Task {{ regex('Task (\\\\d+):', 1) }}"
        """
    )
    scenario = load(path)
    failing, speaking = scenario.agents["lead"]
    assert failing.error == Fault(429)
    assert scenario.models == ("model-1",)
    assert speaking.when is not None
    assert speaking.when.tasks == {"3": "completed", "Move it": TaskIs(owner="alice")}
    assert speaking.when.turns == Between(2)
    assert speaking.when.last_contains == ("done",)


def test_settings_replace_what_the_source_says() -> None:
    scenario = load({"agents": {}, "delta_delay_s": 1}, delta_delay_s=0.5, chunk=7)
    assert scenario == Scenario(agents={}, delta_delay_s=0.5, chunk=7)


@pytest.mark.parametrize(
    ("raw", "complaint"),
    [
        ({}, "agents: Field required"),
        ({"agents": {}, "modles": []}, "modles: Unexpected"),
        (one_step(), "agents.main step 1: Value error, says nothing"),
        (one_step(txt="hello"), "agents.main step 1: txt: Unexpected"),
        (one_step(calls=[{"input": {}}]), "agents.main step 1: calls.0.tool: Field required"),
        (one_step(text="x", stop="ended"), "agents.main step 1: stop: Input should be 'end'"),
        (one_step(text="x", when={"last_matches": "("}), "last_matches is not a regular expression"),
        (one_step(text="x", when={"tasks": {"1": "finished"}}), "agents.main step 1: when.tasks.1"),
        (one_step(text="{{ regex('a' 1) }}"), "a comma or a closing bracket is missing"),
        (one_step(calls=[{"tool": "T", "input": {"a": ["{{ }}"]}}]), "a value is missing"),
        (one_step(error=200), "greater than or equal to 400"),
        (one_step(error=500, text="x"), "an answer with an error needs error.after"),
        (one_step(error={"status": 500, "after": 1}), "error.after needs an answer"),
        (one_step(raw_sse="x", text="y"), "raw_sse and raw_body stand alone"),
        (one_step(text="x", always=True, repeat=2), "drop `once` and `repeat`"),
        (one_step(any_order=[{"text": "x"}], text="y"), "any_order stands alone"),
        (one_step(any_order=[{"text": "x", "always": True}]), "can be neither `always` nor a group"),
        (one_step(text="x", delta_delay_s=-1), "greater than or equal to 0"),
    ],
)
def test_a_mistake_is_named_with_its_place(raw: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UserError) as caught:
        load(raw)
    assert complaint in caught.value.what
    assert caught.value.what.startswith("scenario: ")


@pytest.mark.parametrize(
    ("content", "complaint"), [("a: [", "not YAML"), ("- 1", "not a mapping"), ("", "not a mapping")]
)
def test_a_broken_file_is_named(tmp_path: Path, content: str, complaint: str) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text(content)
    with pytest.raises(UserError, match=complaint) as caught:
        load(path)
    assert caught.value.what.startswith(str(path))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nowhere\.yaml: cannot be read: No such file"):
        load(tmp_path / "nowhere.yaml")
