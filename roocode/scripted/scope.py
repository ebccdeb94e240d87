"""The names that a step's templates know, taken from the request that is answered."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from roocode.protocol.frozen import frozen
from roocode.protocol.messages import ToolCall, ToolResult
from roocode.protocol.team import Task
from roocode.scripted.asked import Asked, spoken
from roocode.scripted.templates import TemplateError, Value


@frozen
class RequestScope:
    """Implements `Scope`. `play` counts how often the step was played before, `turn` the model's answers.

    Paths: agent team session play turn · last.text first.text (the words beside results) · result.0 or
    result.Bash or result.Bash.1 (of the last message) · results.TaskCreate.0 (of the whole conversation).
    Functions: regex(pattern, group = 0, text = all that the last message says) · task(subject), its id.
    """

    asked: Asked
    play: int
    tasks: Callable[[], Sequence[Task]]

    def path(self, parts: tuple[str, ...]) -> Value:
        sender = self.asked.sender
        match parts:
            case ("agent",):
                return sender.agent
            case ("team",):
                return sender.team
            case ("session",):
                return sender.session
            case ("play",):
                return self.play
            case ("turn",):
                return len(self.asked.answers)
            case ("last", "text"):
                return self.asked.last.text
            case ("first", "text") if self.asked.messages:
                return self.asked.messages[0].text
            case ("result", *which):
                return _pick(parts, list(self.asked.last_results()), which)
            case ("results", *which):
                return _pick(parts, list(self.asked.results()), which)
            case _:
                raise TemplateError(f"template: {'.'.join(parts)} is not known")

    def function(self, name: str, arguments: tuple[Value, ...]) -> Value:
        match name, arguments:
            case "regex", (str() as pattern,):
                return self._regex(pattern, 0, spoken(self.asked.last))
            case "regex", (str() as pattern, int() as group):
                return self._regex(pattern, group, spoken(self.asked.last))
            case "regex", (str() as pattern, int() as group, str() as text):
                return self._regex(pattern, group, text)
            case "task", (str() as subject,):
                found = next((task.id for task in self.tasks() if task.subject == subject), None)
                if found is None:
                    raise TemplateError(f"template: there is no task with the subject {subject!r}")
                return found
            case _:
                raise TemplateError(f"template: {name}{arguments!r} is not known: regex and task are")

    def _regex(self, pattern: str, group: int, text: str) -> str:
        try:
            found = re.search(pattern, text)
            if found is None:
                raise TemplateError(f"template: {pattern!r} does not match {text[:400]!r}")
            return found[group] or ""
        except (re.error, IndexError) as error:
            raise TemplateError(f"template: regex({pattern!r}, {group}): {error}") from error


def _pick(parts: tuple[str, ...], results: list[tuple[ToolCall | None, ToolResult]], which: list[str]) -> str:
    """The result with a tool's name, a number, or both."""
    if which and not which[0].isdigit():
        results = [item for item in results if item[0] is not None and item[0].name == which[0]]
        which = which[1:] or ["0"]
    if len(which) != 1 or not which[0].isdigit() or int(which[0]) >= len(results):
        raise TemplateError(f"template: there is no {'.'.join(parts)} among {len(results)} results")
    return results[int(which[0])][1].content
