"""Recorded responses of real providers, replayed through the parsers."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from roocode.engine.models.assemble import assemble
from roocode.engine.models.endpoint import WireName
from roocode.engine.models.failures import Failures
from roocode.protocol.errors import ProviderBusy, ProviderError, ProviderRefused, StreamCut
from roocode.protocol.messages import Reply, Text, Thinking
from tests.engine.models.wires import endpoint, read

SHARED = Path(os.environ.get("ROOCODE_SHARED", Path(__file__).parents[4] / "shared"))
STREAMS = SHARED / "corpus" / "streams"
FOLDERS: dict[str, WireName] = {
    "anthropic": "anthropic",
    "openai-chat": "openai",
    "openai-responses": "openai-responses",
}

pytestmark = pytest.mark.skipif(not STREAMS.is_dir(), reason="the shared corpus is not here")

FAILS: dict[str, type[ProviderError]] = {
    "openai-chat-groq-51d47aa0": ProviderBusy,
    "openai-responses-openai-33b23ec5": ProviderRefused,
    "openai-responses-openai-bc4721ab": StreamCut,
}
"""Recordings that are no answer: a model that did not call a tool, no credit left, two events in one."""

EXPLAINED = {
    "anthropic-anthropic-3dbc18fa": "two responses in one file: ours is the first",
    "anthropic-anthropic-c4aa405d": "fifteen responses in one file: ours is the first",
    "anthropic-anthropic-c1c26740": "a call that a second message_start cut off stays, with a complaint",
    "openai-chat-azure-0679dabe": "empty arguments are an object without members",
    "openai-chat-azure-bd17ea70": "empty arguments are an object without members",
    "openai-chat-groq-9c176682": "usage stands under x_groq",
    "openai-chat-llamacpp-34dacecd": "two choices: ours is the first",
    "openai-chat-mistral-02505192": "two choices: ours is the first",
    "openai-chat-openai-12269f0e": "two choices: ours is the first",
    "openai-chat-openai-4dfbca0c": "two choices: ours is the first",
    "openai-chat-openai-7ee28dc4": "two choices: ours is the first",
    "openai-chat-openai-f30344b8": "two choices: ours is the first",
    "openai-chat-writer-b5dca883": "two choices: ours is the first",
    "openai-chat-openai-d2190629": "a refusal is text too",
    "openai-chat-openrouter-9c6ed482": "a refusal is text too",
    "openai-chat-snowflake-c6b2fe02": "reasoning stands in reasoning_details",
    "openai-responses-azure-0c94be87": "several responses in one file: ours is the first",
    "openai-responses-openai-5c7dee9e": "several responses in one file: ours is the first",
    "openai-responses-openai-53b99e36": "a custom tool's text is a call with the argument `input`",
    "openai-responses-openai-d2300149": "two messages are two paragraphs",
}
"""Recordings that the collector put together in another way, and why ours is right."""


EXPLAINED_TO_THE_CLIENT = {"openai-responses-openai-53b99e36", "openai-responses-openai-d2300149"}
"""Of these, where the recording's own client agreed with the collector."""


def recordings(folder: str) -> list[Path]:
    return [path for path in sorted((STREAMS / folder).glob("*.sse")) if path.stem not in FAILS]


