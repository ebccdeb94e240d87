"""The language of conditions: what holds, what is refused and where, and that nothing breaks the reader."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.tools.hooks.conditions import read_condition
from roocode.tools.hooks.events import EVENTS
from roocode.tools.hooks.expressions import ConditionFault, parse

FIELDS: dict[str, Any] = {
    "tool": "WriteFile",
    "path": "src/app/main.py",
    "input": {
        "path": "src/app/main.py",
        "command": "git push --force origin/x",
        "timeout": 5,
        "replace_all": False,
        "todos": [{"status": "done"}],
        "empty": "",
    },
    "agent": "main",
    "agent_type": "",
}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ('tool == "WriteFile"', True),
        ('tool == "Write"', True),
        ('tool != "Write"', False),
        ('tool == "Bash"', False),
        ('tool matches "*File"', True),
        ('tool =~ "^(Edit|Write)$"', True),
        ('path matches "**/*.py"', True),
        ('path matches "*.py"', False),
        ('path matches "src/*/main.{py,ts}"', True),
        ("path matches 'docs/**'", False),
        ('input.file_path == "src/app/main.py"', True),
        ('input.command matches "git push *"', True),
        ('input.command matches "git*origin/x"', True),
        (r'input.command =~ "\bgit\s+push\b.*--force"', True),
        ("input.timeout == 5", True),
        ('input.timeout == "5"', True),
        ("input.timeout == 5.0", True),
        ("input.replace_all == false", True),
        ("input.replace_all", False),
        ("input.command", True),
        ("input.empty", False),
        ("input.nothing", False),
        ("!input.nothing", True),
        ('input.nothing == ""', False),
        ('input.nothing != "x"', True),
        ('input.todos.0.status == "done"', True),
        ('input.todos.9.status == "done"', False),
        ('tool == "Bash" || path matches "src/**" && agent == "main"', True),
        ('(tool == "Bash" || path matches "src/**") && agent == "x"', False),
        ('!(tool == "Bash") && !agent_type', True),
        ("true", True),
        ("false || !false", True),
        ('"a" == "a"', True),
        (r'"say \"hi\"" == "say \"hi\""', True),
    ],
)
def test_what_holds(text: str, holds: bool) -> None:
    assert read_condition(text, EVENTS["pre_tool_use"]).holds(FIELDS) is holds


@pytest.mark.parametrize(
    ("text", "what", "at"),
    [
        ('tol == "x"', "pre_tool_use has no field 'tol': did you mean 'tool'?", 0),
        ('tool == "x" && prompt == "y"', "pre_tool_use has no field 'prompt'", 15),
        ('tool.name == "x"', "has no parts", 0),
        ('tool = "x"', "write ==", 5),
        ('tool == "x" & path', "write &&", 12),
        ("tool == ", "is missing before the end", 8),
        ('(tool == "x"', "a `(` that nothing closes", 0),
        ('tool == "x")', "a `)` that nothing opened", 11),
        ('tool "x"', "join tests by && or ||", 5),
        ('tool == "x', "a quote that nothing closes", 8),
        ('tool =~ "(a"', "the expression is refused", 8),
        ("tool =~ path", "needs a pattern in quotes", 8),
        ("tool matches 5", "needs a pattern in quotes", 13),
        ("", "is missing before the end", 0),
        ("$tool", "has no meaning here", 0),
        ("!" * 60 + "tool", "nested too deeply", 50),
        ("(" * 60, "nested too deeply", 50),
        ("x" * 10_001, "more than 10,000 characters", 10_000),
    ],
)
def test_what_is_refused_names_cause_and_place(text: str, what: str, at: int) -> None:
    with pytest.raises(ConditionFault) as fault:
        read_condition(text, EVENTS["pre_tool_use"])
    assert what in fault.value.what
    assert fault.value.at == at


@given(st.text(alphabet="tol=!&|()\"'\\ .x5~matches\n", max_size=40))
def test_the_reader_never_breaks_and_points_into_the_text(text: str) -> None:
    place = 0
    try:
        parse(text)
    except ConditionFault as fault:
        place = fault.at
    assert 0 <= place <= len(text)


_TESTS = st.sampled_from(
    ['tool == "Bash"', "input.command", 'path matches "**"', 'agent =~ "m"', "true", "false"]
)
_TEXTS = st.recursive(
    _TESTS,
    lambda inner: st.one_of(
        inner.map(lambda text: f"!({text})"),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]}) && ({pair[1]})"),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]} || {pair[1]})"),
    ),
    max_leaves=8,
)


@given(_TEXTS)
def test_what_is_well_formed_is_read_and_its_opposite_is_the_opposite(text: str) -> None:
    kind = EVENTS["pre_tool_use"]
    assert read_condition(f"!({text})", kind).holds(FIELDS) is not read_condition(text, kind).holds(FIELDS)
