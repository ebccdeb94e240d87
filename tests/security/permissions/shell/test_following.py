"""Lines followed: what words become, where text flows, and what is started in the end."""

from __future__ import annotations

import base64
import gzip

import pytest

from roocode.security.permissions.shell.findings import Context
from roocode.security.permissions.shell.run import Follower
from roocode.security.permissions.shell.state import State
from roocode.security.permissions.shell.values import UNKNOWN


def _started(line: str) -> list[list[str]]:
    """The arguments of every program that the line would start, but for guesses."""
    follower = Follower()
    follower.script(line, State("/p", "/home/dev"), Context())
    return [
        [field.text for field in call.argv]
        for call in follower.findings.calls
        if call.argv and not call.guess
    ]


def _last(line: str) -> list[str]:
    return _started(line)[-1]


def _compressed(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        (r"""echo 'a b' "c $HOME" d\ e""", ["a b", "c /home/dev", "d e"]),
        (r"echo $'\x72\155\t' $'a\0b'", ["rm\t", "a"]),
        ("echo ~ ~/a ~root \"~\" a~", ["/home/dev", "/home/dev/a", "/root", "~", "a~"]),
        ("echo {a,b{1..3}}c \"{a,b}\" {x", ["ac", "b1c", "b2c", "b3c", "{a,b}", "{x"]),
        ("x='a  b'; echo $x \"$x\"", ["a", "b", "a  b"]), ("IFS=,; x=a,b; echo $x", ["a", "b"]),
        ("x=(a 'b c'); echo \"${x[@]}\" ${x[1]}", ["a", "b c", "b", "c"]),
        ("set -- a 'b c'; echo \"$@\" $# $1", ["a", "b c", "2", "a"]),
        ("x=abcdef; echo ${x:1:2} ${x#ab} ${x%f} ${#x}", ["bc", "cdef", "abcde", "6"]),
        ("x=abcdef; echo ${x/c/X} ${x^^} ${x:-y}", ["abXdef", "ABCDEF", "abcdef"]),
        ("z=; echo ${z:-y} x${z-y} ${z:+y} ${z+y}", ["y", "x", "y"]), ("x=a/b; echo ${x////-}", ["a-b"]),
        ("x=y; y=z; echo ${!x}", ["z"]), ("echo $UNSET", [UNKNOWN]),
        ("echo $((1+2)) $((7))", [UNKNOWN, "7"]), ("x=a; x+=b; echo $x", ["ab"]),
        ("read a <<< 'x y'; echo $a", ["x", "y"]), ("printf -v x '%s-' 1 2; echo $x", ["1-2-"]),
        ("declare x=1; export y=2; echo $x$y", ["12"]), ("f() { echo $1; }; f a", ["a"]),
        ("echo $(echo a; echo b) x", ["a", "b", "x"]), ("echo `echo a`", ["a"]),
        ("cd /x && echo $PWD", ["/x"]), ("for x in a b; do echo $x; done", ["b"]),
    ],
)  # fmt: skip
def test_words(line: str, arguments: list[str]) -> None:
    assert _last(line)[1:] == arguments


@pytest.mark.parametrize(
    "producer",
    [
        "echo run this", "echo -e 'run\\x20this'", "printf '%s %s' run this", "cat <<< 'run this'",
        "echo cnVuIHRoaXM= | base64 -d", "echo 72756e2074686973 | xxd -r -p", "echo 'siht nur' | rev",
        "echo 'eha guvf' | tr a-z n-za-m", "echo 'xrun this' | cut -c2-",
        "printf 'run this\\nno' | head -1", "echo run this | tee copy | cat", "echo run this > f; cat f",
        "yes run this | head -n 1",
        f"echo {_compressed('run this')} | base64 -d | gunzip", "(echo run this)",
        "{ echo run this; }",
    ],
)  # fmt: skip
def test_text_that_is_put_together_is_seen_as_it_runs(producer: str) -> None:
    for line in (f"{{ {producer}; }} | sh", f'eval "$( {producer})"', f"bash <({producer})"):
        assert ["run", "this"] in _started(line), line


@pytest.mark.parametrize(
    "line",
    [
        "sudo -n -u root -- run this", "env -i A=b run this", "env -S 'run this'",
        "timeout -k 5 10s run this", "nice -n 5 ionice -c3 run this", "nohup setsid run this",
        "stdbuf -oL run this", "command -p run this", "exec -a x run this", "xargs run <<< this",
        "echo this | xargs -I{} run {}", "printf 'this\\0' | xargs -0 run", "find . -exec run this \\;",
        "find . -exec run this {} +", "flock f -c 'run this'", "su root -c 'run this'",
        "trap 'run this' EXIT", "alias a='run this'", "echo '0 0 * * * run this' | crontab -",
        "at now <<< 'run this'", "watch -n1 run this", "script -qc 'run this'", "uv run run this",
        "bash -c '\"$@\"' _ run this", "bash -c 'run $1' _ this", "sh <<E\nrun this\nE",
        "source /dev/stdin <<< 'run this'", "busybox run this", "git -c alias.x='!run this' x",
        "git bisect run run this", "echo 'run this' > f; . ./f", "exec 3< <(echo run this); bash <&3",
        "echo run this > >(sh)", "tee >(sh) <<< 'run this'", "coproc run this", "x=run; $x this",
        "$(echo run) this", "declare -n r=x; x=this; run $r",
    ],
)  # fmt: skip
def test_what_is_started_in_the_end(line: str) -> None:
    assert any(argv[:2] == ["run", "this"] for argv in _started(line))


def test_names_of_files_flow_through_pipes() -> None:
    assert _last("find src -name '*.py' | sort | xargs rm") == ["rm", "src/*.py"]
    assert _last("find src | sort | xargs rm") == ["rm", "src/*"]
    assert _last("cat list | xargs rm") == ["rm", UNKNOWN]
    assert _last("ls / | grep x | xargs -I{} rm {}")[0] == "rm"
