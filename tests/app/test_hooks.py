"""Each event in a real run, each action, and what hooks may not do: with the scripted model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roocode.scripted.server import ScriptedServer
from roocode.tools.hooks.events import EVENTS
from tests.app.conftest import Roocode
from tests.app.headless import address
from tests.app.hooks import CALL, READ, command, configure, keeps, kept, scenario, sent

Scripted = Callable[..., ScriptedServer]
EDITS = {"permissions": {"mode": "acceptEdits", "allow": ["Bash(touch *)"]}}
OF_ONE_RUN = (
    *("session_start", "session_end", "user_prompt_submit", "before_turn", "after_turn", "pre_tool_use"),
    *("post_tool_use", "post_tool_use_failure", "permission_asked", "permission_denied", "before_model"),
    *("after_model", "stop", "notification", "file_changed"),
)


@pytest.fixture(autouse=True)
def notes(project: Path) -> None:
    (project / "notes.txt").write_text("the word is swordfish\n")


def test_every_event_of_a_run_is_told_with_its_fields(
    scripted: Scripted, roocode: Roocode, home: Path, project: Path, tmp_path: Path
) -> None:
    log = tmp_path / "told"
    configure(home, [keeps(event, log) for event in OF_ONE_RUN], permissions={"mode": "acceptEdits"})
    write = {"tool": "WriteFile", "input": {"path": "new.txt", "content": "x"}}
    steps = [[READ], [{"tool": "ReadFile", "input": {"path": "none"}}], [write]]
    asked = [[{"tool": "Bash", "input": {"command": "curl https://example.org"}}]]
    server = scripted(scenario(*({"calls": calls} for calls in steps + asked), {"text": "done"}))

    done = roocode("-p", "go", **address(server))

    assert (done.returncode, done.stdout) == (0, "done\n")
    told = kept(log)
    assert {each["event"] for each in told} == set(OF_ONE_RUN)
    for each in told:
        kind = EVENTS[each["event"]]
        assert set(kind.fields) <= each.keys() | {"path"}, each["event"]
        assert each["hook_event_name"] == (kind.claude or kind.name)
        assert each["cwd"] == str(project)
    assert (told[0]["event"], told[-1]["event"]) == ("session_start", "session_end")
    by_event = {each["event"]: each for each in told}
    changed = by_event["file_changed"]
    assert (changed["path"], changed["file_path"]) == ("new.txt", str(project / "new.txt"))
    written = [each for each in told if each["event"] == "post_tool_use"][-1]
    assert (written["tool"], written["tool_name"]) == ("WriteFile", "Write")
    assert written["tool_input"]["file_path"] == str(project / "new.txt")
    assert by_event["stop"]["last_assistant_message"] == "done"
    server.assert_finished()


def test_a_command_has_the_context_in_its_environment(
    scripted: Scripted, roocode: Roocode, home: Path, project: Path, tmp_path: Path
) -> None:
    line = f'env > "{tmp_path}/env"; tty > "{tmp_path}/tty" 2>&1; pwd > "{tmp_path}/pwd"; exit 0'
    configure(home, [command("post_tool_use", line)])
    server = scripted(scenario({"calls": [READ]}, {"text": "done"}))

    roocode("-p", "go", **address(server), MY_SECRET_TOKEN="hush-hush-hush")

    env = dict(line.split("=", 1) for line in (tmp_path / "env").read_text().splitlines() if "=" in line)
    assert env["FILE_PATH"] == env["CLAUDE_TOOL_FILE_PATH"] == str(project / "notes.txt")
    assert env["CLAUDE_PROJECT_DIR"] == env["ROOCODE_PROJECT_DIR"] == str(project)
    assert (env["ROOCODE_HOOK_EVENT"], env["ROOCODE_TOOL"], env["TOOL_NAME"]) == (
        "post_tool_use",
        "ReadFile",
        "Read",
    )
    assert not {"ANTHROPIC_API_KEY", "MY_SECRET_TOKEN"} & env.keys()
    assert (tmp_path / "pwd").read_text().strip() == str(project)
    assert "not a tty" in (tmp_path / "tty").read_text()


def test_exit_code_2_blocks_the_call_and_its_words_reach_the_model(
    scripted: Scripted, roocode: Roocode, home: Path, project: Path
) -> None:
    configure(home, [command("pre_tool_use", "echo not on fridays >&2; exit 2")], **EDITS)
    server = scripted(scenario({"calls": [CALL]}, {"text": "done"}))

    roocode("-p", "go", **address(server))

    assert not (project / "ran.txt").exists()
    assert "Bash was denied" in sent(server)
    assert "not on fridays" in sent(server)


def test_what_a_hook_prints_after_a_tool_is_added_to_its_result_in_a_frame(
    scripted: Scripted, roocode: Roocode, home: Path
) -> None:
    configure(home, [command("post_tool_use", "echo 'a.py:1: bad'; exit 1", name="lint")])
    server = scripted(scenario({"calls": [READ]}, {"text": "done"}))

    done = roocode("-p", "go", **address(server))

    assert "<hook-output>\\na.py:1: bad\\n</hook-output>" in sent(server)
    assert "gives no permission" in sent(server)
    assert "warning: the hook lint failed and is passed over: it ended with exit code 1" in done.stderr


WORDS: list[tuple[dict[str, Any], str]] = [
    ({"type": "prompt", "text": "Answer in Latin."}, "Answer in Latin."),
    ({"type": "hint", "text": "Try grep."}, "which you may follow or not: Try grep."),
]


@pytest.mark.parametrize(("action", "words"), WORDS)
@pytest.mark.parametrize("event", ["session_start", "user_prompt_submit", "pre_tool_use", "post_tool_use"])
def test_words_of_the_configuration_reach_the_model(
    scripted: Scripted, roocode: Roocode, home: Path, action: dict[str, Any], words: str, event: str
) -> None:
    configure(home, [{"event": event, "action": action}])
    server = scripted(scenario({"calls": [READ]}, {"text": "done"}))

    assert roocode("-p", "go", **address(server)).stdout == "done\n"

    assert sent(server).count(words) == 1


def test_block_and_its_condition(scripted: Scripted, roocode: Roocode, home: Path, project: Path) -> None:
    block = {"type": "block", "message": "no shell here"}
    hook = {
        "event": "pre_tool_use",
        "if": 'tool == "Bash" && input.command matches "touch *"',
        "action": block,
    }
    configure(home, [hook], **EDITS)
    server = scripted(scenario({"calls": [CALL]}, {"calls": [READ]}, {"text": "done"}))

    roocode("-p", "go", **address(server))

    assert not (project / "ran.txt").exists()
    assert "no shell here" in sent(server)
    assert "swordfish" in sent(server)


def test_a_blocked_prompt_is_not_sent(scripted: Scripted, roocode: Roocode, home: Path) -> None:
    hook = {
        "event": "user_prompt_submit",
        "if": 'prompt =~ "(?i)password"',
        "action": {"type": "block", "message": "no passwords"},
    }
    configure(home, [hook])
    server = scripted(scenario({"text": "done"}))

    done = roocode("-p", "my PASSWORD is x", "--output-format", "json", **address(server))

    assert (done.returncode, json.loads(done.stdout)["is_error"]) == (42, True)
    assert "no passwords" in json.loads(done.stdout)["error"]
    assert not [request for request in server.log if request.sender.agent == "main"]


def test_a_required_tool_must_have_been_called(scripted: Scripted, roocode: Roocode, home: Path) -> None:
    require = {"type": "require_tool", "tool": "Bash(touch *)", "message": "run the tests first"}
    configure(home, [{"event": "stop", "action": require}], **EDITS)
    server = scripted(scenario({"text": "early"}, {"calls": [CALL]}, {"text": "late"}))

    assert roocode("-p", "go", **address(server)).stdout == "late\n"

    assert sent(server).count("run the tests first") == 1
    server.assert_finished()


def test_a_call_can_require_another_one_before_it(
    scripted: Scripted, roocode: Roocode, home: Path, project: Path
) -> None:
    require = {"type": "require_tool", "tool": "Read"}
    configure(home, [{"event": "pre_tool_use", "if": 'tool == "Bash"', "action": require}], **EDITS)
    again = {"tool": "Bash", "input": {"command": "touch again.txt"}}
    server = scripted(scenario({"calls": [CALL]}, {"calls": [READ]}, {"calls": [again]}, {"text": "done"}))

    roocode("-p", "go", **address(server))

    assert not (project / "ran.txt").exists()
    assert (project / "again.txt").exists()


def test_a_final_answer_is_blocked_at_most_twice_a_prompt(
    scripted: Scripted, roocode: Roocode, home: Path
) -> None:
    configure(home, [{"event": "stop", "action": {"type": "block_final", "message": "not yet"}}])
    server = scripted(scenario({"text": "one"}, {"text": "two"}, {"text": "three"}))

    done = roocode("-p", "go", **address(server))

    assert (done.returncode, done.stdout) == (0, "three\n")
    assert sent(server).count("not yet") == 2
    assert "after 2 times it is let through" in done.stderr
    server.assert_finished()


def test_stop_ends_the_run(scripted: Scripted, roocode: Roocode, home: Path) -> None:
    configure(home, [{"event": "post_tool_use", "action": {"type": "stop", "message": "enough"}}])
    server = scripted(scenario({"calls": [READ]}, {"text": "never"}))

    done = roocode("-p", "go", "--output-format", "json", **address(server))

    assert (done.returncode, json.loads(done.stdout)["error"]) == (1, "enough")


NO = '{"ok": false, "reason": "name the word"}'


def test_an_agent_with_tools_judges_and_is_judged_by_no_hook_itself(
    scripted: Scripted, roocode: Roocode, home: Path
) -> None:
    judge = {"type": "agent", "prompt": "Is the word named?"}
    configure(home, [{"event": event, "action": judge} for event in ("stop", "subagent_stop")])
    verdicts = [
        {"when": {"any_contains": "swordfish"}, "text": '{"ok": true}', "always": True},
        {"text": NO, "always": True},
    ]
    main = [{"text": "I am done."}, {"text": "It is swordfish."}]
    server = scripted({"agents": {"main": main, "*": verdicts}})

    assert roocode("-p", "go", **address(server)).stdout == "It is swordfish.\n"

    assert "name the word" in sent(server)


def test_once_fires_once_a_session(scripted: Scripted, roocode: Roocode, home: Path, tmp_path: Path) -> None:
    configure(home, [keeps("post_tool_use", tmp_path / "told", once=True)])
    server = scripted(scenario({"calls": [READ]}, {"calls": [READ]}, {"text": "done"}))

    roocode("-p", "go", **address(server))

    assert len(kept(tmp_path / "told")) == 1


def test_nobody_waits_for_an_async_hook_and_its_words_come_later(
    scripted: Scripted, roocode: Roocode, home: Path, tmp_path: Path
) -> None:
    fifo = tmp_path / "gate"
    wait = command("pre_tool_use", f'mkfifo "{fifo}"; cat "{fifo}" >&2; exit 2', **{"async": True})
    opens = command("post_tool_use", f'until [ -p "{fifo}" ]; do :; done; echo late > "{fifo}"')
    configure(home, [wait, opens])
    server = scripted(scenario({"calls": [READ]}, {"text": "done"}))

    done = roocode("-p", "go", **address(server))

    assert done.stdout == "done\n", "a hook that waits would have held the call that lets it go on"


def test_several_hooks_answer_in_their_order_and_refusals_win(
    scripted: Scripted, roocode: Roocode, home: Path, project: Path
) -> None:
    def says(decision: str, reason: str) -> dict[str, Any]:
        answer = {"hookSpecificOutput": {"permissionDecision": decision, "permissionDecisionReason": reason}}
        return command("pre_tool_use", f"echo '{json.dumps(answer)}'")

    configure(home, [says("allow", "fine"), says("ask", "sure?"), says("deny", "first"), says("deny", "2nd")])
    server = scripted(scenario({"calls": [CALL]}, {"text": "done"}))

    roocode("-p", "go", "--allowed-tools", "Bash(touch *)", **address(server))

    assert not (project / "ran.txt").exists()
    assert "first" in sent(server)
    assert "2nd" not in sent(server)


def test_hooks_of_a_project_do_nothing_before_trust_and_that_is_said(
    scripted: Scripted, roocode: Roocode, project: Path, tmp_path: Path
) -> None:
    own = keeps("session_start", tmp_path / "own")
    (project / ".roocode" / "config.yaml").write_text(json.dumps({"hooks": [own]}))
    theirs = {
        "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": f"cat >> {tmp_path}/theirs"}]}]}
    }
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.json").write_text(json.dumps(theirs))
    server = scripted(scenario({"text": "one"}, {"text": "two"}))

    before = roocode("-p", "go", **address(server))
    untrusted = [(tmp_path / name).exists() for name in ("own", "theirs")]
    assert roocode("trust", "--yes").returncode == 0
    after = roocode("-p", "go", **address(server))

    assert untrusted == [False, False]
    assert ".claude/settings.json and .roocode/config.yaml: only its deny rules count" in before.stderr
    assert after.stderr == ""
    assert kept(tmp_path / "own")[0]["hook_event_name"] == "SessionStart"
    assert kept(tmp_path / "theirs")[0]["hook_event_name"] == "SessionStart"


def test_without_hooks_nothing_of_them_is_imported(
    scripted: Scripted, roocode: Roocode, tmp_path: Path
) -> None:
    tells = tmp_path / "site"
    tells.mkdir()
    (tells / "sitecustomize.py").write_text(
        "import sys\nout = open(__file__ + '.told', 'a', buffering=1)\n"
        "sys.addaudithook(lambda name, args: name == 'import' and out.write(args[0] + '\\n'))\n"
    )
    server = scripted(scenario({"text": "done"}))
    repository = str(Path(__file__).resolve().parents[2])

    roocode("-p", "go", **address(server), PYTHONPATH=f"{tells}:{repository}")

    imported = (tells / "sitecustomize.py.told").read_text().split()
    assert not [name for name in imported if name.startswith(("roocode.tools.hooks", "roocode.app.hooking"))]
