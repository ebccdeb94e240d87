"""`roocode -p --input-format stream-json`, and what signals do to a headless run."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from roocode.scripted.server import ScriptedServer
from tests.app.conftest import Roocode
from tests.app.headless import PROTOCOLS, Running, address, lines, started, wait_for
from tests.processes import outer_pid

Scripted = Callable[..., ScriptedServer]
SLOW = {"agents": {"main": [{"text": "Too late.", "first_token_delay_s": 60}]}}
STREAMS = ("-p", "--input-format", "stream-json", "--output-format", "stream-json")
SIGNALS = [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)]


def scenario(*steps: object) -> dict[str, object]:
    return {"agents": {"main": list(steps)}}


def said(text: str) -> str:
    return json.dumps({"type": "user", "message": {"role": "user", "content": text}}) + "\n"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_each_prompt_has_its_result_before_the_next_is_read(
    scripted: Scripted, project: Path, environment: dict[str, str], protocol: str
) -> None:
    steps = ({"text": "One."}, {"when": {"any_contains": "One.", "last_contains": "Second."}, "text": "Two."})
    way = address(scripted(scenario(*steps)), protocol)
    with started(project, environment | way, *STREAMS) as running:
        running.write(said("First."))
        assert running.lines_until("result")[-1]["result"] == "One."
        running.write("\r\n\n" + said("Second.").replace("\n", "\r\n"))
        assert running.lines_until("result")[-1]["result"] == "Two."
        code, rest, err = running.end()
    assert (code, rest, err) == (0, "", "")


def test_content_may_be_a_list_of_blocks(scripted: Scripted, roocode: Roocode) -> None:
    parts = [{"type": "text", "text": "left"}, {"type": "text", "text": "right"}]
    line = json.dumps({"type": "user", "message": {"role": "user", "content": parts}})
    server = scripted(scenario({"when": {"last_contains": ["left", "right"]}, "text": "Both."}))
    done = roocode("-p", "--input-format", "stream-json", stdin=line, **address(server))
    assert (done.returncode, done.stdout) == (0, "Both.\n")


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"type":"user"}', '{"type":"control"}', said("").strip(), "\xff\xfe"]
)
def test_a_line_that_is_no_message_ends_it_with_a_result(
    scripted: Scripted, roocode: Roocode, line: str
) -> None:
    server = scripted(scenario({"text": "One."}))
    done = roocode(*STREAMS, stdin=said("First.") + line + "\n", **address(server))
    told = lines(done.stdout)
    assert done.returncode == 42
    assert [each["is_error"] for each in told if each["type"] == "result"] == [False, True]
    assert "standard input" in told[-1]["error"]


@contextmanager
def thinking(
    server: ScriptedServer, project: Path, environment: dict[str, str], *arguments: str
) -> Iterator[Running]:
    """A run whose model has been asked and takes its time."""
    with started(project, environment | address(server), "-p", "Go.", *arguments) as running:
        running.close_input()
        wait_for(lambda: bool(server.log))
        yield running


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_a_signal_while_the_model_thinks_leaves_a_result(
    scripted: Scripted, project: Path, environment: dict[str, str], number: signal.Signals, code: int
) -> None:
    server = scripted(SLOW)
    with thinking(server, project, environment, "--output-format", "stream-json") as running:
        ended, out, _ = running.end(number)
    told = lines(out)
    assert ended == code
    assert [line["type"] for line in told] == ["system", "result"]
    assert (told[-1]["is_error"], told[-1]["error"]) == (True, "interrupted")


def test_json_has_its_object_after_a_signal(
    scripted: Scripted, project: Path, environment: dict[str, str]
) -> None:
    with thinking(scripted(SLOW), project, environment, "--output-format", "json") as running:
        code, out, _ = running.end(signal.SIGTERM)
    assert (code, json.loads(out)["subtype"]) == (143, "error_during_execution")


def test_text_says_on_standard_error_that_it_was_interrupted(
    scripted: Scripted, project: Path, environment: dict[str, str]
) -> None:
    with thinking(scripted(SLOW), project, environment) as running:
        assert running.end(signal.SIGINT) == (130, "", "error: interrupted\n")


def test_a_signal_while_it_waits_for_a_prompt_leaves_a_result(
    scripted: Scripted, project: Path, environment: dict[str, str]
) -> None:
    server = scripted(scenario())
    with started(project, environment | address(server), *STREAMS) as running:
        assert running.line()["subtype"] == "init"
        code, out, _ = running.end(signal.SIGTERM)
    assert (code, lines(out)[-1]["type"]) == (143, "result")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_signal_while_a_command_runs_ends_the_command_and_keeps_the_session(
    scripted: Scripted, roocode: Roocode, project: Path, environment: dict[str, str], protocol: str
) -> None:
    call = {"tool": "Bash", "input": {"command": "echo $$ >pid; sleep 300 & wait"}}
    server = scripted(scenario({"calls": [call]}, {"when": {"result": {"error": True}}, "text": "Back."}))
    way = environment | address(server, protocol)
    arguments = ("-p", "Go.", "--output-format", "stream-json", "--permission-mode", "bypassPermissions")
    pid = project / "pid"
    with started(project, way, *arguments) as running:
        running.close_input()
        wait_for(lambda: pid.exists() and bool(pid.read_text().strip()))
        group = os.getpgid(outer_pid(int(pid.read_text()), project))
        code, out, _ = running.end(signal.SIGTERM)
    told = lines(out)
    assert code == 143
    assert [line["type"] for line in told] == ["system", "assistant", "user", "result"]
    with pytest.raises(ProcessLookupError):
        os.killpg(group, 0)
    assert roocode("-p", "Go on.", "-c", **address(server, protocol)).stdout == "Back.\n"


def test_a_reader_that_goes_away_ends_the_run_quietly(
    scripted: Scripted, project: Path, environment: dict[str, str]
) -> None:
    server = scripted({**scenario({"text": "word " * 200}), "delta_delay_s": 0.02, "chunk": 8})
    arguments = ("-p", "Go.", "--output-format", "stream-json", "--include-partial-messages")
    with started(project, environment | address(server), *arguments) as running:
        running.close_input()
        running.lines_until("stream_event")
        assert running.process.stdout is not None
        running.process.stdout.close()
        assert running.process.stderr is not None
        assert running.process.stderr.read() == ""
        assert running.process.wait(30) == 1


def test_the_first_line_names_what_can_be_called_and_started(
    scripted: Scripted, roocode: Roocode, home: Path
) -> None:
    for place, text in {
        ".roocode/skills/mend.md": "---\nname: mend\ndescription: Mends.\n---\nMend it.\n",
        ".roocode/skills/own.md": "---\nname: own\ndescription: Mine.\nuser-invocable: false\n---\nx\n",
        ".roocode/commands/fix.md": "Fix it.\n",
        ".roocode/agents/judge.md": "---\nname: judge\ndescription: Judges.\n---\nJudge.\n",
        "kit/.claude-plugin/plugin.json": '{"name": "kit"}',
        "kit/skills/sort/SKILL.md": "---\nname: sort\ndescription: Sorts.\n---\nSort it.\n",
        "kit/agents/elf.md": "---\nname: elf\ndescription: Helps.\n---\nHelp.\n",
    }.items():
        (home / place).parent.mkdir(parents=True, exist_ok=True)
        (home / place).write_text(text)
    assert roocode("plugins", "install", str(home / "kit"), "--yes").returncode == 0
    server = scripted(scenario({"text": "done"}))
    done = roocode("-p", "go", "--output-format", "stream-json", **address(server))
    init = lines(done.stdout)[0]
    assert init["slash_commands"] == ["commit", "fix", "kit:sort", "mend", "review", "test"]
    assert init["skills"] == ["commit", "kit:sort", "mend", "own", "review", "test"]
    assert init["agents"] == ["judge", "kit:elf", "Explore", "general-purpose", "Plan"]
    (plugin,) = init["plugins"]
    assert plugin["name"] == "kit"
    assert Path(plugin["path"], "skills/sort/SKILL.md").is_file()
