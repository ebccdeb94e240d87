"""Scripts of sed: what they run, read and write."""

from __future__ import annotations

import pytest

from roocode.security.permissions.shell.sed import NotSed, read_sed


@pytest.mark.parametrize(
    "script",
    [
        "s/a/b/g", "1,20p", "/a/,/b/d", "$!N;s/\\n/ /", "y/abc/xyz/", "s|a/b|c|", "s/[a-z]*/x/2gI",
        "/x/{p;q}", "1~2d", "a hello w x", "i\\\ntext e x", "/a/I,+3p", "s/a\\/b/c/", "s/w/e/", "# w x",
        ":a;N;$!ba;s/\\n//g", "5q", "=", "s/a/\\\nb/",
    ],
)  # fmt: skip
def test_scripts_that_only_change_text(script: str) -> None:
    found = read_sed(script)

    assert (found.runs, found.reads, found.writes, found.runs_pattern_space) == ([], [], [], False)


@pytest.mark.parametrize(
    ("script", "runs", "writes"),
    [
        ("1e id", ["id"], []),
        ("e", [""], []),
        ("p;e rm -rf /", ["rm -rf /"], []),
        ("w out.txt", [], ["out.txt"]),
        ("s/a/b/w out", [], ["out"]),
        ("s/a/b/gw out;p", [], ["out;p"]),
        ("/x/!{w out\n}", [], ["out"]),
        ("$W x", [], ["x"]),
    ],
)
def test_scripts_that_do_more(script: str, runs: list[str], writes: list[str]) -> None:
    found = read_sed(script)

    assert (found.runs, found.writes) == (runs, writes)


def test_replacing_may_run_the_result() -> None:
    assert read_sed("s/x/rm/e").runs_pattern_space
    assert read_sed("r /etc/passwd").reads == ["/etc/passwd"]


@pytest.mark.parametrize("script", ["s/a", "{p", "k", "s/[/]/w x/;s/]/b/", "1,p x", "s/a\nb/c/", "}"])
def test_what_is_not_understood_is_said_so(script: str) -> None:
    with pytest.raises(NotSed):
        read_sed(script)
