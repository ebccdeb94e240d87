"""`roocode provider test` against servers whose quirks are scripted."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roocode.scripted.anthropic.strict import sign
from roocode.scripted.server import ScriptedServer
from tests.app.conftest import Roocode

Scripted = Callable[..., ScriptedServer]

NOTE = {"tool": "note", "input": {"text": "ok"}}
NOW = {"tool": "now"}
GOOD = [{"text": "amber"}, {"calls": [NOTE, NOW]}, {"text": "Done."}, {"text": "It is amber."}]
COUNTED = {"prompt_tokens": 9, "completion_tokens": 2}


def play(*steps: Any, **more: Any) -> dict[str, Any]:
    return {"agents": {"provider-test": [{**step, "once": True} for step in steps]}, **more}


def chunks(
    *deltas: dict[str, Any], reason: str | None = "stop", done: bool = True, **more: Any
) -> dict[str, Any]:
    """A step that sends these deltas as they are."""
    values = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    values.append({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], **more})
    text = "".join(f"data: {json.dumps(value)}\n\n" for value in values)
    return {"raw_sse": text + ("data: [DONE]\n\n" if done else "")}


def call(name: str, arguments: Any, **more: Any) -> dict[str, Any]:
    return {**more, "function": {"name": name, "arguments": arguments}}


@pytest.fixture
def provider(home: Path) -> Callable[[ScriptedServer, str], str]:
    def name(server: ScriptedServer, protocol: str) -> str:
        root = server.url if protocol == "anthropic" else f"{server.url}/v1"
        (home / ".roocode").mkdir(exist_ok=True)
        config = f"model: own/m\nproviders: {{own: {{protocol: {protocol}, base_url: {root}}}}}\n"
        (home / ".roocode" / "config.yaml").write_text(config)
        return "own/m"

    return name


Provider = Callable[[ScriptedServer, str], str]


def found(report: dict[str, Any], status: str) -> set[str]:
    """The findings of a status, as `name: detail`."""
    return {f"{f['name']}: {f['detail']}" for f in report["findings"] if f["status"] == status}


@pytest.mark.parametrize("protocol", ["anthropic", "openai", "openai-responses"])
def test_a_server_that_keeps_to_its_protocol(
    scripted: Scripted, roocode: Roocode, provider: Provider, protocol: str
) -> None:
    server = scripted(play(*GOOD[:3], models=["m"], window=32_768))
    done = roocode("provider", "test", provider(server, protocol), "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["usable"], report["window"]) == (0, True, 32_768)
    assert found(report, "quirk") - {"calls: whole in one event"} == set()
    assert report["profile"] == {}
    assert report["requests"] == len(server.log) == 3
    assert report["costUsd"] is None
    form = {"anthropic": "budget", "openai": "reasoning_effort", "openai-responses": "reasoning"}[protocol]
    assert f"effort: taken as {form}" in found(report, "ok")
    assert {record.sender.agent for record in server.log} == {"provider-test"}
    server.assert_finished()


def test_what_is_kept_is_the_persons_alone_and_in_place_of_what_was(
    scripted: Scripted, roocode: Roocode, provider: Provider, home: Path
) -> None:
    server = scripted(play(*GOOD[:3], *GOOD[:3], models=["m"], window=9000))
    for _ in range(2):
        done = roocode("provider", "test", provider(server, "openai"))
        assert done.returncode == 0
    path = home / ".roocode" / "provider_profiles.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    [kept] = json.loads(path.read_text())["profiles"]
    assert (kept["provider"], kept["model"], kept["window"]) == ("own", "m", 9000)
    assert "Kept in ~/.roocode/provider_profiles.json" in done.stderr
    assert "unknown cost, since there is no price for it" in done.stdout
    assert "window: 9000 tokens, by /v1/models" in done.stdout


def test_a_price_that_the_person_has_set_counts(
    scripted: Scripted, roocode: Roocode, provider: Provider, home: Path
) -> None:
    server = scripted(play(*GOOD[:3], models=["m"], window=9000))
    name = provider(server, "openai")
    with (home / ".roocode" / "config.yaml").open("a") as config:
        config.write(f"models: {{{name}: {{input_price: 0, output_price: 0}}}}\n")
    assert json.loads(roocode("provider", "test", name, "--json").stdout)["costUsd"] == 0


def test_nothing_is_kept_where_that_is_asked_for(
    scripted: Scripted, roocode: Roocode, provider: Provider, home: Path
) -> None:
    server = scripted(play(*GOOD[:3], models=["m"], window=9000))
    assert roocode("provider", "test", provider(server, "openai"), "--no-store").returncode == 0
    assert not (home / ".roocode" / "provider_profiles.json").exists()


def test_quirks_of_a_chat_server_are_named(scripted: Scripted, roocode: Roocode, provider: Provider) -> None:
    calls = {"tool_calls": [call("note", {"text": "ok"}), call("now", "")]}
    server = scripted(
        play(
            chunks({"reasoning": "hm"}, {"content": "amber"}, usage=COUNTED),
            chunks({"reasoning": "hm"}, calls, usage=COUNTED, done=False),
            {"text": "Done."},
            models=["m"],
            window=9000,
        )
    )
    done = roocode("provider", "test", provider(server, "openai"), "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 0
    assert found(report, "quirk") == {
        "usage: in the last chunk of the answer",
        "reasoning: in reasoning",
        "stream: no [DONE] at the end",
        "calls: no index",
        "calls: no id",
        "calls: arguments as an object instead of text",
        "calls: whole in one event",
        "calls: no arguments as empty text instead of {}",
        "stop reason: stop although tools are called",
    }
    assert report["profile"] == {"reasoning_field": "reasoning"}
    assert server.log[2].body["messages"][2]["reasoning"] == "hm"


@pytest.mark.parametrize(
    ("usage", "status", "finding"),
    [
        ({"input_tokens": 9, "output_tokens": 2}, "ok", "usage: reported"),
        ({}, "quirk", "usage: not reported: it is estimated"),
    ],
)
def test_usage_is_reported_wherever_it_comes(
    scripted: Scripted, roocode: Roocode, provider: Provider, usage: dict[str, int], status: str, finding: str
) -> None:
    text = {"type": "text", "text": "amber"}
    events = [
        {"type": "message_start", "message": {"content": [text], "usage": usage}},
        {"type": "message_stop"},
    ]
    body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    step = {"raw_sse": body}
    server = scripted(play(step, step, models=["m"], window=9000))
    report = json.loads(roocode("provider", "test", provider(server, "anthropic"), "--json").stdout)
    seen = {f"{f['name']}: {f['detail']}" for f in report["findings"] if f["name"] == "usage"}
    assert seen == {finding} <= found(report, status)


def test_a_window_that_is_smaller_than_it_seems(
    scripted: Scripted, roocode: Roocode, provider: Provider
) -> None:
    cut = {"text": "Which word?", "usage": {"input": 4090, "output": 3}}
    scenario = play(*GOOD[:3], cut)
    scenario["agents"]["main"] = [{"text": "Yes."}]
    server = scripted(scenario)
    done = roocode("provider", "test", provider(server, "openai"))
    assert done.returncode == 1
    assert "problem  window: prompts are cut at 4090 tokens without a word" in done.stdout
    again = roocode("-p", "Go")
    assert "own/m has a window of 4096 tokens there" in again.stderr


def test_a_window_that_is_not_named_but_large_enough(
    scripted: Scripted, roocode: Roocode, provider: Provider
) -> None:
    server = scripted(play(*GOOD))
    done = roocode("provider", "test", provider(server, "openai"))
    assert done.returncode == 0
    assert "6,000 tokens are taken" in done.stdout
    assert len(server.log) == 4


@pytest.mark.parametrize(
    ("model", "efforts", "status", "effort"),
    [
        ("claude-haiku-5-5", (), "ok", "effort: taken as adaptive"),
        ("claude-haiku-5-5", ("adaptive",), "ok", "effort: taken as budget"),
        (
            "claude-haiku-5-5",
            ("adaptive", "budget"),
            "quirk",
            "effort: refused in every form: it is left out",
        ),
        ("claude-3-haiku", (), "ok", "effort: this model has none"),
    ],
)
def test_the_effort_is_said_in_the_form_that_was_taken(
    scripted: Scripted,
    roocode: Roocode,
    provider: Provider,
    model: str,
    efforts: tuple[str, ...],
    status: str,
    effort: str,
) -> None:
    refusals = [
        {"error": {"status": 400, "message": f"thinking: {form} is not supported"}} for form in efforts
    ]
    server = scripted(play(*refusals, *GOOD[:3], models=[model], window=9000))
    own = provider(server, "anthropic").replace("own/m", f"own/{model}")
    report = json.loads(roocode("provider", "test", own, "--json").stdout)
    assert {line for line in found(report, status) if line.startswith("effort")} == {effort}


@pytest.mark.parametrize("protocol", ["anthropic", "openai-responses"])
def test_sealed_reasoning_goes_back_with_the_results(
    scripted: Scripted, roocode: Roocode, provider: Provider, protocol: str
) -> None:
    steps = [GOOD[0], {**GOOD[1], "thinking": "Two tools."}, GOOD[2]]
    server = scripted(play(*steps, models=["m"], window=9000))
    report = json.loads(roocode("provider", "test", provider(server, protocol), "--json").stdout)
    assert "results: calls and results are taken back" in found(report, "ok")
    assert sign("Two tools.") in server.log[2].raw.decode()
    assert report["profile"] == {}


def test_sealed_reasoning_that_is_refused_is_left_out(
    scripted: Scripted, roocode: Roocode, provider: Provider
) -> None:
    words = "The encrypted content for item rs_1 could not be verified."
    refusal = {"error": {"status": 400, "message": words}}
    steps = [GOOD[0], {**GOOD[1], "thinking": "Two tools."}, refusal, GOOD[2]]
    server = scripted(play(*steps, models=["m"], window=9000))
    report = json.loads(roocode("provider", "test", provider(server, "openai-responses"), "--json").stdout)
    assert "refused: its own sealed reasoning: it is not sent back" in found(report, "quirk")
    assert report["profile"] == {"signed_thinking": False}


def test_fields_that_are_refused_are_left_out_from_then_on(
    scripted: Scripted, roocode: Roocode, provider: Provider
) -> None:
    def refuse(words: str) -> dict[str, Any]:
        return {"error": {"status": 400, "message": words}}

    server = scripted(
        play(
            refuse("Unknown parameter: stream_options"),
            refuse("Unrecognized request argument supplied: reasoning_effort"),
            *GOOD[:3],
            {"text": "Later."},
            models=["m"],
            window=9000,
        )
    )
    name = provider(server, "openai")
    report = json.loads(roocode("provider", "test", name, "--json").stdout)
    assert report["profile"] == {"include_usage": False, "efforts": []}
    assert "refused: stream_options: usage is not asked for" in found(report, "quirk")
    assert "effort: refused in every form: it is left out" in found(report, "quirk")


def test_printed_calls_are_read_later(scripted: Scripted, roocode: Roocode, provider: Provider) -> None:
    printed = {"text": json.dumps({"name": "note", "arguments": {"text": "ok"}})}
    server = scripted(play(GOOD[0], printed, models=["m"], window=9000))
    report = json.loads(roocode("provider", "test", provider(server, "openai"), "--json").stdout)
    assert report["usable"]
    assert report["profile"] == {"text_calls": True}


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ([GOOD[0], {"text": "I cannot."}], "tools: no tool is called"),
        ([GOOD[0], {"error": 400}], "tools: a request with tools is refused"),
        ([GOOD[0], {"calls": [{**NOTE, "raw": "{oops"}]}, GOOD[2]], "tools: The arguments of note are not"),
        ([*GOOD[:2], {"error": 400}], "results: a history with calls is refused"),
    ],
)
def test_what_no_agent_can_work_with(
    scripted: Scripted, roocode: Roocode, provider: Provider, steps: list[Any], problem: str
) -> None:
    server = scripted(play(*steps, models=["m"], window=9000))
    done = roocode("provider", "test", provider(server, "openai"), "--json")
    assert done.returncode == 1
    assert any(each.startswith(problem) for each in found(json.loads(done.stdout), "problem"))


@pytest.mark.parametrize(("status", "code"), [(401, 42), (529, 75)])
def test_an_endpoint_that_does_not_answer(
    scripted: Scripted, roocode: Roocode, provider: Provider, home: Path, status: int, code: int
) -> None:
    server = scripted(play(*[{"error": status}] * 3))
    done = roocode("provider", "test", provider(server, "openai"))
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith("error: own (http://127.0.0.1:")
    assert not (home / ".roocode" / "provider_profiles.json").exists()


def test_a_provider_that_is_not_known(roocode: Roocode) -> None:
    done = roocode("provider", "test", "nobody")
    assert (done.returncode, done.stdout) == (42, "")
    assert "unknown model 'nobody'" in done.stderr
