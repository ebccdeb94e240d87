"""`roocode -p`: what goes where, in which format, with which exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from roocode.scripted.server import ScriptedServer
from tests.app.conftest import Roocode
from tests.app.headless import PROTOCOLS, address, lines, started

Scripted = Callable[..., ScriptedServer]
READ = {"tool": "ReadFile", "input": {"path": "notes.txt"}}


@pytest.fixture(autouse=True)
def notes(project: Path) -> None:
    (project / "notes.txt").write_text("the word is swordfish\n")


def scenario(*steps: object) -> dict[str, object]:
    return {"agents": {"main": list(steps)}}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_standard_output_carries_the_answer_and_nothing_else(
    scripted: Scripted, roocode: Roocode, protocol: str
) -> None:
    server = scripted(scenario({"text": "I look.", "calls": [READ]}, {"text": "It is swordfish.\n"}))
    done = roocode("-p", "Which word?", **address(server, protocol))
    assert (done.returncode, done.stdout, done.stderr) == (0, "It is swordfish.\n", "")
    server.assert_finished()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_json_is_one_object(scripted: Scripted, roocode: Roocode, protocol: str) -> None:
    server = scripted(scenario({"calls": [READ]}, {"text": "It is swordfish."}))
    done = roocode("-p", "Which?", "--output-format", "json", **address(server, protocol))
    value = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert (value["type"], value["subtype"], value["is_error"]) == ("result", "success", False)
    assert (value["result"], value["num_turns"]) == ("It is swordfish.", 2)
    assert value["usage"]["input_tokens"] > 0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_stream_json_tells_the_run_line_by_line(scripted: Scripted, roocode: Roocode, protocol: str) -> None:
    server = scripted(scenario({"text": "I look.", "calls": [READ]}, {"text": "It is swordfish."}))
    done = roocode("-p", "Which?", "--output-format", "stream-json", **address(server, protocol))
    told = lines(done.stdout)
    assert [line["type"] for line in told] == ["system", "assistant", "user", "assistant", "result"]
    assert told[0]["subtype"] == "init"
    [call] = [part for part in told[1]["message"]["content"] if part["type"] == "tool_use"]
    [result] = told[2]["message"]["content"]
    assert result["tool_use_id"] == call["id"]
    assert "swordfish" in result["content"]
    assert {line["session_id"] for line in told} == {told[0]["session_id"]}


def test_pieces_of_the_answer_come_when_they_are_asked_for(scripted: Scripted, roocode: Roocode) -> None:
    server = scripted({**scenario({"text": "It is swordfish."}), "chunk": 4})
    arguments = ("-p", "Which?", "--output-format", "stream-json", "--include-partial-messages")
    told = lines(roocode(*arguments, **address(server)).stdout)
    events = [line["event"] for line in told if line["type"] == "stream_event"]
    deltas = [event["delta"]["text"] for event in events if event["type"] == "content_block_delta"]
    assert len(deltas) > 1
    assert "".join(deltas) == "It is swordfish."
    assert (events[0]["type"], events[-1]["type"]) == ("message_start", "message_stop")


def test_what_is_piped_in_is_context(scripted: Scripted, roocode: Roocode) -> None:
    server = scripted(scenario({"when": {"last_contains": ["Which word?", "piped words"]}, "text": "Yes."}))
    assert roocode("-p", "Which word?", stdin="piped words\n", **address(server)).stdout == "Yes.\n"


def test_the_prompt_itself_may_be_piped_in(scripted: Scripted, roocode: Roocode) -> None:
    server = scripted(scenario({"when": {"last_contains": "Piped prompt"}, "text": "Yes."}))
    assert roocode("-p", stdin="Piped prompt", **address(server)).stdout == "Yes.\n"


def test_a_pipe_that_nobody_writes_into_does_not_hold_the_run(
    scripted: Scripted, project: Path, environment: dict[str, str]
) -> None:
    server = scripted(scenario({"text": "Yes."}))
    with started(project, environment | address(server), "-p", "Go.") as running:
        assert running.process.stdout is not None
        assert running.process.stdout.readline() == "Yes.\n"
        code, _, err = running.end()
    assert code == 0
    assert "nothing came on standard input" in err


def test_no_prompt_at_all_is_wrong_usage(roocode: Roocode) -> None:
    done = roocode("-p", "--output-format", "json")
    assert done.returncode == 2
    assert "needs a prompt" in json.loads(done.stdout)["error"]


@pytest.mark.parametrize("form", ["json", "stream-json"])
def test_a_command_line_that_cannot_be_understood_has_a_result_too(roocode: Roocode, form: str) -> None:
    done = roocode("-p", "x", "--output-format", form, "--modle", "y")
    [result] = lines(done.stdout)
    assert (done.returncode, result["type"], result["is_error"]) == (2, "result", True)
    assert "--modle" in result["error"]


def test_without_a_key_one_line_says_what_to_set(roocode: Roocode) -> None:
    done = roocode("-p", "Go.")
    assert (done.returncode, done.stdout) == (42, "")
    [line] = done.stderr.splitlines()
    assert "ANTHROPIC_API_KEY" in line


def test_a_broken_configuration_is_named_in_the_result(roocode: Roocode, home: Path) -> None:
    (home / ".roocode").mkdir()
    (home / ".roocode" / "config.yaml").write_text("model: x\nteam: [\n")
    done = roocode("-p", "Go.", "--output-format", "stream-json")
    result = lines(done.stdout)[-1]
    assert (done.returncode, result["type"], result["is_error"]) == (42, "result", True)
    assert "config.yaml:2" in result["error"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    ("step", "code", "words"),
    [
        ({"error": {"status": 401, "message": "invalid key"}}, 42, "invalid key"),
        ({"error": {"status": 404, "message": "no such model"}}, 42, "no such model"),
        ({"error": {"status": 529, "retry_after": 0}, "repeat": 5}, 75, "tried 5 times"),
    ],
)
def test_a_provider_that_does_not_answer_has_its_exit_code(
    scripted: Scripted, roocode: Roocode, protocol: str, step: dict[str, object], code: int, words: str
) -> None:
    server = scripted(scenario(step))
    done = roocode("-p", "Go.", "--output-format", "stream-json", **address(server, protocol))
    result = lines(done.stdout)[-1]
    assert (done.returncode, result["type"], result["is_error"]) == (code, "result", True)
    assert words in result["error"]
    assert result["result"]


def test_a_key_that_is_refused_says_so_in_text(scripted: Scripted, roocode: Roocode) -> None:
    server = scripted(scenario({"error": {"status": 401, "message": "invalid key"}}))
    done = roocode("-p", "Go.", **address(server))
    assert (done.returncode, done.stdout) == (42, "")
    assert done.stderr.startswith("error: ")
    assert "invalid key" in done.stderr


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_at_the_turn_limit_the_hand_over_is_the_answer(
    scripted: Scripted, roocode: Roocode, protocol: str
) -> None:
    server = scripted(scenario({"calls": [READ]}, {"when": {"tool_choice": "none"}, "text": "The rest."}))
    arguments = ("-p", "Go.", "--max-turns", "1")
    done = roocode(*arguments, **address(server, protocol))
    assert (done.returncode, done.stdout) == (53, "The rest.\n")
    assert "limit of 1 turns" in done.stderr


def test_a_call_that_needs_a_question_is_denied_and_told(scripted: Scripted, roocode: Roocode) -> None:
    call = {"tool": "Bash", "input": {"command": "touch made.txt"}}
    server = scripted(scenario({"calls": [call]}, {"when": {"result": {"error": True}}, "text": "I cannot."}))
    done = roocode("-p", "Go.", "--output-format", "json", **address(server))
    [denial] = json.loads(done.stdout)["permission_denials"]
    assert done.returncode == 0
    assert (denial["tool_name"], denial["tool_input"]) == ("Bash", {"command": "touch made.txt"})
    assert "denied: Bash(touch made.txt)" in done.stderr


def test_what_is_allowed_on_the_command_line_runs(
    scripted: Scripted, roocode: Roocode, project: Path
) -> None:
    call = {"tool": "Bash", "input": {"command": "touch made.txt"}}
    server = scripted(scenario({"calls": [call]}, {"text": "Made."}))
    arguments = ("-p", "Go.", "--allowed-tools", "Bash(touch made.txt)")
    assert roocode(*arguments, **address(server)).stdout == "Made.\n"
    assert (project / "made.txt").exists()


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--allowed-tools", "allow rule Bush(ls) never matches: there is no tool called Bush"),
        ("--disallowed-tools", "deny rule Bush(ls) never matches: there is no tool called Bush"),
    ],
)
def test_a_rule_for_a_tool_that_does_not_exist_is_told(
    scripted: Scripted, roocode: Roocode, option: str, said: str
) -> None:
    server = scripted(scenario({"text": "hi"}))
    done = roocode("-p", "hi", option, "Bush(ls)", **address(server))
    assert (done.returncode, done.stdout) == (0, "hi\n")
    assert f"{option}: {said}" in done.stderr


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_session_goes_on_with_its_earlier_words(
    scripted: Scripted, roocode: Roocode, protocol: str
) -> None:
    server = scripted(
        scenario(
            {"text": "I keep it."},
            {"when": {"first_contains": "swordfish", "last_contains": "Which?"}, "text": "Swordfish."},
            {"when": {"any_contains": "I keep it.", "last_contains": "Again?"}, "text": "Still."},
            {"when": {"any_contains": "Still.", "last_contains": "Named?"}, "text": "By name."},
        )
    )
    way = address(server, protocol)
    first = roocode("-p", "Keep swordfish.", "-n", "fish", "--output-format", "json", **way)
    identifier = json.loads(first.stdout)["session_id"]
    assert roocode("-p", "Which?", "-c", **way).stdout == "Swordfish.\n"
    assert roocode("-p", "Again?", "-r", identifier, **way).stdout == "Still.\n"
    assert roocode("-p", "Named?", "-r", "fish", **way).stdout == "By name.\n"


def test_a_fork_leaves_the_session_as_it_is(scripted: Scripted, roocode: Roocode, home: Path) -> None:
    steps = scenario({"text": "One."}, {"when": {"any_contains": "One."}, "text": "Two."})
    way = address(scripted(steps))
    roocode("-p", "First.", **way)
    [log] = home.rglob("*.jsonl")
    before = log.read_bytes()
    done = roocode("-p", "Second.", "-c", "--fork-session", "--output-format", "json", **way)
    assert json.loads(done.stdout)["result"] == "Two."
    assert log.read_bytes() == before
    assert json.loads(done.stdout)["session_id"] in {path.stem for path in home.rglob("*.jsonl")}


@pytest.mark.parametrize("arguments", [("-c",), ("-r", "nothing")])
def test_a_session_that_is_not_there_says_so(
    scripted: Scripted, roocode: Roocode, arguments: tuple[str, ...]
) -> None:
    done = roocode("-p", "Go.", *arguments, **address(scripted(scenario())))
    assert done.returncode == 42
    assert "there is no session" in done.stderr


def test_a_run_that_never_spoke_leaves_no_session(scripted: Scripted, roocode: Roocode, home: Path) -> None:
    way = address(scripted(scenario()))
    done = roocode("-p", "--input-format", "stream-json", "--output-format", "json", **way)
    assert done.returncode == 2
    assert "no prompt came" in json.loads(done.stdout)["error"]
    assert list(home.rglob("*.jsonl")) == []


def test_a_home_that_cannot_be_written_is_named(scripted: Scripted, roocode: Roocode, home: Path) -> None:
    (home / ".roocode").mkdir()
    (home / ".roocode" / "projects").write_text("in the way")
    done = roocode("-p", "Go.", "--output-format", "json", **address(scripted(scenario())))
    assert done.returncode == 1
    error = json.loads(done.stdout)["error"]
    assert f"cannot make {home / '.roocode' / 'projects'}" in error
    assert "set ROOCODE_HOME to a directory of yours" in error
    assert "Traceback" not in done.stderr
