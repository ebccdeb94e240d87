"""Ignore files: what git itself says is the measure."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roocode.tools.search.gitignore import ignored, parse

PATHS = [
    "a",
    "b",
    "a/b",
    "a/b/c",
    "x/a",
    "x/a/b",
    "foo.log",
    "x/foo.log",
    "build/o",
    "x/build/o",
    "a b",
    "#c",
    "!d",
    "[e]",
    "x/y/z.py",
]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", root], check=True)
    return root


def by_git(root: Path, rules: str, paths: list[str]) -> set[str]:
    (root / ".gitignore").write_bytes(rules.encode())
    done = subprocess.run(
        ["git", "-C", root, "check-ignore", "--no-index", "--stdin", "-z"],
        input="\0".join(paths).encode(),
        capture_output=True,
        check=False,
    )
    return {path for path in done.stdout.decode().split("\0") if path}


def by_us(rules: str, paths: list[str]) -> set[str]:
    files = (parse(rules),)

    def out(path: str) -> bool:
        parts = path.split("/")
        ups = ["/".join(parts[:end]) for end in range(1, len(parts))]
        return any(ignored(up, folder=True, files=files) for up in ups) or ignored(
            path, folder=False, files=files
        )

    return {path for path in paths if out(path)}


@pytest.mark.parametrize(
    "rules",
    [
        "*.log",
        "/a",
        "a/",
        "a/b",
        "**/a",
        "a/**",
        "x/**/b",
        "!b\nb",
        "b\n!b",
        "*\n!a\n!a/b",
        "*\n!*/\n!*.py",
        "# comment\n\\#c",
        "\\!d",
        "a b\\ \nfoo.log   ",
        "[e]\n\\[e\\]",
        "build/\n!build/o",
        "x/*\n!x/a",
        "/",
        "\r\n",
        "a\r\n",
        "*.{log,py}",
        "[!a]",
        "x/y/*.p?",
        "**",
        "a/*/c",
        "***/a",
        "a**/*",
        "a***/*",
        "/a**",
        "x/a**/b",
        "a//",
        "//a",
        "a/****",
        "x/***/b\n***",
    ],
)
def test_tables(repository: Path, rules: str) -> None:
    assert by_us(rules, PATHS) == by_git(repository, rules, PATHS)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(
        st.lists(
            st.sampled_from(["a", "b", "x", "*", "**", "/", "!", "?", "foo", ".log", "build"]),
            min_size=1,
            max_size=5,
        ).map("".join),
        max_size=4,
    )
)
def test_any_rules(repository: Path, rules: list[str]) -> None:
    text = "\n".join(rules)
    assert by_us(text, PATHS) == by_git(repository, text, PATHS)


def test_rules_of_inner_and_outer_files() -> None:
    outer, inner, above = (
        parse("*.log\n/only"),
        parse("!keep.log\n/top", "sub"),
        parse("/pkg/sub/gen", above="pkg"),
    )
    files = (above, outer, inner)
    assert ignored("x.log", folder=False, files=files)
    assert not ignored("sub/keep.log", folder=False, files=files)
    assert ignored("keep.log", folder=False, files=files)
    assert ignored("sub/top", folder=False, files=files)
    assert not ignored("sub/x/top", folder=False, files=files)
    assert not ignored("sub/only", folder=False, files=files)
    assert ignored("sub/gen", folder=True, files=files)
