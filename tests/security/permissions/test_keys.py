"""The keys that answers are signed with are read by no tool, in no mode, whatever rules allow."""

from __future__ import annotations

from pathlib import Path

import pytest

from roocode.protocol.decisions import MODES, Decision
from roocode.protocol.tools import Touches, Workspace
from roocode.security.permissions.decide import decide
from roocode.security.permissions.hidden import hides
from roocode.security.permissions.names import presumed_touches
from roocode.security.permissions.policy import Policy
from roocode.security.permissions.rules import parse_rule


class Home:
    """A home with RooCode's own directory in it, which is an allowed directory besides."""

    def __init__(self, top: Path, folder: str) -> None:
        self.folder = folder
        self.key = top / "home/.roocode" / folder / "crew.json"
        self.key.parent.mkdir(parents=True)
        self.key.write_text('{"alice": "00"}')
        (top / "home/.roocode/config.yaml").write_text("model: x\n")
        (top / "proj").mkdir()
        (top / "proj/link").symlink_to(self.key.parent)
        self.workspace = Workspace(top / "proj", extra=(top / "home",))
        rules = tuple(parse_rule(text, "allow", "user") for text in ("Bash", "ReadFile", "Grep"))
        self.policies = [
            Policy(top / "home", mode=mode, rules=rules, trusted=True, protected=(top / "home/.roocode",))
            for mode in MODES
        ]

    def bash(self, command: str) -> list[Decision]:
        touches = Touches(command=command)
        return [decide("Bash", {"command": command}, touches, each, self.workspace) for each in self.policies]


@pytest.fixture(params=["team-keys", "mcp-logins"])
def home(tmp_path: Path, request: pytest.FixtureRequest) -> Home:
    return Home(tmp_path.resolve(), request.param)


@pytest.mark.parametrize(
    "command",
    [
        "cat ~/.roocode/team-keys/crew.json", "cat ~/.roocode/team-keys/*", "cat ~/.roocode/*/*.json",
        "cp -r ~/.roocode/team-keys .", "cd ~/.roocode/team-keys; cat crew.json", "cat link/crew.json",
        "cat < ~/.roocode/team-keys/crew.json", "cat ../home/.roocode/team-keys/crew.json",
        "sudo cat ~/.roocode/team-keys/crew.json", "grep -r alice ~/.roocode", "tar cf x.tar ~/.roocode",
        "bash -c 'cat ~/.roocode/team-keys/crew.json'", "base64 $HOME/.roocode/team-keys/crew.json",
        "ln ~/.roocode/team-keys/crew.json here",
    ],
)  # fmt: skip
def test_no_command_reads_them(home: Home, command: str) -> None:
    command = command.replace("team-keys", home.folder)
    assert {decision.verdict for decision in home.bash(command)} == {"deny"}


@pytest.mark.parametrize("command", ["cat ~/.roocode/config.yaml", "ls ~/.roocode"])
def test_what_lies_beside_them_is_no_secret(home: Home, command: str) -> None:
    assert {decision.verdict for decision in home.bash(command)} == {"allow"}


@pytest.mark.parametrize("tool", ["ReadFile", "Grep", "Glob"])
def test_no_file_tool_reads_them(home: Home, tool: str) -> None:
    arguments = {"path": str(home.key), "pattern": "*"}
    touches = presumed_touches(tool, arguments)
    for policy in home.policies:
        assert decide(tool, arguments, touches, policy, home.workspace).verdict == "deny"
        assert hides(policy, home.workspace)(str(home.key))
