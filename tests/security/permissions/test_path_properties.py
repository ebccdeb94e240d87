"""What must hold of every path, however it is spelled and whatever links lead to it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roocode.protocol.decisions import MODES, Mode, Verdict
from roocode.protocol.messages import Arguments
from roocode.protocol.tools import Workspace
from roocode.security.permissions.check import check, check_parts
from roocode.security.permissions.names import ALIASES, TOOLS
from roocode.security.permissions.paths import pinned
from roocode.security.permissions.policy import TIERS, Policy, Rule
from roocode.security.permissions.rules import parse_rule

_RANK = {"allow": 0, "ask": 1, "deny": 2}
_often = settings(max_examples=500, deadline=None)

_DIRECTORIES = ("src", "src/deep", "docs", ".github", ".vscode", "sub/.git", ".roocode")
_FILES = (
    "README.md", "src/a.py", "src/deep/b.py", "docs/a.md", ".env", ".vscode/tasks.json", ".mcp.json",
    ".roocode/config.yaml", "sub/.git/config",
)  # fmt: skip
_LINKS = {
    "here": ".", "up": "..", "s": "src", "deep": "src/deep", "code": "src/a.py", "secret": ".env",
    "out": "../outside", "outfile": "../outside/x", "editor": ".vscode", "store": "sub/.git",
    "own": ".roocode",
    "gone": "src/new", "loop": "loop", "docs/back": "../src", "src/readme": "../README.md", "far": "../extra",
}  # fmt: skip
_PATTERNS = (
    "src/**", "/src/**", "src", "*.py", ".env", "docs/*", "s/**", "here/**", "deep/*", "**/a.py", "back/**",
    "~/x", "//etc/**", "./docs/**", "readme", "**",
)  # fmt: skip


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project full of links, with an outside and a further directory beside it."""
    top = tmp_path_factory.mktemp("paths").resolve()
    for directory in ("proj/.git", "outside", "extra", "home", *(f"proj/{name}" for name in _DIRECTORIES)):
        (top / directory).mkdir(parents=True, exist_ok=True)
    for name in ("outside/x", "extra/y", "proj/.git/HEAD", *(f"proj/{name}" for name in _FILES)):
        (top / name).write_text("x")
    for name, target in _LINKS.items():
        (top / "proj" / name).symlink_to(target)
    return top


_steps = st.sampled_from(
    [".", "..", "new", "a.py", "x", "tasks.json", "config", *_DIRECTORIES, *_FILES, *_LINKS]
)
_paths = st.sampled_from([*_FILES, *_LINKS]) | st.lists(_steps, min_size=1, max_size=5).map("/".join)
_tools = st.sampled_from(["Edit", "Write", "Read", "Grep"])
_rules = st.lists(
    st.builds(
        lambda verdict, tool, pattern, tier: parse_rule(f"{tool}({pattern})", verdict, tier, tier),
        st.sampled_from(["allow", "ask", "deny"]),
        st.sampled_from(["Edit", "Read"]),
        st.sampled_from(_PATTERNS),
        st.sampled_from(TIERS),
    ),
    max_size=4,
)


def _judged(top: Path, tool: str, path: str, rules: list[Rule], mode: Mode, *extra: Path) -> dict[str, str]:
    policy = Policy(top / "home", mode, tuple(rules), trusted=True)
    arguments: Arguments = {"file_path": path} if tool != "Grep" else {"path": path, "pattern": "x"}
    return check(tool, arguments, policy, pinned(Workspace(top / "proj", extra=extra)))


def _rank(answer: dict[str, str]) -> int:
    return _RANK[answer["decision"]]


@_often
@given(_tools, _paths, _rules, st.sampled_from(MODES))
def test_a_link_never_widens(top: Path, tool: str, path: str, rules: list[Rule], mode: Mode) -> None:
    real = os.path.realpath(top / "proj" / path)

    spelled, resolved = (_judged(top, tool, each, rules, mode) for each in (path, real))

    assert _rank(spelled) >= _rank(resolved)


@pytest.mark.parametrize("pattern", _PATTERNS)
@pytest.mark.parametrize("verdict", ["allow", "deny"])
def test_a_rule_about_a_link_is_about_what_it_leads_to(top: Path, pattern: str, verdict: Verdict) -> None:
    """An allow needs both, a deny either."""
    rules = [parse_rule(f"Edit({pattern})", verdict, "local", "l")]
    for link in _LINKS:
        for path in (link, f"{link}/a.py", f"{link}/deep/b.py", f"{link}/new"):
            real = os.path.realpath(top / "proj" / path)
            spelled, resolved = (_judged(top, "Edit", each, rules, "default") for each in (path, real))
            assert _rank(spelled) >= _rank(resolved), path


@_often
@given(_tools, _paths, _rules, st.sampled_from(MODES))
def test_relative_and_absolute_spellings_are_judged_alike(
    top: Path, tool: str, path: str, rules: list[Rule], mode: Mode
) -> None:
    spellings = (path, f"./{path}", f"{top}/proj/{path}", f"{top}/proj/.//{path}", f"src/../{path}")

    assert len({_judged(top, tool, each, rules, mode)["decision"] for each in spellings}) == 1


@_often
@given(_tools, _paths, _rules, st.sampled_from(MODES))
def test_another_allowed_directory_opens_itself_alone(
    top: Path, tool: str, path: str, rules: list[Rule], mode: Mode
) -> None:
    real = os.path.realpath(top / "proj" / path)
    before = _judged(top, tool, path, rules, mode)
    after = _judged(top, tool, path, rules, mode, top / "extra")

    if not f"{real}/".startswith(f"{top}/extra/"):
        assert _rank(after) >= _rank(before)


