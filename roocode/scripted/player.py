"""Chooses the step that answers a request, and turns it into an answer."""

from __future__ import annotations

import fnmatch
import hashlib
from collections.abc import Callable, Iterator, Sequence

from roocode.protocol.frozen import frozen
from roocode.protocol.messages import StopReason, Usage
from roocode.protocol.team import Task
from roocode.scripted import answer as answers
from roocode.scripted import templates
from roocode.scripted.answer import Answer, Call
from roocode.scripted.asked import Asked, spoken
from roocode.scripted.conditions import why_not
from roocode.scripted.progress import Journal, Part, Play, Progress
from roocode.scripted.scenario import Scenario, Step
from roocode.scripted.scope import RequestScope

_MOST_TRIES = 20


class Unexpected(Exception):
    """A request that the scenario has no answer for; says which step was expected and why it did not fit."""


@frozen
class Cue:
    """The step that answers a request."""

    part: Part
    play: Play

    @property
    def step(self) -> Step:
        """The step itself."""
        return self.part.step


class Player:
    """Plays a scenario. `tasks` gives a team's tasks as they stand at the call."""

    def __init__(self, scenario: Scenario, tasks: Callable[[str], Sequence[Task]]) -> None:
        self._scripts = {name: tuple(_parts(steps)) for name, steps in scenario.agents.items()}
        self._chunk = scenario.chunk
        self._tasks = tasks
        self._journal = Journal()
        self._agents: dict[str, set[str]] = {name: set() for name in scenario.agents}

    def choose(self, asked: Asked) -> Cue:
        """The first step that fits, from top to bottom. Raises Unexpected."""
        progress = self._journal.follow(asked)
        reasons = []
        for part in _open(self._script(asked), progress):
            reason = why_not(part.step.when, asked, lambda: self._tasks(asked.sender.team))
            play = progress.next_play(part)
            if not reason and progress.tries[play] >= _MOST_TRIES and not part.step.always:
                reason = f"played {_MOST_TRIES} times and never seen in the conversation: is it to be `once`?"
            if not reason:
                return Cue(part, play)
            reasons.append(f"{part.label}: {reason}")
        raise Unexpected(_explanation(asked, reasons))

    def still_waits(self, cue: Cue, asked: Asked) -> str:
        """Why the step's answer is to be held; empty where it can leave."""
        until = cue.step.wait.until if cue.step.wait else None
        return why_not(until, asked, lambda: self._tasks(asked.sender.team))

    def answer(self, cue: Cue, asked: Asked, usage: Callable[[int], Usage]) -> Answer:
        """The step's answer, templates filled; `usage` counts with the answer's length in bytes.

        Raises Unexpected where a template has no value, or a call is one that the request forbids.
        """
        scope = RequestScope(asked, cue.play.number, lambda: self._tasks(asked.sender.team))
        step = cue.step
        try:
            text = str(templates.render(step.text or "", scope))
            thinking = str(templates.render(step.thinking or "", scope))
            calls = tuple(self._calls(cue, asked, scope))
        except templates.TemplateError as error:
            raise Unexpected(f"{asked.sender.agent} {cue.part.label}: {error}") from error
        size = len(text) + len(thinking) + sum(len(call.arguments) for call in calls)
        planned = step.usage
        return Answer(
            id=_name(asked, cue.play),
            model=asked.model,
            stop=_stop(step),
            usage=Usage(planned.input, planned.output, planned.cache_read, planned.cache_write)
            if planned
            else usage(size),
            text=text,
            thinking=thinking,
            calls=calls,
            chunk=step.chunk or self._chunk,
            interleave=step.interleave,
        )

    def sent(self, cue: Cue, asked: Asked, answer: Answer | None) -> None:
        """Notes that the step's answer leaves; None where it is an error or raw bytes."""
        self._journal.sent(asked.sender, cue.play, answer)

    def unplayed(self) -> list[str]:
        """The steps that no agent has played to the end, as `lead step 3`; rules are left out."""
        return [
            f"{name} {part.label}"
            for name, parts in self._scripts.items()
            for part in parts
            if not part.step.always
            and not any(self._journal.finished(agent, part) for agent in self._agents[name])
        ]

    def _script(self, asked: Asked) -> tuple[Part, ...]:
        agent = asked.sender.agent
        fitting = [name for name in self._scripts if name == agent]
        fitting += [name for name in self._scripts if fnmatch.fnmatchcase(agent, name)]
        if not fitting:
            known = ", ".join(self._scripts) or "nobody"
            raise Unexpected(f"the scenario has no agent {agent!r}; it has {known}. {_last(asked)}")
        self._agents[fitting[0]].add(agent)
        return self._scripts[fitting[0]]

    def _calls(self, cue: Cue, asked: Asked, scope: RequestScope) -> Iterator[Call]:
        where = f"{asked.sender.agent} {cue.part.label}"
        for number, planned in enumerate(cue.step.calls):
            if asked.tool_choice == "none":
                raise Unexpected(
                    f"{where}: calls {planned.tool}, but the request forbids calls (tool_choice none)"
                )
            if planned.tool not in asked.offered and not planned.unoffered:
                offered = ", ".join(asked.offered) or "none"
                raise Unexpected(
                    f"{where}: calls {planned.tool}, which the request does not offer: {offered}"
                )
            text = planned.raw
            if text is None:
                text = answers.arguments(templates.render(planned.input, scope))
            if cue.step.stop == "max_tokens" and number == len(cue.step.calls) - 1:
                text = text[: len(text) // 2]
            own = str(templates.render(planned.id, scope))
            yield Call(own or f"call_{_name(asked, cue.play)}_{number}", planned.tool, text)


def _parts(steps: Sequence[Step]) -> Iterator[Part]:
    for entry, step in enumerate(steps, 1):
        if step.any_order:
            for member, inner in enumerate(step.any_order, 1):
                yield Part(entry, f"step {entry}.{member}", inner)
        else:
            yield Part(entry, f"step {entry}", step)


def _open(parts: Sequence[Part], progress: Progress) -> Iterator[Part]:
    """The parts that may play now, top to bottom: each rule, and the first entry that is not done."""
    current: int | None = None
    for part in parts:
        if part.step.always:
            yield part
        elif current in (None, part.entry) and not progress.done(part):
            current = part.entry
            yield part


def _stop(step: Step) -> StopReason:
    return step.stop or ("tools" if step.calls else "end")


def _name(asked: Asked, play: Play) -> str:
    """Tells an answer from all others of its history: the agent, the step and the play."""
    agent = hashlib.sha256(asked.sender.agent.encode()).hexdigest()[:8]
    step = play.label.removeprefix("step ").replace(".", "-")
    return f"{agent}_{step}_{play.number}"


def _explanation(asked: Asked, reasons: Sequence[str]) -> str:
    tried = "\n".join(f"  {reason}" for reason in reasons) or "  all its steps have been played"
    return f"the scenario of {asked.sender.agent!r} has no answer here:\n{tried}\n{_last(asked)}"


def _last(asked: Asked) -> str:
    return f"The last message: {spoken(asked.last).strip()[:600]!r}"