def sidecar(recording: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(recording.with_suffix(".json").read_text())
    return loaded


def reply_of(protocol: WireName, body: bytes) -> Reply:
    return assemble(read(protocol, [body]))


def calls_of(reply: Reply) -> list[tuple[str, Any]]:
    return [(call.name, call.arguments) for call in reply.message.calls]


def stated_calls(expected: dict[str, Any]) -> list[tuple[str, Any]]:
    return [
        (
            call["name"],
            call["arguments"] if "arguments" in call else json.loads(call["arguments_raw"] or "{}"),
        )
        for call in expected["tool_calls"]
    ]


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_recording_gives_what_its_own_client_made_of_it(folder: str) -> None:
    wrong, checked = [], 0
    for recording in recordings(folder):
        for expected in sidecar(recording)["expected"]:
            if not expected["agrees_with_derived"] or expected["text"] is None:
                continue
            if recording.stem in EXPLAINED_TO_THE_CLIENT:
                continue
            checked += 1
            reply = reply_of(FOLDERS[folder], recording.read_bytes())
            if (reply.message.text.strip(), calls_of(reply)) != (
                expected["text"].strip(),
                stated_calls(expected),
            ):
                wrong.append((recording.stem, expected["source"]))
    print(f"\n{folder}: {checked - len(wrong)} of {checked} expectations met")
    assert checked >= 25
    assert wrong == []


def summary(reply: Reply) -> dict[str, Any]:
    blocks, usage = reply.message.blocks, reply.usage
    return {
        "text": "".join(block.text for block in blocks if isinstance(block, Text)),
        "thinking": sum(
            len(block.text) for block in blocks if isinstance(block, Thinking) and not block.redacted
        ),
        "calls": [(call.id, *pair) for call, pair in zip(reply.message.calls, calls_of(reply), strict=True)],
        "sent": usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
        "received": usage.output_tokens,
    }


def derived_summary(recorded: dict[str, Any]) -> dict[str, Any]:
    derived, usage = recorded["derived"], recorded["usage"] or {}
    inputs = ("prompt_tokens", "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    fields = inputs[:1] if "prompt_tokens" in usage else inputs[1:]
    return {
        "text": derived["text"],
        "thinking": derived["thinking_chars"],
        "calls": [(call["id"], call["name"], call["arguments"]) for call in derived["tool_calls"]],
        "sent": sum(usage.get(name) or 0 for name in fields),
        "received": usage.get("completion_tokens", usage.get("output_tokens")),
    }


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_recording_gives_text_thinking_calls_and_usage_as_the_collector_has_them(folder: str) -> None:
    different, same = {}, 0
    for recording in recordings(folder):
        ours = summary(reply_of(FOLDERS[folder], recording.read_bytes()))
        theirs = derived_summary(sidecar(recording))
        if not (theirs["sent"] or theirs["received"]):
            ours["sent"], ours["received"] = theirs["sent"], theirs["received"]
        if ours == theirs:
            same += 1
        elif recording.stem not in EXPLAINED:
            different[recording.stem] = {
                key: (ours[key], theirs[key]) for key in ours if ours[key] != theirs[key]
            }
    print(f"\n{folder}: {same} of {len(recordings(folder))} as the collector has them, the rest explained")
    assert different == {}


@pytest.mark.parametrize(("name", "kind"), FAILS.items())
def test_a_recording_that_ends_with_an_error_is_an_error(name: str, kind: type[ProviderError]) -> None:
    folder = next(folder for folder in FOLDERS if (STREAMS / folder / f"{name}.sse").exists())
    with pytest.raises(kind) as caught:
        read(FOLDERS[folder], [(STREAMS / folder / f"{name}.sse").read_bytes()])
    assert type(caught.value) is kind


@pytest.mark.parametrize(
    ("folder", "last"), [("anthropic", b"message_stop"), ("openai-responses", b'"type":"response.completed"')]
)
def test_recordings_cut_before_their_last_event_are_never_an_answer(folder: str, last: bytes) -> None:
    cut = 0
    for recording in recordings(folder):
        body = recording.read_bytes()
        if last in body:
            cut += 1
            with pytest.raises(StreamCut):
                read(FOLDERS[folder], [body[: body.index(last)]])
    assert cut >= 25


@pytest.mark.parametrize("protocol", ["anthropic", "openai", "openai-responses"])
def test_responses_that_were_not_streamed_are_read_as_well(protocol: WireName) -> None:
    theirs = next(folder for folder, name in FOLDERS.items() if name == protocol)
    loaded = [json.loads(path.read_text()) for path in sorted((STREAMS / "non-streaming").glob("*.json"))]
    bodies = [r["body"] for r in loaded if r["protocol"] == theirs]
    assert bodies
    for body in bodies:
        parsed = json.loads(body)
        if not {"content", "choices", "output"} & set(parsed):
            with pytest.raises(ProviderRefused):
                reply_of(protocol, body.encode())
            continue
        reply = reply_of(protocol, body.encode())
        if protocol == "anthropic":
            texts = [block["text"] for block in parsed["content"] if block["type"] == "text"]
        elif protocol == "openai-responses":
            said = [item["content"] for item in parsed["output"] if item["type"] == "message"]
            texts = ["\n\n".join("".join(part["text"] for part in content) for content in said)]
        else:
            message = parsed["choices"][0].get("message", {})
            texts = [message.get("content"), message.get("refusal")]
        stated = "".join(text for text in texts if isinstance(text, str))
        assert "".join(block.text for block in reply.message.blocks if isinstance(block, Text)) == stated


def test_recorded_errors_are_refusals_or_worth_another_try() -> None:
    seen = 0
    for path in sorted((STREAMS / "http-errors").glob("*-[45]??-*.json")):
        record = json.loads(path.read_text())
        if not isinstance(record.get("body"), str):
            continue
        model = re.search(r"[\w./-]*non-?exist[\w./-]*", record["body"])
        failures = Failures(endpoint("openai"), model[0] if model else "m-1")
        error = failures.of_status(record["status"], record["headers"], record["body"].encode())
        kind = ProviderBusy if record["status"] >= 429 else ProviderRefused
        assert isinstance(error, kind), path.name
        assert error.status == record["status"]
        if record["status"] == 401 or "API key" in record["body"]:
            assert "OPENAI_API_KEY" in error.mend, path.name
        if model:
            seen += 1
            assert "--model" in error.mend, path.name
    assert seen > 5
