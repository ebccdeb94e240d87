"""Hooks of files for Claude: real ones load or are refused with a true reason."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roocode.tools.hooks.claude import Entry, Remark, entries, read_any
from roocode.tools.hooks.hook import Hook

SHARED = Path(os.environ.get("ROOCODE_SHARED", Path(__file__).parents[4] / "shared"))
CORPUS = SHARED / "corpus" / "settings"


def read(event: str, hook: dict[str, Any], **group: Any) -> Hook:
    [entry] = [each for each in entries({event: [{**group, "hooks": [hook]}]}) if isinstance(each, Entry)]
    return read_any(entry.data, "f:1")


def refused(hooks: object) -> list[str]:
    return [each.why for each in entries(hooks) if isinstance(each, Remark)]


COMMAND = {"type": "command", "command": "x"}


@pytest.mark.parametrize(
    ("matcher", "taken", "left"),
    [
        (None, ["Bash", "mcp__a__b"], []),
        ("", ["Bash"], []),
        ("*", ["Bash"], []),
        ("Write|Edit|MultiEdit", ["WriteFile", "EditFile"], ["ReadFile", "Bash"]),
        ("Write, Edit", ["WriteFile"], ["Bash"]),
        ("Write", ["WriteFile"], ["TodoWrite"]),
        ("Task", ["Agent"], ["TaskCreate"]),
        ("^mcp__db__.*$", ["mcp__db__query"], ["mcp__web__query"]),
        (".*", ["Bash"], []),
        ("Edit.*", ["EditFile"], ["Bash"]),
    ],
)
def test_matchers(matcher: str | None, taken: list[str], left: list[str]) -> None:
    hook = read("PreToolUse", COMMAND, matcher=matcher)
    assert [tool for tool in (*taken, *left) if hook.fits({"tool": tool})] == taken


def test_matchers_of_other_events_are_about_their_field() -> None:
    assert read("SessionStart", COMMAND, matcher="startup|clear").fits({"source": "startup"})
    assert not read("SessionStart", COMMAND, matcher="startup").fits({"source": "resume"})
    assert read("PreCompact", COMMAND, matcher="auto").fits({"trigger": "auto"})
    assert read("Stop", COMMAND, matcher="whatever").fits({})


@pytest.mark.parametrize(
    ("hooks", "why"),
    [
        ([], "it is no object with a list of hooks"),
        ({"stop": []}, "events are written like Stop here"),
        ({"Setup": []}, "RooCode has no such event"),
        ({"Nope": []}, "there is no such event"),
        ({"Stop": {}}, "it is no list"),
        ({"Stop": [{"command": "x"}]}, "the shape of another program"),
        ({"Stop": [{"hooks": ["x"]}]}, "it is no object"),
        ({"Stop": [{"hooks": [{"type": "mcp_tool"}]}]}, "hooks that call an MCP server's tool are not run"),
        ({"Stop": [{"hooks": [{"type": "message"}]}]}, "there is no type 'message'"),
        ({"Stop": [{"hooks": [{"type": "command"}]}]}, "it has no text `command`"),
        ({"Stop": [{"hooks": [{**COMMAND, "if": "Bash(x)"}]}]}, "this event has none"),
        ({"PreToolUse": [{"matcher": "Bash(git *)", "hooks": [COMMAND]}]}, "use `if`"),
        ({"PreToolUse": [{"matcher": "(?=x)", "hooks": [COMMAND]}]}, "look-around"),
        ({"Stop": [{"hooks": [{**COMMAND, "continueOnError": True}]}]}, "RooCode has no such setting"),
        ({"Stop": [{"hooks": [{**COMMAND, "timeout": 60000}]}]}, "it is in seconds"),
    ],
)
def test_what_is_not_honoured_is_named(hooks: object, why: str) -> None:
    [said] = refused(hooks)
    assert why in said


def test_types_and_options() -> None:
    prompt = read("Stop", {"type": "prompt", "prompt": "ok? $ARGUMENTS", "timeout": 5, "once": True})
    assert (prompt.action.kind, prompt.action.alone, prompt.timeout_s, prompt.once) == (
        "agent",
        True,
        5,
        True,
    )
    agent = read("Stop", {"type": "agent", "prompt": "look"})
    assert (agent.action.kind, agent.action.alone) == ("agent", False)
    http = read("Stop", {"type": "http", "url": "https://example.org/h", "headers": {"x": "y"}})
    assert (http.action.kind, http.action.headers) == ("http", {"x": "y"})
    assert not read("Stop", {**COMMAND, "async": True}).waits
    assert read("Stop", {**COMMAND, "args": ["a", "b"]}).action.args == ("a", "b")


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
def test_every_real_file_loads_or_is_refused_with_a_reason(
    record_property: Callable[[str, object], None],
) -> None:
    counts: Counter[str] = Counter()
    for path in sorted([*(CORPUS / "hooks").iterdir(), *(CORPUS / "settings").iterdir()]):
        data = json.loads(path.read_text(encoding="utf-8-sig"))
        if path.parent.name == "settings" and "hooks" not in data:
            continue
        counts["files"] += 1
        for each in entries(data.get("hooks")):
            match each:
                case Entry(data=kept):
                    hook = read_any(kept, str(path))
                    counts["hooks"] += 1
                    counts[f"{hook.action.kind} at {hook.kind.name}"] += 1
                case Remark(refused=True, why=why):
                    assert why
                    counts["refused"] += 1
                case Remark(why=why):
                    assert why
                    counts["parts not honoured"] += 1
    for name, count in sorted(counts.items()):
        record_property(name, count)
    print(f"\nhooks of real files: {dict(sorted(counts.items()))}")
    assert counts["files"] >= 50
    assert counts["hooks"] >= 270
