"""`roocode permissions`: verdicts without running anything."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.app.conftest import Roocode


def check(roocode: Roocode, lines: str) -> subprocess.CompletedProcess[str]:
    """The answers for calls on standard input."""
    return roocode("permissions", "check", "--jsonl", "-", stdin=lines)


def judged(roocode: Roocode, tool: str, *options: str, **arguments: Any) -> dict[str, str]:
    """The answer for one call."""
    done = roocode("permissions", "check", "--tool", tool, "--input", json.dumps(arguments), *options)
    assert done.returncode == 0, done.stderr
    answer: dict[str, str] = json.loads(done.stdout)
    assert list(answer) == ["decision", "layer", "rule", "source", "reason", "level"]
    return answer


def test_calls_are_judged_by_any_of_their_names(roocode: Roocode) -> None:
    expected = [
        ("Bash", {"command": "ls"}, "allow", "mode"),
        ("Bash", {"command": "rm -rf /"}, "deny", "dangerous"),
        ("Bash", {"command": "make"}, "ask", "mode"),
        ("ReadFile", {"path": "README.md"}, "allow", "mode"),
        ("Read", {"file_path": "README.md"}, "allow", "mode"),
        ("Write", {"file_path": "/etc/passwd", "content": ""}, "deny", "sandbox"),
        ("WriteFile", {"path": "a.txt", "content": ""}, "ask", "mode"),
    ]
    lines = "\n".join(json.dumps({"tool": tool, "input": given}) for tool, given, _, _ in expected)

    answers = [json.loads(line) for line in check(roocode, lines).stdout.splitlines()]

    assert [(answer["decision"], answer["layer"]) for answer in answers] == [
        (decision, layer) for _, _, decision, layer in expected
    ]


def test_a_rule_is_named_with_its_place(roocode: Roocode, project: Path) -> None:
    (project / ".roocode/config.yaml").write_text('permissions:\n  deny:\n    - "Bash(make *)"\n')

    answer = judged(roocode, "Bash", command="make install")

    assert answer["decision"] == "deny"
    assert (answer["rule"], answer["source"]) == ("Bash(make *)", ".roocode/config.yaml:3")


def test_options_are_the_highest_tier(roocode: Roocode) -> None:
    assert judged(roocode, "Bash", "--allowedTools", "Bash(make *)", command="make x")["decision"] == "allow"
    assert judged(roocode, "Bash", "--permission-mode", "dontAsk", command="make x")["decision"] == "deny"


def test_nothing_is_run(roocode: Roocode, project: Path) -> None:
    judged(roocode, "Bash", "--permission-mode", "bypassPermissions", command="touch made")

    assert not (project / "made").exists()


def test_many_calls_are_answered_line_by_line(roocode: Roocode, project: Path, tmp_path: Path) -> None:
    (project / "sub").mkdir()
    other = tmp_path / "other"
    other.mkdir()
    calls = [
        {"tool": "Write", "input": {"file_path": "x", "content": ""}, "mode": "acceptEdits"},
        {"tool": "Write", "input": {"file_path": "../x", "content": ""}, "mode": "acceptEdits", "cwd": "sub"},
        {"tool": "Write", "input": {"file_path": "../x", "content": ""}, "mode": "acceptEdits"},
        {"tool": "Write", "input": {"file_path": f"{other}/x", "content": ""}, "mode": "acceptEdits"},
        {
            "tool": "Write",
            "input": {"file_path": "x", "content": ""},
            "mode": "acceptEdits",
            "cwd": str(other),
        },
    ]
    lines = "\r\n\n".join(json.dumps(call) for call in calls)

    done = roocode("permissions", "check", "--jsonl", "-", stdin=lines)

    verdicts = [json.loads(line)["decision"] for line in done.stdout.splitlines()]
    assert verdicts == ["allow", "allow", "deny", "deny", "allow"]
    assert done.returncode == 0


def test_a_bad_line_is_answered_and_the_rest_goes_on(roocode: Roocode) -> None:
    bad = {
        "{broken": "not JSON",
        "[1]": "not a JSON object",
        '{"tool": "Bash"}': "a call needs",
        '{"tool": "Bash", "input": "x"}': "not JSON",
        '{"tool": "Bash", "input": {}, "mode": "yolo"}': "unknown mode 'yolo'",
        '{"tool": "Bash", "input": {}, "cwd": 1}': "`cwd` should be text",
    }

    done = check(roocode, "\n".join([*bad, '{"tool": "Read", "input": {"path": "x"}}']))

    *errors, last = (json.loads(line) for line in done.stdout.splitlines())
    for number, (answer, said) in enumerate(zip(errors, bad.values(), strict=True), 1):
        assert answer["error"].startswith(f"line {number}: ")
        assert said in answer["error"]
    assert last["decision"] == "allow"
    assert done.returncode == 42


def test_a_file_of_calls_is_read_and_a_missing_one_named(roocode: Roocode, project: Path) -> None:
    (project / "calls").write_text('{"tool": "Read", "input": {"path": "x"}}\n')

    assert '"allow"' in roocode("permissions", "check", "--jsonl", "calls").stdout
    missing = roocode("permissions", "check", "--jsonl", "nowhere")
    assert missing.returncode == 42
    assert "cannot read nowhere" in missing.stderr


def test_input_that_is_no_object_is_bad_input(roocode: Roocode) -> None:
    done = roocode("permissions", "check", "--tool", "Bash", "--input", "ls")

    assert (done.returncode, done.stdout) == (42, "")


def test_list_names_every_rule_and_why_one_has_no_effect(roocode: Roocode, project: Path) -> None:
    (project / ".roocode/config.yaml").write_text(
        "permissions: {allow: [Bash(make *)], deny: [Bahs(rm *)]}\n"
    )
    roocode("config", "set", "permissions.ask", '["Bash(git push *)"]')

    rows = json.loads(roocode("permissions", "list", "--json").stdout)

    assert [(row["verdict"], row["rule"], row["tier"]) for row in rows] == [
        ("ask", "Bash(git push *)", "user"),
        ("allow", "Bash(make *)", "project"),
        ("deny", "Bahs(rm *)", "project"),
    ]
    assert [row["ignored"] for row in rows] == [
        "",
        "this directory is not trusted",
        "there is no tool called Bahs",
    ]
    assert "no effect: this directory is not trusted" in roocode("permissions", "list").stdout


def test_explain_says_it_in_words(roocode: Roocode) -> None:
    roocode("config", "set", "permissions.mode", "acceptEdits")
    roocode("config", "set", "permissions.deny", '["Bash(make *)"]')

    said = roocode("permissions", "explain", "--tool", "Bash", "--input", '{"command": "make x"}').stdout

    assert said.startswith("deny: ")
    assert "rule: Bash(make *)   (~/.roocode/config.yaml:" in said
    assert "mode: acceptEdits   (~/.roocode/config.yaml:2)" in said


def test_input_that_the_tool_refuses_is_judged_and_said_to_be_refused(roocode: Roocode) -> None:
    answer = judged(roocode, "Write", file_path="a.txt")
    assert answer["decision"] == "ask"
    assert "WriteFile refuses this input: " in answer["reason"]
    assert "content" in answer["reason"]
    assert "refuses" not in judged(roocode, "Write", file_path="a.txt", content="")["reason"]
    assert "Bash refuses this input: " in judged(roocode, "Bash", command="ls", wait=1)["reason"]


def test_what_was_read_is_no_matter_where_no_agent_reads(roocode: Roocode, project: Path) -> None:
    (project / "a.txt").write_text("a\n")
    edit = {"path": "a.txt", "old_string": "a", "new_string": "b"}
    assert judged(roocode, "EditFile", **edit)["reason"] == "writes a.txt"
    assert judged(roocode, "WriteFile", path="a.txt", content="b\n")["reason"] == "writes a.txt"


def test_a_deny_rule_that_cannot_be_understood_stops_all_allow_rules(roocode: Roocode) -> None:
    """P22: what it denies is not known; and no allow rule at all allows nothing."""
    allowed = ("--allowed-tools", "Bash(make *)")
    assert judged(roocode, "Bash", *allowed, command="make x")["decision"] == "allow"

    answer = judged(roocode, "Bash", *allowed, "--disallowed-tools", "Bush(make *)", command="make x")

    assert answer["decision"] == "ask"
    assert "there is no tool called Bush" in answer["reason"]
    assert judged(roocode, "Bash", "--allowed-tools", "", command="make x")["decision"] == "ask"


def test_a_configuration_that_cannot_be_read_lets_nothing_through(roocode: Roocode, project: Path) -> None:
    """P22"""
    (project / ".roocode/config.yaml").write_text("permissions: {deny: [Bash\n")

    done = roocode("permissions", "check", "--tool", "Bash", "--input", '{"command": "ls"}')

    assert (done.returncode, done.stdout) == (42, "")
    assert ".roocode/config.yaml:" in done.stderr


def test_explain_tells_of_each_part_of_a_line(roocode: Roocode, project: Path) -> None:
    (project / ".roocode/config.yaml").write_text('permissions:\n  deny:\n    - "Bash(curl *)"\n')
    line = json.dumps({"command": "ls && (make x; curl https://x.org) | timeout 5 npm test"})
    options = ("--allowed-tools", "Bash(npm test)", "--tool", "Bash", "--input", line)

    said = roocode("permissions", "explain", *options).stdout

    assert said.startswith("deny: denied by Bash(curl *) (.roocode/config.yaml:3)")
    assert [row.strip().partition(": ")[2] for row in said.splitlines() if row.startswith("  part: ")] == [
        "ls   allow: it only reads",
        "make x   ask: runs code",
        "curl https://x.org   deny: denied by Bash(curl *) (.roocode/config.yaml:3)",
        "timeout 5 npm test   allow: it is judged with what it runs, or what runs it",
        "npm test   allow: allowed by Bash(npm test) (--allowed-tools)",
    ]


def test_explain_of_a_single_command_has_no_parts(roocode: Roocode) -> None:
    said = roocode("permissions", "explain", "--tool", "Bash", "--input", '{"command": "make"}').stdout

    assert "part:" not in said


def test_rules_of_others_are_listed_with_their_place_and_what_is_not_honoured(
    roocode: Roocode, project: Path
) -> None:
    (project / ".claude").mkdir()
    (project / ".claude/settings.json").write_text(
        '{"permissions": {"deny": ["Bash(make:*)"],\n"allow": ["Bash(make x)"],\n"defaultMode": "plan"}}'
    )

    listed = roocode("permissions", "list", "--allowed-tools", "Bash(make x)")

    assert "deny   Bash(make:*)   (.claude/settings.json:1)\n" in listed.stdout
    assert (
        "allow  Bash(make x)   (.claude/settings.json:2)   no effect: this directory is not" in listed.stdout
    )
    assert "(--allowed-tools)   no effect: deny rule Bash(make:*) (.claude/settings.json:1)" in listed.stdout
    assert ".claude/settings.json:3: permissions.defaultMode is not honoured" in listed.stderr
    assert judged(roocode, "Bash", command="make x")["source"] == ".claude/settings.json:1"


def test_a_broken_file_of_others_stops_allow_rules_and_is_shown(roocode: Roocode, project: Path) -> None:
    (project / ".claude").mkdir()
    (project / ".claude/settings.json").write_text("{broken")

    answer = judged(roocode, "Bash", "--allowed-tools", "Bash(make *)", command="make x")

    assert (answer["decision"], answer["layer"]) == ("ask", "rules")
    assert "allow rules do not count now: .claude/settings.json:1: not JSON" in answer["reason"]
    assert ".claude/settings.json:1: not JSON" in roocode("permissions", "list").stderr
