"""A single agent that is killed again and again: what it showed is in its session, and it goes on."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from roocode.memory.sessions.checkup import check
from roocode.memory.sessions.replay import replay
from roocode.protocol.messages import Message, ToolCall, ToolResult
from roocode.scripted.server import serve
from tests.app.headless import PROTOCOLS, address, lines, wait_for

KILLS = 25
PARTS = 4
"""Sessions of so many kills each, for each protocol: 200 kills together."""
A_TURN_S = 0.25
WRITE = "for n in 1 2 3; do echo line $n >> log.txt; done"
SCENARIO = {
    "agents": {
        "main": [
            {
                "always": True,
                "when": {"last_contains": "prompt"},
                "text": "I read first.",
                "calls": [{"tool": "ReadFile", "input": {"path": "a.txt"}}],
            },
            {
                "always": True,
                "when": {"last_contains": "what stands in a.txt"},
                "text": "Now I write.",
                "calls": [{"tool": "Bash", "input": {"command": WRITE, "description": "Write"}}],
            },
            {"always": True, "text": "Both are done."},
        ]
    }
}


def acknowledged(output: str) -> tuple[set[str], int]:
    """The ids of calls and results in whole lines of output, and how many texts they showed."""
    marks, texts = set[str](), 0
    for line in lines(output[: output.rfind("\n") + 1]):
        for block in line.get("message", {}).get("content", ()):
            texts += block["type"] == "text"
            if block["type"] == "tool_use":
                marks.add(f"call {block['id']}")
            elif block["type"] == "tool_result":
                marks.add(f"result {block['tool_use_id']}")
    return marks, texts


def remembered(messages: tuple[Message, ...]) -> set[str]:
    """The ids of calls and results in a conversation."""
    blocks = [block for message in messages for block in message.blocks]
    return {
        *(f"call {block.id}" for block in blocks if isinstance(block, ToolCall)),
        *(f"result {block.call_id}" for block in blocks if isinstance(block, ToolResult)),
    }


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_kills_lose_nothing_that_was_shown(
    project: Path, home: Path, environment: dict[str, str], tmp_path: Path, protocol: str, part: int
) -> None:
    (project / "a.txt").write_text("what stands in a.txt\n")
    shown, chance, killed = tmp_path / "shown", random.Random(f"{protocol} {part}"), 0
    with serve(SCENARIO) as server:
        environment |= address(server, protocol)

        def turn(*arguments: str, ends_in_s: float) -> bool:
            """One prompt; whether it was killed. A turn that ends must end well."""
            with (
                shown.open("w") as output,
                subprocess.Popen(
                    [sys.executable, "-m", "roocode", "-p", *arguments],
                    cwd=project,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                ) as process,
            ):
                wait_for(lambda: shown.stat().st_size > 0)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(ends_in_s)
                process.kill()
            result: dict[str, Any] = json.loads(shown.read_text().rstrip("\n").rpartition("\n")[2] or "{}")
            assert process.returncode or result["subtype"] == "success"
            assert process.returncode in (0, -9), shown.read_text()
            return process.returncode == -9

        flags = ("--output-format", "stream-json", "--permission-mode", "bypassPermissions")
        assert not turn(*flags, "prompt 0", ends_in_s=60)
        (log,) = (home / ".roocode" / "projects").glob("*/*.jsonl")
        before = replay(log).messages
        while killed < KILLS:
            killed += turn(*flags, "-c", f"prompt {killed}", ends_in_s=chance.uniform(0, A_TURN_S))
            marks, texts = acknowledged(shown.read_text())
            messages = replay(log).messages
            assert messages[: len(before)] == before
            assert marks <= remembered(messages)
            assert texts <= sum(
                bool(each.text) for each in messages[len(before) :] if each.role == "assistant"
            )
            before = messages
        assert not turn(*flags, "-c", "prompt at the end", ends_in_s=60)
    assert check(log) == ()
    assert server.failures == []
