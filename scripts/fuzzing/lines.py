"""Lines to try: of the shape of Bash, and the corpora's lines cut, joined and changed."""

from __future__ import annotations

import json
import os
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.security.bash_cases import cases
from tests.security.bash_lines import harmless_words

_ROOT = Path(__file__).resolve().parent.parent.parent
_SHARED = Path(os.environ.get("ROOCODE_SHARED", _ROOT.parent / "shared"))
_REAL = _SHARED / "corpus" / "bash" / "commands.jsonl"
_PIECES = (
    "$(", "`", ")", '"', "'", "\\", "\n", ";", "&&", "|", "<<EOF\n", "\nEOF\n", "{", "}", "${", "$((",
    "))", "[[", "]]", "case ", " esac", " in ", "for ", " do ", " done", "if ", " then ", " fi", "<(",
    ">(", "<<<", "2>&1", "#", "!", "()", "\0", "\u200b", "\u202e", "a=", "=(", "~", "*", "?", "[", "]",
    "$x", "${x:-", "%", "time ", "coproc ", "\ud800", "é", "\r", "\x1b[", "&>", ";;", "@(", "$'", '$"',
    "eval ", "rm -rf /", "sh -c ", "\\\n", "{a,b}", "{1..9}", "xargs ", "sudo ", "find . -exec ", "|&",
    ">|", "<>", "function f ", "declare -n ",
)  # fmt: skip
_PROGRAMS = (
    "ls", "cat", "rm", "echo", "printf", "git", "sed", "awk", "find", "xargs", "bash", "eval", "sudo",
    "env", "test", "[", "read", "set", "export", "cd", "tar", "jq", "python3", "curl", "dd", "$x", "f",
    "kill", "tee",
)  # fmt: skip
_ARGUMENTS = (
    "/", "~", "-rf", "-c", "-e", "-n", "--", "a.txt", "src", ".env", "../x", "*", "*.py", "$x", '"$x"',
    "$HOME", "{}", "\\;", "push", "-f", "origin", "main", "'s/a/b/e'", "'{print $1}'", "-exec", "-o",
    "of=/dev/sda", "https://x.example", "'rm -rf /'", "]", "-v", "x=1",
)  # fmt: skip


def known_lines() -> list[str]:
    """The lines of the corpora, those that agents really ran included where they are here."""
    lines = [case["cmd"] for case in cases()]
    if _REAL.exists():
        lines += [json.loads(line)["cmd"] for line in _REAL.read_text(encoding="utf-8").splitlines()]
    return lines


def _simple() -> SearchStrategy[str]:
    words = st.lists(st.sampled_from(_ARGUMENTS) | harmless_words, max_size=4).map(" ".join)
    settings = st.sampled_from(["", "", "", "x=/ ", "A=b ", "x=rm "])
    targets = st.sampled_from(["", "", "", " > out", " < a.txt", " 2>&1", " <<< 'rm -rf /'", " >> ~/.bashrc"])
    return st.builds("{}{} {}{}".format, settings, st.sampled_from(_PROGRAMS), words, targets)


def _nested(inner: SearchStrategy[str]) -> SearchStrategy[str]:
    joined = st.builds(
        "{} {} {}".format, inner, st.sampled_from(["&&", "||", ";", "|", "&", "|&", "\n"]), inner
    )
    around = st.sampled_from(
        [
            "({})", "{{ {}; }}", "if {}; then ls; fi", "while {}; do ls; done",
            "for x in a /; do {}; done", "f() {{ {}; }}; f /", "echo $({})", "x=$({}); $x", "cat <({})",
            "bash <<E\n{}\nE", "! {}", "time {}", "case x in x) {};; esac", "tee >({})", "trap '{}' EXIT",
            "eval {}", "coproc {}", "cd / && {}", "until {}; do :; done", "select x in a; do {}; done",
            "cat <<E\n$({})\nE", "{} &",
        ]
    )  # fmt: skip
    return joined | st.builds(lambda shape, line: shape.format(line), around, inner)


shaped = st.recursive(_simple(), _nested, max_leaves=6)
"""Lines of the shape of Bash."""


@st.composite
def changed(draw: st.DrawFn, lines: tuple[str, ...]) -> str:
    """A known line that was cut, repeated, joined with another one, or had pieces put in."""
    line = draw(st.sampled_from(lines))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(line)))
        end = min(len(line), start + draw(st.integers(0, 12)))
        match draw(st.integers(0, 4)):
            case 0:
                line = line[:start] + line[end:]
            case 1:
                line = line[:end] + line[start:]
            case 2:
                line = line[:start] + draw(st.sampled_from(lines)) + line[start:]
            case 3:
                line = line[:start] + line[start:end] * draw(st.sampled_from([5, 60, 600])) + line[end:]
            case _:
                line = line[:start] + draw(st.sampled_from(_PIECES)) + line[end:]
    return line
