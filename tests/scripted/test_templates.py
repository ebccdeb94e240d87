"""Templates: what each expression gives, and how a wrong one is told."""

from __future__ import annotations

from typing import Any

import pytest

from roocode.protocol.messages import Message, Text, ToolCall, ToolResult
from roocode.protocol.team import Task
from roocode.scripted.asked import Asked, Sender
from roocode.scripted.scope import RequestScope
from roocode.scripted.templates import TemplateError, check, render

ASKED = Asked(
    sender=Sender("lead", "t1", "s1"),
    model="m",
    system="",
    messages=(
        Message("user", (Text("Go on."),)),
        Message("assistant", (ToolCall("a", "TaskCreate", {}), ToolCall("b", "TaskCreate", {}))),
        Message("user", (ToolResult("a", "Task 7: one"), ToolResult("b", "Task 8: two"))),
        Message("assistant", (ToolCall("c", "Bash", {}),)),
        Message("user", (ToolResult("c", "3 passed"), Text("You have mail."))),
    ),
)
SCOPE = RequestScope(ASKED, 4, lambda: (Task("5", "Move it"),))


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("plain", "plain"),
        ("{{ agent }}/{{team}}/{{ session }}", "lead/t1/s1"),
        ("f{{ play }}.txt", "f4.txt"),
        ("{{ play }}", 4),
        ("{{ turn }}", 2),
        ("{{ '12' | int }}", 12),
        ("{{ last.text }}", "You have mail."),
        ("{{ first.text }}", "Go on."),
        ("{{ result.0 }}", "3 passed"),
        ("{{ result.Bash }}", "3 passed"),
        ("{{ results.TaskCreate.1 }}", "Task 8: two"),
        ("{{ results.2 }}", "3 passed"),
        (r"{{ regex('(\d) passed', 1) }}", "3"),
        (r"{{ regex('\d passed') }}", "3 passed"),
        (r"{{ regex('Task (\d+):', 1, results.TaskCreate.1) | int }}", 8),
        ("{{ task('Move it') }}", "5"),
        ('{{ task("Move it") }}', "5"),
        ("{{ last.text | json }}", '"You have mail."'),
        ("a {{ '{{' }} b }}", "a {{ b }}"),
        ({"deep": [{"id": "{{ task('Move it') }}"}, 1, None]}, {"deep": [{"id": "5"}, 1, None]}),
    ],
)
def test_a_template_gives_its_value(template: Any, value: Any) -> None:
    check(template)
    assert render(template, SCOPE) == value


@pytest.mark.parametrize(
    ("template", "complaint"),
    [
        ("{{ nobody }}", "nobody is not known"),
        ("{{ result.1 }}", "no result.1 among 1 results"),
        ("{{ result.ReadFile }}", "no result.ReadFile among 0 results"),
        ("{{ regex('no such') }}", "'no such' does not match '3 passed"),
        ("{{ regex('3', 2) }}", "no such group"),
        ("{{ regex('(') }}", "unterminated subpattern"),
        ("{{ task('Other') }}", "no task with the subject 'Other'"),
        ("{{ open('/etc/passwd') }}", "is not known"),
        ("{{ last.text | int }}", "is not a whole number"),
    ],
)
def test_a_value_that_is_missing_is_named(template: str, complaint: str) -> None:
    check(template)
    with pytest.raises(TemplateError, match=complaint.replace("(", r"\(").replace("|", r"\|")):
        render(template, SCOPE)


@pytest.mark.parametrize(
    "template",
    [
        "{{ }}",
        "{{ a b }}",
        "{{ a. }}",
        "{{ a | nofilter }}",
        "{{ a | }}",
        "{{ f(1 2) }}",
        "{{ f( }}",
        "{{ a + b }}",
    ],
)
def test_a_template_that_cannot_be_read_is_refused_at_once(template: str) -> None:
    with pytest.raises(TemplateError, match="template"):
        check(["x", {"y": template}])
