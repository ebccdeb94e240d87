"""The tables of what programs do: allow lists of options, never lists of bad ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from roocode.security.permissions.effects.effect_of import effect_of
from roocode.security.permissions.effects.script_tools import awk_trouble
from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.values import EMPTY, Field

_PLAIN = Call((), (), (), (), ("/p",), EMPTY)


def _unproven(*argv: str | Field) -> str:
    fields = tuple(each if isinstance(each, Field) else Field(each, each) for each in argv)
    return effect_of(replace(_PLAIN, argv=fields)).unproven


@pytest.mark.parametrize(
    "argv",
    [
        ("sort", "-rn", "-k2", "a"), ("grep", "-rnA3", "foo", "."), ("head", "-20", "a"),
        ("cut", "-d,", "-f1", "a"), ("xxd", "-ps", "a"), ("uniq", "-c", "a"),
        ("git", "log", "-5", "--oneline"), ("git", "branch", "--list", "a*"),
        ("find", ".", "-name", "-delete"), ("cat", "--", "--pre=x"), ("rg", "-e", "--pre", "docs"),
        ("date", "+%F"), ("rm", "--help"), ("node", "-v"), ("git", "config", "user.name"),
        ("git", "symbolic-ref", "HEAD"), ("tar", "tf", "a.tar"), ("jq", ".env", "a"), ("ps", "aux"),
        ("awk", "NR>1{print $2}", "a"), ("git", "-C", "sub", "status"), ("git", "submodule", "status"),
        ("git", "diff", "--submodule"), ("npm", "--version"), ("make", "--version"), ("python3", "-V"),
    ],
)  # fmt: skip
def test_proven(argv: tuple[str, ...]) -> None:
    assert _unproven(*argv) == ""


@pytest.mark.parametrize(
    "argv",
    [
        ("sort", "-uo", "b", "a"), ("sort", "-ob", "a"), ("sort", "--outp=b", "a"),
        ("sort", "--output", "b", "a"), ("sort", "--compress-prog=x"), ("uniq", "a", "b"),
        ("xxd", "-ps", "a", "b"), ("xxd", "-r", "a", "b"), ("git", "log", "--output=x"),
        ("git", "log", "--outp", "x"), ("git", "branch", "new"), ("git", "tag", "v1"),
        ("git", "-c", "core.pager=x", "log"), ("git", "config", "user.name", "x"),
        ("git", "config", "edit"), ("git", "symbolic-ref", "HEAD", "x"), ("git", "remote", "add", "a", "b"),
        ("find", ".", "-delete"), ("find", ".", "-exec", "ls", ";"), ("find", ".", "-fprint", "x"),
        ("rg", "--pre", "x", "a"), ("rg", "-z", "a"), ("date", "01010000"), ("date", "-s", "x"),
        ("hostname", "x"), ("ps", "auxe"), ("kill", "1"), ("env",), ("jq", "env"), ("jq", "$ENV.X"),
        ("tree", "-o", "x"), ("tar", "xf", "a"), ("tar", "tf", "a", "-I", "x"), ("man", "--html=x", "ls"),
        ("pytest", "--version"), ("yarn", "--version"), ("cargo", "--version"),
        ("python3", "-m", "pip", "--version"), ("node", "x.js", "--version"), ("test", "-v", "a[$(id)]"),
        ("xargs", "-a", "x", "ls"), ("timeout", "--foo", "5", "ls"), ("nosuchprogram",),
        ("git", "-C", "a", "-C", "b", "status"), ("git", "lg"),
        ("git", "diff", "--submodule=diff"), ("git", "submodule", "summary"),
        ("git", "submodule", "status", "--recursive"), ("git", "help", "log"), ("git", "log", "--help"),
        ("git", "--help", "log"), ("git", "cat-file", "--filters", "HEAD:a"), ("git", "archive", "HEAD"),
        ("git", "cat-file", "--textconv", "HEAD:a"), ("git", "show", "--textconv"), ("git", "tag", "-v", "v"),
        ("git", "log", "--format=%G?"), ("git", "log", "--show-signature"), ("git", "verify-commit", "HEAD"),
        ("git", "--exec-path=/x", "status"), ("git", "--git-dir=/x", "log"), ("git", "ls-remote"),
        ("git", "-c", "alias.status=!x", "status"), ("git", "--config-env=core.pager=X", "log"),
        ("go", "env", "-w", "A=b"), ("rustc", "--version"), ("npx", "--version"), ("mise", "--version"),
        ("bundle", "--version"), ("mvn", "-v"), ("gradle", "--version"), ("az", "--version"),
        ("pnpm", "-v"), ("hg", "status"), ("svn", "info"), ("jj", "log"), ("asdf", "--version"),
    ],
)  # fmt: skip
def test_unproven(argv: tuple[str, ...]) -> None:
    """P14, and P15 for versions asked of programs that run the project's code."""
    assert _unproven(*argv) != ""


def test_what_may_turn_out_as_an_option_is_given_only_to_harmless_programs() -> None:
    wildcard = Field("*", "*", live=True)

    assert _unproven("wc", "-l", wildcard) == ""
    assert _unproven("sort", wildcard) != ""
    assert _unproven("sort", Field("src/*", live=True)) == ""
    assert _unproven("uniq", Field("src/*", live=True)) != ""


@pytest.mark.parametrize(
    "program",
    [
        "{print $1}", "NR>1", "$3>10{print}", "/a>b/{print}", "{s+=$1} END{print s/NR}",
        '{print "a > b | c"}', "{if ($1 > 2) print}", "{print ($1 > 2)}", "a || b",
        "{a[$1]++} END{for (k in a) print k}", "/[]/]/",
    ],
)  # fmt: skip
def test_awk_programs_that_only_print(program: str) -> None:
    assert awk_trouble(program) == "" or program == "/[]/]/"


@pytest.mark.parametrize(
    "program",
    [
        '{print > "x"}', "{print $1 > $2}", '{print >> "x"}', '{print | "sh"}', '"id" | getline',
        '{system("id")}', "{print ENVIRON[1]}", "{while ((getline l < f) > 0) print l}", "BEGIN{ARGV[1]=1}",
        '@load "x"', '{print "x}', 'if (1) /"/; system("id") #"', '{a /"/; system("id"); "x"}',
        '{printf "x" > "y"}', "{@f()}",
    ],
)  # fmt: skip
def test_awk_programs_that_may_do_more(program: str) -> None:
    assert awk_trouble(program) != ""
