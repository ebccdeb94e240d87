"""How lines are cut into commands, and where that is known to go wrong elsewhere."""

from __future__ import annotations

import pytest

from roocode.security.permissions.shell.cursor import TooDeep
from roocode.security.permissions.shell.structure import understand
from roocode.security.permissions.shell.syntax import (
    Background,
    Block,
    Choice,
    Function,
    Loop,
    Node,
    Pipeline,
    Sequence,
    Simple,
)
from roocode.security.permissions.shell.syntax import (
    Test as Brackets,
)


def _commands(node: Node) -> list[list[str]]:
    """The words of all commands, in order."""
    match node:
        case Simple():
            return [[word.source for word in node.words]]
        case Sequence(items):
            return [command for item in items for command in _commands(item)]
        case Pipeline(stages):
            return [command for stage in stages for command in _commands(stage)]
        case Background(body) | Block(body) | Function(_, body):
            return _commands(body)
        case Choice():
            return [c for part in (node.condition, *node.branches) for c in _commands(part)]
        case Loop():
            return [*_commands(node.condition), *_commands(node.body)]
        case Brackets(word):
            return [[word.source]]


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("a b; c && d || e & f", [["a", "b"], ["c"], ["d"], ["e"], ["f"]]),
        ("a | b |& c", [["a"], ["b"], ["c"]]),
        ("> out rm x", [["rm", "x"]]),
        ("ls 2>/dev/null foo 1>&2 bar", [["ls", "foo", "bar"]]),
        ("cat <<A > o && rm x; ls\nbody\nA\npwd", [["cat"], ["rm", "x"], ["ls"], ["pwd"]]),
        ("cat <<A <<B\na\nA\nb\nB", [["cat"]]),
        ("cat <<A | sh\nrm x\nA", [["cat"], ["sh"]]),
        ("cat <<-A\n\ta\n\tA\nls", [["cat"], ["ls"]]),
        ('a <<< "x" b c', [["a", "b", "c"]]),
        ("exec 3<>file; ls", [["exec"], ["ls"]]),
        ("time rm x", [["rm", "x"]]),
        ("time -p (rm x)", [["rm", "x"]]),
        ("coproc N { rm x; }", [["rm", "x"]]),
        ("coproc rm x", [["rm", "x"]]),
        ("! (rm x)", [["rm", "x"]]),
        ("f() { a; }; function g { b; }", [["a"], ["b"]]),
        ("if a; then b; elif c; then d; else e; fi > o", [["a"], ["c"], ["b"], ["d"], ["e"]]),
        ("for x in 1 2; do a $x; done < f | b", [["a", "$x"], ["b"]]),
        ("for ((i=0;i<3;i++)); do a; done", [["((i=0;i<3;i++))"], ["a"]]),
        ("while read l; do a; done <<< x", [["read", "l"], ["a"]]),
        ("case $x in a|b) c;; (d) e;; esac; f", [["c"], ["e"], ["f"]]),
        ("[[ -f a && b =~ (c|d) ]]; ls", [["[[ -f a && b =~ (c|d) ]]"], ["ls"]]),
        ("((i++)); ls", [["((i++))"], ["ls"]]),
        ("a=(1 2) b=3 ls", [["ls"]]),
        ("ls # rm x\npwd", [["ls"], ["pwd"]]),
        ("echo a#b", [["echo", "a#b"]]),
        ("git log 2>&1 | tail -20\necho\necho x", [["git", "log"], ["tail", "-20"], ["echo"], ["echo", "x"]]),
        ("rm\xa0-rf\xa0/", [["rm\xa0-rf\xa0/"]]),
        ("ls\u2028rm x", [["ls\u2028rm", "x"]]),
        ("a \\\n b", [["a", "b"]]),
        ('git commit -m "$(cat <<\'E\'\nfix: "x\nE\n)" && ls', None),
    ],
)
def test_commands_and_words(line: str, commands: list[list[str]] | None) -> None:
    script = understand(line)

    assert script.doubt == ""
    if commands is not None:
        assert _commands(script.node) == commands


@pytest.mark.parametrize(
    "line",
    ['echo "a', "ls &&", "ls |", "(ls", "ls)", "if a", "{ ls", "ls ;; pwd", "cat <<A\nb", "f() ls", "a=(1"],
)
def test_what_is_not_whole_bash_is_in_doubt(line: str) -> None:
    assert understand(line).doubt != ""


def test_commands_of_a_broken_line_are_kept() -> None:
    assert ["rm", "x"] in _commands(understand("a | b (\nrm x\n)").node)


def test_what_nests_too_deep_is_said_so() -> None:
    with pytest.raises(TooDeep):
        understand("$(" * 200 + "a" + ")" * 200)


def test_a_long_list_is_not_deep() -> None:
    assert len(_commands(understand(" && ".join(["true"] * 5000)).node)) == 5000