@_often
@given(_tools, _paths, st.sampled_from(MODES))
def test_nothing_outside_is_ever_allowed(top: Path, tool: str, path: str, mode: Mode) -> None:
    real = os.path.realpath(top / "proj" / path)

    if not f"{real}/".startswith(f"{top}/proj/"):
        assert _judged(top, tool, path, [], mode)["decision"] == "deny"


_HIDDEN = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u202e\u2066\u034f\ufe0f\u3164\U000e0041\U000e0101"


def _wide(letter: str) -> str:
    return chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter


@st.composite
def _disguised(draw: st.DrawFn, name: str) -> str:
    """A name that some file system takes for the given one."""
    letters = [draw(st.sampled_from([each, each.upper(), _wide(each)])) for each in name]
    for _ in range(draw(st.integers(0, 2))):
        letters.insert(draw(st.integers(0, len(letters))), draw(st.sampled_from(_HIDDEN)))
    ending = draw(st.sampled_from(["", ".", " ", ". .", ":x", "::$INDEX_ALLOCATION", "::$DATA"]))
    return "".join(letters) + ending


@_often
@given(
    st.data(),
    st.sampled_from([".git", "git~1", ".roocode", ".mcp.json"]),
    st.sampled_from(["", "sub/", "src/deep/", "new/"]),
    st.sampled_from(MODES),
)
def test_a_protected_name_is_known_in_every_disguise(
    top: Path, data: st.DataObject, name: str, before: str, mode: Mode
) -> None:
    disguised = data.draw(_disguised(name))
    path = f"{before}{disguised}/x" if name != ".mcp.json" else f"{before}{disguised}"

    for tool in ("Write", "Edit"):
        answer = _judged(top, tool, path, [parse_rule("Edit", "allow", "session", "s")], mode)
        assert (answer["decision"], answer["layer"]) == ("deny", "sandbox")


@_often
@given(
    st.data(),
    st.sampled_from([".vscode", ".husky", ".bashrc", ".claude", "agents.md", "jenkinsfile", ".envrc"]),
    st.sampled_from(["", "sub/", "src/deep/"]),
)
def test_what_is_asked_in_every_mode_is_known_in_every_disguise(
    top: Path, data: st.DataObject, name: str, before: str
) -> None:
    path = before + data.draw(_disguised(name))

    answer = _judged(top, "Write", path, [parse_rule("Edit", "allow", "session", "s")], "bypassPermissions")
    assert answer["decision"] != "allow"


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
_fields = st.sampled_from(
    [
        "path", "file_path", "notebook_path", "command", "pattern", "glob", "url", "cwd", "name", "skill",
        "subagent_type", "run_in_background",
    ]
)  # fmt: skip
_names = st.binary(max_size=30).map(os.fsdecode) | st.text(max_size=30)
_several = [
    parse_rule(text, verdict, "user", "u")
    for verdict, texts in {
        "deny": (
            "Read(.env)",
            "Bash(rm *)",
            "WebFetch(domain:x.org)",
            "Agent(a*)",
            "Bash(cwd:x)",
            "mcp__a__*",
        ),
        "ask": ("Edit(src/**)", "*(x)", "Skill(b:*)", "mcp__b(id:1)"),
        "allow": ("Read(**)", "Bash(git *)", "WebFetch(domain:*.org)", "Agent(c)"),
    }.items()
    for text in texts
]  # type: ignore[misc]


@settings(max_examples=500, deadline=None)
@given(
    st.sampled_from(sorted(TOOLS | set(ALIASES))) | st.text(max_size=20),
    st.dictionaries(_fields | st.text(max_size=8), _json | _names, max_size=4),
    st.sampled_from(MODES),
    st.none() | _names,
)
def test_any_input_is_judged(
    top: Path, tool: str, arguments: dict[str, object], mode: Mode, cwd: str | None
) -> None:
    policy = Policy(top / "home", mode, tuple(_several), trusted=True)
    workspace = pinned(Workspace(top / "proj"))

    assert check(tool, arguments, policy, workspace, cwd=cwd)["decision"] in _RANK  # type: ignore[arg-type]
    check_parts(tool, arguments, policy, workspace, cwd=cwd)  # type: ignore[arg-type]


@settings(max_examples=500, deadline=None)
@given(st.text(max_size=30), st.sampled_from(["allow", "ask", "deny"]))
def test_any_text_is_a_rule_that_is_sound_or_flawed(top: Path, text: str, verdict: str) -> None:
    for spelled in (text, f"Bash({text})", f"Read({text})", f"WebFetch(domain:{text})", f"mcp__{text}"):
        rule = parse_rule(spelled, verdict, "user", "u")  # type: ignore[arg-type]
        workspace = pinned(Workspace(top / "proj"))
        for call in (("Read", {"path": "src/a.py"}), ("Bash", {"command": "make x"}), ("mcp__a__b", {})):
            without, ruled = (
                check(*call, Policy(top / "home", rules=rules, trusted=True), workspace)  # type: ignore[arg-type]
                for rules in ((), (rule,))
            )
            assert ruled["decision"] in _RANK
            assert not rule.flaw or ruled == without


@_often
@given(_tools, _names, st.sampled_from(MODES))
def test_names_of_any_bytes_are_judged_alike_in_both_spellings(
    top: Path, tool: str, name: str, mode: Mode
) -> None:
    relative, absolute = (
        _judged(top, tool, path, [], mode) for path in (f"src/{name}", f"{top}/proj/src/{name}")
    )

    assert (relative["decision"], relative["layer"]) == (absolute["decision"], absolute["layer"])
