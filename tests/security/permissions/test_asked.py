"""What a person sees of a call: part by part, with who asks and why, and what is lost or goes astray."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from roocode.protocol.decisions import QuestionPart
from roocode.protocol.tools import Touches, Workspace
from roocode.security.permissions.asked import parts_of, warnings_of
from roocode.security.permissions.decide import examine
from roocode.security.permissions.losses import Held, held
from roocode.security.permissions.policy import Policy, Rule
from roocode.security.permissions.rules import parse_rule
from roocode.security.permissions.subjects import Examined


class Desk:
    """A project with a few files, and rules."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.policy = Policy(root / "home", trusted=True)

    def rules(self, *rules: Rule) -> None:
        self.policy = replace(self.policy, rules=rules)

    def call(self, command: str) -> Examined:
        touches = Touches(command=command)
        return examine("Bash", {"command": command}, touches, self.policy, Workspace(self.root))

    def parts(self, command: str) -> tuple[QuestionPart, ...]:
        return parts_of(self.call(command), self.policy)

    def warnings(self, command: str) -> tuple[str, ...]:
        return warnings_of(self.call(command))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    root = (tmp_path / "proj").resolve()
    (root / "build/deep").mkdir(parents=True)
    for name in ("build/a", "build/deep/b", "a.txt", "b.txt"):
        (root / name).write_bytes(b"x" * 1500)
    (root / "build/out").symlink_to("/usr")
    (root / "there").mkdir()
    return Desk(root)


def test_every_command_is_a_part_and_says_whether_it_asks(desk: Desk) -> None:
    parts = desk.parts("cd there && rm -f x | sort && FOO=1 make > out.txt")
    assert [(part.text, part.asks, part.why) for part in parts] == [
        ("cd there", False, "only reads"),
        ("rm -f x", True, "deletes files"),
        ("sort", False, "only reads"),
        ("make", True, "writes there/out.txt"),
    ]


def test_a_part_names_the_layer_and_the_rule_that_ask_or_let_it_through(desk: Desk) -> None:
    allow = parse_rule("Bash(make *)", "allow", "user", "user.yaml:2")
    desk.rules(parse_rule("Bash(git push *)", "ask", "local", "local.yaml:4"), allow)
    parts = desk.parts("make all; git push; npm test; echo x > .github/workflows/ci.yml")
    assert [(part.asks, part.layer, part.why) for part in parts[:3]] == [
        (False, "rules", "allowed by Bash(make *) (user.yaml:2)"),
        (True, "rules", "asked about by Bash(git push *) (local.yaml:4)"),
        (True, "mode", "npm: not known only to read"),
    ]
    assert (parts[3].asks, parts[3].layer) == (True, "sandbox")
    assert "run or obeyed later" in parts[3].why


def test_what_a_wrapper_runs_is_a_part_inside_it(desk: Desk) -> None:
    parts = desk.parts("sudo bash -c 'rm x'")
    assert [(part.text, part.inside) for part in parts] == [
        ("sudo bash -c rm x", ()),
        ("bash -c rm x", ("sudo",)),
        ("rm x", ("sudo", "bash -c")),
    ]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("rm -rf build", ["build holds 4 entries, "]),
        ("rm --recursive build/", ["build holds 4 entries, "]),
        ("cd build && rm -fR deep", ["build/deep holds 1 entry, 1.5 KB"]),
        ("rm -r build there a.txt", ["2 directories hold 4 entries, "]),
        ("rm -r *", ["2 directories hold 4 entries, "]),
        ("sudo rm -r build", ["build holds 4 entries, "]),
        ("rm -r there", ["there is empty"]),
        ("rm a.txt", []),
        ("rm -r a.txt missing", []),
        ("rm -r build/out", []),
    ],
)
def test_what_a_removal_would_take_is_counted(desk: Desk, command: str, said: list[str]) -> None:
    found = desk.warnings(command)
    assert len(found) == len(said)
    assert all(warning.startswith(start) for warning, start in zip(found, said, strict=True))


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("mv a.txt b.txt missing", "missing does not exist: mv needs a directory there"),
        ("mv a.txt missing/", "missing does not exist: mv needs a directory there"),
        ("mv *.txt missing", "missing does not exist: mv needs a directory there"),
        ("cp a.txt b.txt ./missing", "missing does not exist: cp needs a directory there"),
        ("mv -t missing a.txt", "missing does not exist: mv needs a directory there"),
        ("mv build there a.txt", "a.txt is not a directory: mv needs a directory there"),
        ("cd there && mv ../a.txt ../b.txt x", "there/x does not exist: mv needs a directory there"),
        ("mv a.txt c.txt", ""),
        ("mv a.txt b.txt there", ""),
        ("mv a.txt b.txt there/", ""),
        ("mkdir missing && mv a.txt b.txt missing", ""),
    ],
)
def test_a_target_that_is_no_directory_is_said(desk: Desk, command: str, said: str) -> None:
    """google-gemini/gemini-cli#4586: the directory was not made, and the files were gone."""
    assert desk.warnings(command) == ((said,) if said else ())


def test_counting_is_bounded_and_follows_no_links(desk: Desk) -> None:
    assert held([str(desk.root / "build")], most=3) == Held(
        3, held([str(desk.root / "build")], 3).size, False
    )
    assert str(Held(3, 12_345, whole=False)) == "more than 3 entries, more than 12 KB"
    assert str(Held(1, 999)) == "1 entry, 999 bytes"
    assert held([str(desk.root / "nowhere")]) == Held(0, 0)


def test_a_call_that_is_no_shell_line_has_no_parts(desk: Desk) -> None:
    touches = Touches(writes=("a.txt",))
    call = examine("WriteFile", {"path": "a.txt"}, touches, desk.policy, Workspace(desk.root))
    assert parts_of(call, desk.policy) == ()
    assert warnings_of(call) == ()
