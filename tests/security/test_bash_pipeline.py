"""The Bash corpus through all layers: what destroys never passes, what changes is never silent."""

from __future__ import annotations

from pathlib import Path

from roocode.protocol.decisions import MODES, Mode
from roocode.protocol.tools import Workspace
from roocode.security.permissions.check import check
from roocode.security.permissions.policy import Policy
from tests.security.bash_cases import HOME, PROJECT, cases

SILENT_SHARE = 0.97


def of(expected: str) -> list[str]:
    return [case["cmd"] for case in cases("bash_commands.jsonl") if case["expect"] == expected]


def verdict(command: str, mode: Mode = "default") -> str:
    """What the guard says of a line in the trusted project that the corpus was written for."""
    policy = Policy(home=Path(HOME), mode=mode, trusted=True)
    return check("Bash", {"command": command}, policy, Workspace(root=Path(PROJECT)))["decision"]


def test_what_destroys_is_denied_in_every_mode() -> None:
    lines = of("hard_deny")
    assert len(lines) > 100
    passed = [(line, mode) for line in lines for mode in MODES if verdict(line, mode) != "deny"]
    assert passed == []


def test_what_changes_something_is_never_silent() -> None:
    lines = of("needs_approval")
    assert len(lines) > 100
    assert [line for line in lines if verdict(line) == "allow"] == []


def test_reading_is_silent_and_never_denied() -> None:
    verdicts = {line: verdict(line) for line in of("read_only_safe")}
    assert [line for line, said in verdicts.items() if said == "deny"] == []
    asked = [line for line, said in verdicts.items() if said == "ask"]
    assert 1 - len(asked) / len(verdicts) >= SILENT_SHARE, asked
