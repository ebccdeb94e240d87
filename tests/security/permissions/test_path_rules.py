from __future__ import annotations

from pathlib import Path

import pytest

from roocode.protocol.tools import Workspace
from roocode.security.permissions import path_rules
from roocode.security.permissions.paths import Grounds, grounds, place


@pytest.fixture
def ground(tmp_path: Path) -> Grounds:
    top = tmp_path.resolve()
    (top / "src/proj/src").mkdir(parents=True)
    (top / "home").mkdir()
    return grounds(Workspace(top / "src/proj"), top / "home")


@pytest.mark.parametrize(
    ("pattern", "path", "allows", "restricts"),
    [
        ("src/**", "src/a.py", True, True),
        ("src/**", "src/deep/a.py", True, True),
        ("src/**", "lib/src/a.py", False, True),
        ("src/**", "src2/a.py", False, False),
        ("src/**", "top.py", False, False),
        ("src/*", "src/a.py", True, True),
        ("src/*", "src/deep/a.py", False, True),
        (".env", ".env", True, True),
        (".env", "deep/er/.env", True, True),
        (".env", ".ENV", False, True),
        (".env", ".envrc", False, False),
        ("secrets", "secrets/a/b", True, True),
        ("secrets/", "secrets/a", True, True),
        ("*.pem", "a/b/key.pem", True, True),
        ("*.pem", "a/key.pem/x", False, True),
        ("/src/a.py", "src/a.py", True, True),
        ("/a.py", "src/a.py", False, False),
        ("./a.py", "a.py", True, True),
        ("./a.py", "src/a.py", False, False),
        ("~/x", "~/x", True, True),
        ("~/x", "x", False, False),
        ("**", "any/thing", True, True),
        ("**/test_*.py", "a/b/test_x.py", True, True),
        ("a/**/z", "a/z", True, True),
        ("a/**/z", "a/b/c/z", True, True),
        ("a/**/z", "b/a/z", False, True),
        ("?.py", "a.py", True, True),
        ("?.py", "ab.py", False, False),
        ("[ab].py", "a.py", True, True),
        ("[!ab].py", "a.py", False, False),
        ("[!ab].py", "c.py", True, True),
        (r"\*.py", "*.py", True, True),
        (r"\*.py", "a.py", False, False),
        ("a.c", "abc", False, False),
        (".", "any/thing", True, True),
    ],
)
def test_patterns(pattern: str, path: str, allows: bool, restricts: bool, ground: Grounds) -> None:
    where = place(path, None, ground)

    assert path_rules.allows(pattern, "", where, ground) is allows
    assert path_rules.restricts(pattern, "", where, ground) is restricts


def test_absolute_patterns_and_the_base_of_a_file(ground: Grounds) -> None:
    where = place("/etc/hosts", None, ground)

    assert path_rules.restricts("//etc/**", "", where, ground)
    assert not path_rules.restricts("/etc/**", "", where, ground)
    assert path_rules.restricts("/hosts", "/etc", where, ground)


def test_a_teammates_worktree_stands_for_its_project(tmp_path: Path) -> None:
    root = tmp_path.resolve() / "proj"
    ground = grounds(Workspace(root / ".roocode/worktrees/team/bob"), tmp_path)
    where = place("src/a.py", None, ground)

    assert path_rules.restricts("/src/**", str(root), where, ground)
    assert not path_rules.restricts("/src/**", str(root / "other"), where, ground)


def test_a_deny_names_a_directory_itself_too(ground: Grounds) -> None:
    assert path_rules.restricts("src/**", "", place("src", None, ground), ground)


def test_a_pattern_does_not_match_directories_above_the_root(ground: Grounds) -> None:
    assert not path_rules.restricts("src/**", "", place("README.md", None, ground), ground)


def test_links_are_matched_by_name_and_by_target(ground: Grounds) -> None:
    root = Path(ground.root)
    (root / "link.py").symlink_to("src/real.py")
    where = place("link.py", None, ground)

    assert path_rules.restricts("link.py", "", where, ground)
    assert path_rules.restricts("real.py", "", where, ground)
    assert not path_rules.allows("link.py", "", where, ground)
    assert not path_rules.allows("/src/**", "", where, ground)
    assert path_rules.allows("*.py", "", where, ground)


@pytest.mark.parametrize("path", ["src/a[1].py", "a*b?.txt", "back\\slash"])
def test_a_literal_pattern_matches_its_path_alone(path: str, ground: Grounds) -> None:
    pattern = "/" + path_rules.literal(path)

    assert path_rules.allows(pattern, "", place(path, None, ground), ground)
    assert not path_rules.allows(pattern, "", place("src/a1.py", None, ground), ground)


def test_complaints() -> None:
    assert "negated" in path_rules.complaint("!src")
    assert "malformed" in path_rules.complaint("[z-a].py")
    assert path_rules.complaint("src/**") == ""
