"""`roocode -p` and its models: effort, fallback, protocols and prices."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roocode.interaction.config.learned import Learned, write_learned
from roocode.interaction.config.places import find_places
from roocode.memory.sessions.conversation import replay
from roocode.scripted.server import ScriptedServer
from tests.app.conftest import Roocode
from tests.app.headless import address, lines

Scripted = Callable[..., ScriptedServer]
Configure = Callable[[str], None]


def scenario(*steps: object) -> dict[str, object]:
    return {"agents": {"main": list(steps)}}


@pytest.fixture
def configure(home: Path) -> Configure:
    def write(text: str) -> None:
        (home / ".roocode").mkdir(exist_ok=True)
        (home / ".roocode" / "config.yaml").write_text(text)

    return write


def provider(server: ScriptedServer, protocol: str) -> str:
    root = server.url if protocol == "anthropic" else f"{server.url}/v1"
    return f"{{protocol: {protocol}, base_url: {root}}}"


@pytest.mark.parametrize(
    ("protocol", "asked"),
    [
        ("anthropic", {"thinking": {"type": "enabled", "budget_tokens": 6144}}),
        ("openai", {"reasoning_effort": "medium"}),
        ("openai-responses", {"reasoning": {"effort": "medium", "summary": "auto"}}),
    ],
)
def test_an_effort_is_asked_for_in_every_protocol(
    scripted: Scripted,
    roocode: Roocode,
    configure: Configure,
    protocol: str,
    asked: dict[str, Any],
) -> None:
    server = scripted(scenario({"thinking": "Hm.", "text": "Yes."}))
    configure(f"model: own/m\neffort: off\nproviders: {{own: {provider(server, protocol)}}}\n")
    done = roocode("-p", "Go", "--effort", "medium")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Yes.\n", "")
    assert asked.items() <= server.log[0].body.items()


def test_off_needs_no_quotes(scripted: Scripted, roocode: Roocode, configure: Configure) -> None:
    server = scripted(scenario({"text": "Yes."}))
    configure(f"model: own/m\neffort: off\nproviders: {{own: {provider(server, 'openai')}}}\n")
    assert roocode("-p", "Go").returncode == 0
    assert server.log[0].body["reasoning_effort"] == "none"


def test_nothing_is_asked_for_by_default(scripted: Scripted, roocode: Roocode) -> None:
    server = scripted(scenario({"text": "Yes."}))
    assert roocode("-p", "Go", **address(server)).returncode == 0
    assert not {"thinking", "output_config"} & server.log[0].body.keys()


def test_an_effort_that_is_refused_is_left_out_and_told(
    scripted: Scripted, roocode: Roocode, configure: Configure
) -> None:
    refusal = {"error": {"status": 400, "message": "Unrecognized request argument: reasoning_effort"}}
    server = scripted(scenario(refusal, {"text": "Yes."}))
    configure(f"model: own/m\nproviders: {{own: {provider(server, 'openai')}}}\n")
    done = roocode("-p", "Go", "--effort", "high")
    assert (done.returncode, done.stdout) == (0, "Yes.\n")
    assert done.stderr == "warning: own takes no effort for m: it is left out\n"
    assert ["reasoning_effort" in record.body for record in server.log] == [True, False]


def test_another_model_answers_in_place_of_an_overloaded_one(
    scripted: Scripted, roocode: Roocode, configure: Configure
) -> None:
    one = scripted(scenario({"error": 529}, {"error": 529}, {"error": 529}))
    other = scripted(scenario({"text": "I do.", "usage": {"input": 1_000_000}}))
    configure(
        "model: anthropic/claude-sonnet-5-5\nfallback_model: second/m\n"
        f"providers: {{second: {provider(other, 'openai-responses')}}}\n"
    )
    done = roocode("-p", "Who answers?", "--output-format", "stream-json", **address(one))
    told = lines(done.stdout)
    assert (done.returncode, told[-1]["result"]) == (0, "I do.")
    notices = [line["text"] for line in told if line.get("subtype") == "notice"]
    assert len(notices) == 1
    assert (
        "anthropic/claude-sonnet-5-5 does not answer, so second/m does until your next prompt" in notices[0]
    )
    retries = [line for line in told if line.get("subtype") == "api_retry"]
    assert len(one.log) == len(retries) == 3
    assert told[-1]["total_cost_usd"] is None
    assert told[-1]["cost_note"] == "the cost is not known: there is no price for m"


def test_a_change_of_the_model_is_a_named_break_of_the_prefix_after_a_resume_too(
    scripted: Scripted, roocode: Roocode, configure: Configure, home: Path
) -> None:
    busy = [{"error": 529}] * 3
    server = scripted(scenario({"text": "First."}, *busy, {"text": "Second."}, {"text": "Third."}))
    configure(
        "model: one/m\nfallback_model: two/n\nproviders:\n"
        f"  one: {provider(server, 'anthropic')}\n  two: {provider(server, 'openai-responses')}\n"
    )
    for number, text in enumerate(("First.", "Second.", "Third.")):
        done = roocode(*(["-c"] if number else []), "-p", f"prompt {number}")
        assert (done.returncode, done.stdout) == (0, f"{text}\n"), done.stderr
    assert [record.breaks for record in server.log] == [(), (), (), (), ("model",), ("model",)]
    assert server.failures == []
    (log,) = home.glob(".roocode/projects/*/*.jsonl")
    assert replay(log).breaks.told == "2 (model 2)"


def test_the_price_is_that_of_the_model_that_answered(
    scripted: Scripted, roocode: Roocode, configure: Configure
) -> None:
    used = {"input": 1_000_000, "output": 0}
    one = scripted(scenario({"error": 529}, {"error": 529}, {"error": 529}))
    other = scripted(scenario({"text": "I do.", "usage": used}))
    configure("model: anthropic/claude-opus-5\n")
    more = {**address(one), **address(other, "openai")}
    done = roocode("-p", "Go", "--fallback-model", "openai/gpt-5-mini", "--output-format", "json", **more)
    assert json.loads(done.stdout)["total_cost_usd"] == pytest.approx(0.25)


def test_a_person_may_know_sizes_and_prices_better(
    scripted: Scripted, roocode: Roocode, configure: Configure
) -> None:
    server = scripted(scenario({"text": "Yes.", "usage": {"input": 1_000_000, "output": 500_000}}))
    own = f"providers: {{own: {provider(server, 'openai')}}}\n"
    configure(f"model: own/m\n{own}models: {{own/m: {{input_price: 1, output_price: 4, max_output: 99}}}}\n")
    done = roocode("-p", "Go", "--output-format", "json", "--max-budget-usd", "5")
    value = json.loads(done.stdout)
    assert value["total_cost_usd"] == pytest.approx(3.0)
    assert "cost_note" not in value
    assert server.log[0].body["max_tokens"] == 99


def test_free_is_a_price(scripted: Scripted, roocode: Roocode, configure: Configure) -> None:
    server = scripted(scenario({"text": "Yes."}))
    own = f"providers: {{own: {provider(server, 'openai')}}}\n"
    configure(f"model: own/m\n{own}models: {{own/m: {{input_price: 0, output_price: 0}}}}\n")
    assert json.loads(roocode("-p", "Go", "--output-format", "json").stdout)["total_cost_usd"] == 0


def test_a_fallback_that_is_not_known_is_an_error_at_once(scripted: Scripted, roocode: Roocode) -> None:
    server = scripted(scenario())
    done = roocode("-p", "Go", "--fallback-model", "nobody/m", **address(server))
    assert done.returncode == 42
    assert "unknown provider 'nobody'" in done.stderr
    assert server.log == []


def test_what_a_test_has_learned_is_used(
    scripted: Scripted, roocode: Roocode, configure: Configure, home: Path, project: Path
) -> None:
    (project / "a.txt").write_text("swordfish\n")
    printed = json.dumps({"name": "ReadFile", "arguments": {"path": "a.txt"}})
    server = scripted(scenario({"text": printed, "once": True}, {"text": "It is swordfish."}))
    configure(f"model: own/m\nproviders: {{own: {provider(server, 'openai')}}}\n")
    learned = {"include_usage": False, "text_calls": True}
    known = Learned("own", "openai", f"{server.url}/v1", "m", "2026-11-30", 4096, learned)
    write_learned(find_places(project, {"HOME": str(home)}), known)
    done = roocode("-p", "Which word?")
    assert (done.returncode, done.stdout) == (0, "It is swordfish.\n")
    assert "own/m has a window of 4096 tokens there" in done.stderr
    assert "prints its calls as text" in done.stderr
    assert "stream_options" not in server.log[0].body
    assert "swordfish" in server.log[1].raw.decode()


def test_a_printed_call_of_an_untested_model_is_told(scripted: Scripted, roocode: Roocode) -> None:
    printed = json.dumps({"name": "ReadFile", "arguments": {"path": "a.txt"}})
    server = scripted(scenario({"text": printed}))
    done = roocode("-p", "Which word?", **address(server))
    assert done.stdout.strip() == printed
    assert "`roocode provider test anthropic`" in done.stderr
