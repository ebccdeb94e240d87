"""What is parsed is byte for byte what runs: our words beside those of a real Bash (P12).

The only commands in the lines are builtins that print. Bash is restricted besides (no output redirection, no
program named with a slash), has no PATH, an empty environment and an empty directory, which has to stay so.
"""

from __future__ import annotations

import shutil
import subprocess
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from roocode.security.permissions.shell.findings import Context
from roocode.security.permissions.shell.patterns import escaped
from roocode.security.permissions.shell.run import Follower
from roocode.security.permissions.shell.state import State
from roocode.security.permissions.shell.values import EMPTY, UNKNOWN, Field, Fields
from tests.security.bash_lines import SHAPES, harmless_words, printing

_BASH = shutil.which("bash") or ""


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("empty")


def by_bash(line: str, directory: Path) -> list[str] | None:
    """The words that Bash makes, or None where it refuses the line."""
    place = str(directory)
    done = subprocess.run(
        [_BASH, "--norc", "--noprofile", "--restricted", "-c", line],
        cwd=directory,
        env={"HOME": place, "PATH": "/nonexistent", "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=10,
        check=False,
    )
    assert not list(directory.iterdir())
    if done.returncode:
        return None
    return done.stdout.decode("utf-8", "replace").split("\0")[1:-1]


def by_us(line: str, directory: Path) -> tuple[str, list[Fields]]:
    """Why the line is in doubt, and the ways in which the words of `printf` may turn out."""
    follower = Follower()
    follower.script(line, State(str(directory), str(directory)), Context(stdin=EMPTY))
    printed = [call.arguments for call in follower.findings.calls if call.texts[:2] == ["%s\\0", "+"]]
    return next(iter(follower.findings.doubts), ""), [fields[2:] for fields in printed]


def covers(way: Fields, words: list[str]) -> bool:
    """Whether the words are a way's: what is unknown may be anything, a live wildcard what it fits."""
    if all(field.known and not field.live for field in way):
        return [field.text for field in way] == words
    pattern = "\n".join(map(_pattern, way)).replace("*\n", "*").replace("\n*", "*")
    return fnmatchcase("\n".join(words), pattern)


def _pattern(field: Field) -> str:
    """What a word may be: behind the first wildcard anything."""
    end = min((field.text.find(mark) for mark in "*?[" if mark in field.text), default=None)
    known = field.text[:end] if field.live else field.text
    text = "".join("*" if each == UNKNOWN else escaped(each) for each in known)
    return text + "*" if field.live else text


@pytest.mark.skipif(not _BASH, reason="bash is not here")
@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=15, deadline=None)
@given(words=st.lists(harmless_words, min_size=1, max_size=4))
@example(words=["''"])
@example(words=["{01..3}", "a{b,'c d'}e", "~/x"])
@example(words=["$'a\\x00b'c", '"$v"', "$v", "${path##*/}", "${u:-$v}"])
@example(words=["$w{7..7}", "${w-a}", "${w/*/x}", "${mixed^^c}", "${v/#/x}", "${path////-}"])
@example(words=["\"${u:-'$v'}\"", "\"${u:-$'\\x24v'}\"", '"${u:-"a b"}"', "\"${v#'one'}\"", "a:~"])
def test_our_words_are_those_of_bash(shape: str, words: list[str], empty: Path) -> None:
    assume(shape != "array" or "=~" not in "".join(words))
    line = printing(words, shape)
    expected = by_bash(line, empty)
    doubt, ways = by_us(line, empty)

    if expected is not None and not doubt:
        assert any(covers(way, expected) for way in ways), (line, expected, ways)
