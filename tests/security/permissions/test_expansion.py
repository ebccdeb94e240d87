from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roocode.security.permissions.expansion import MOST, expanded, plain_spellings

_NAMES = ["a.py", "b.py", ".env", ".git/config", "src/a.py", "src/.hidden", "x]y", "a^b"]


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("names").resolve()
    for name in _NAMES:
        (top / name).parent.mkdir(exist_ok=True)
        (top / name).touch()
    return top


def _as_bash(pattern: str, top: Path) -> set[str]:
    """What Bash itself makes of a pattern; the directory's own name holds no wildcard."""
    script = f"cd {top} && shopt -s nullglob && printf '%s\\0' {pattern}"
    found = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, check=True).stdout.decode()
    return {str(top / name) for name in found.split("\0") if name}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(alphabet="ab.*?[]!^py/-", min_size=1, max_size=7).filter(lambda text: not text.startswith("/"))
)
def test_all_that_bash_finds_is_found(top: Path, pattern: str) -> None:
    found = expanded(f"{top}/{pattern}")

    assert found is not None
    assert {str(Path(path)) for path in _as_bash(pattern, top)} <= {str(Path(path)) for path in found}


@pytest.mark.parametrize(
    ("pattern", "name"),
    [(".e*", ".env"), (".gi[[:alpha:]]/config", ".git/config"), ("[!b].py", "a.py"), ("x[]]y", "x]y")],
)
def test_brackets_and_dots(top: Path, pattern: str, name: str) -> None:
    assert str(top / name) in (expanded(f"{top}/{pattern}") or ())


def test_a_star_does_not_match_a_leading_dot(top: Path) -> None:
    assert str(top / ".env") not in (expanded(f"{top}/*") or ())


def test_too_many_are_none(tmp_path: Path) -> None:
    for number in range(MOST + 1):
        (tmp_path / str(number)).touch()

    assert expanded(f"{tmp_path}/*") is None
    assert expanded(f"{tmp_path}/1?") is not None


@pytest.mark.parametrize(
    ("pattern", "spellings"),
    [
        ("*.py", {"*.py"}),
        ("!*.py", {"*.py"}),
        ("{a,..}/{b,c}", {"a/b", "a/c", "../b", "../c"}),
        ("{a,{..,b}}/x", {"a/x", "../x", "b/x"}),
        ("[.][.]/x", {"../x"}),
        ("\\.\\./x", {"../x"}),
        ("[!.]x", {"[!.]x"}),
        ("{a", {"{a"}),
    ],
)
def test_a_pattern_in_all_its_spellings(pattern: str, spellings: set[str]) -> None:
    assert spellings <= set(plain_spellings(pattern))


def test_too_many_spellings_may_lead_anywhere() -> None:
    assert "/" in plain_spellings("{a,b}" * 12)
    assert len(plain_spellings("{a,b}" * 40)) < 1000
