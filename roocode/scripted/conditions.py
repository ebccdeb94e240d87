"""Says why a condition does not hold, or nothing where it does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from roocode.protocol.team import Task
from roocode.scripted.asked import Asked, spoken
from roocode.scripted.scenario import Between, Condition, ResultIs, TaskIs

Tasks = Callable[[], Sequence[Task]]


def why_not(condition: Condition | None, asked: Asked, tasks: Tasks) -> str:
    """The first reason why a condition does not hold; empty where it does, or where there is none."""
    return "" if condition is None else next(_reasons(condition, asked, tasks), "")


def _reasons(condition: Condition, asked: Asked, tasks: Tasks) -> Iterator[str]:
    yield from _of_last_message(condition, asked)
    yield from _of_conversation(condition, asked)
    yield from _of_request(condition, asked)
    yield from _of_tasks(condition, asked, tasks)
    if condition.unless is not None and not why_not(condition.unless, asked, tasks):
        yield "unless: its condition holds"
    if condition.either:
        reasons = [why_not(one, asked, tasks) for one in condition.either]
        if all(reasons):
            yield f"either: {'; '.join(reasons)}"


def _of_last_message(condition: Condition, asked: Asked) -> Iterator[str]:
    if condition.last_role is not None:
        role = "tool" if asked.last.results else "user"
        if role != condition.last_role:
            yield f"last_role: it is {role}, not {condition.last_role}"
    if condition.last_contains or condition.last_matches:
        text = spoken(asked.last)
        yield from _missing("last_contains: the last message", condition.last_contains, text)
        if condition.last_matches and not re.search(condition.last_matches, text):
            yield f"last_matches: the last message does not match {condition.last_matches!r}"
    if condition.result is not None:
        yield from _of_result(condition.result, asked)


def _of_result(expected: ResultIs, asked: Asked) -> Iterator[str]:
    what = f"a result of {expected.tool}" if expected.tool else "a result"
    found = [result for _, result in asked.last_results(expected.tool)]
    if not found:
        yield f"result: the last message holds not {what}"
    elif not any(
        expected.error in (None, result.is_error)
        and all(word in result.content for word in expected.contains)
        for result in found
    ):
        kind = {None: "", True: ", an error,", False: ", no error,"}[expected.error]
        yield f"result: the last message holds not {what}{kind} with {list(expected.contains)}"


def _of_conversation(condition: Condition, asked: Asked) -> Iterator[str]:
    if condition.any_contains:
        text = "\n\n".join(spoken(message) for message in asked.messages)
        yield from _missing("any_contains: the conversation", condition.any_contains, text)
    if condition.first_contains:
        text = spoken(asked.messages[0]) if asked.messages else ""
        yield from _missing("first_contains: the first message", condition.first_contains, text)
    if condition.turns is not None:
        turns = len(asked.answers)
        wanted = condition.turns
        bounds = wanted if isinstance(wanted, Between) else Between(wanted, wanted)
        if turns < bounds.at_least or (bounds.at_most is not None and turns > bounds.at_most):
            yield f"turns: the model has answered {turns} times"


def _of_request(condition: Condition, asked: Asked) -> Iterator[str]:
    yield from _missing("system_contains: the system prompt", condition.system_contains, asked.system)
    for name in condition.offers:
        if name not in asked.offered:
            yield f"offers: the request does not offer {name}"
    if condition.tool_choice not in (None, asked.tool_choice):
        yield f"tool_choice: it is {asked.tool_choice}, not {condition.tool_choice}"


def _of_tasks(condition: Condition, asked: Asked, tasks: Tasks) -> Iterator[str]:
    if not (condition.tasks or condition.all_tasks or condition.claimable):
        return
    known = tasks()
    for name, wanted in condition.tasks.items():
        task = _task(name, known)
        expected = wanted if isinstance(wanted, TaskIs) else TaskIs(status=wanted)
        if task is None:
            yield f"tasks: there is no task {name!r}"
        elif expected.status not in (None, task.status) or expected.owner not in (None, task.owner):
            yield f"tasks: task {name!r} is {_state(task)}"
    if condition.all_tasks is not None:
        others = [f"{task.id} is {_state(task)}" for task in known if task.status != condition.all_tasks]
        if others or not known:
            yield f"all_tasks: {', '.join(others) or 'there are no tasks'}"
    for name in condition.claimable:
        yield from _unclaimable(name, asked.sender.agent, known)


def _unclaimable(name: str, agent: str, tasks: Sequence[Task]) -> Iterator[str]:
    task = _task(name, tasks)
    if task is None:
        yield f"claimable: there is no task {name!r}"
        return
    unfinished = [other.id for other in tasks if other.id in task.blocked_by and other.status != "completed"]
    if task.status != "pending" or task.owner not in (None, agent) or unfinished:
        blocked = f", blocked by {' '.join(unfinished)}" if unfinished else ""
        yield f"claimable: task {name!r} is {_state(task)}{blocked}"


def _task(name: str, tasks: Sequence[Task]) -> Task | None:
    """A task by id or, where no id fits, by its subject."""
    by_id = next((task for task in tasks if task.id == name), None)
    return by_id or next((task for task in tasks if task.subject == name), None)


def _state(task: Task) -> str:
    return f"{task.status} (owner {task.owner})" if task.owner else task.status


def _missing(where: str, words: Sequence[str], text: str) -> Iterator[str]:
    for word in words:
        if word not in text:
            yield f"{where} does not contain {word!r}"
