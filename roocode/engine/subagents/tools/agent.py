"""Agent: a sub-agent for a piece of work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from roocode.engine.loop.current_call import CURRENT_CALL
from roocode.engine.subagents.agents import SubAgents
from roocode.engine.subagents.definition import AgentDefinition, with_call
from roocode.engine.subagents.outcome import FORK, Outcome
from roocode.engine.subagents.ports import Order
from roocode.engine.subagents.worker import Worker
from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool, ToolOutcome, Touches
from roocode.tools.schema import Input, Limit
from roocode.tools.typed_tool import Action, make_tool


@frozen
class AgentInput(Input):
    """What Agent takes."""

    prompt: Annotated[str, Limit(min_length=1)]
    """The task, whole."""
    description: Annotated[str, Limit(min_length=1)]
    """The task in three to six words."""
    subagent_type: str | None = None
    """Which kind of agent; without it a fork of you."""
    model: str | None = None
    """Another model than the kind's own: an alias or provider/model-id. Not for a fork."""
    run_in_background: bool = False
    """Go on at once. A fork always does."""
    name: str | None = None
    """A short name to speak to it by, such as `parser`."""
    isolation: Literal["worktree"] | None = None
    """Give it a git worktree and a branch of its own."""


class Agent(Action[AgentInput]):
    """Starts sub-agents. `named` finds a kind, and raises ModelError."""

    def __init__(self, agents: SubAgents, named: Callable[[str], AgentDefinition]) -> None:
        self._agents = agents
        self._named = named

    def objection(self, given: AgentInput) -> str:
        """What cannot go together."""
        if given.model and not given.subagent_type:
            return "model: a fork has its parent's model; name a subagent_type, or leave model out"
        return ""

    def touches(self, given: AgentInput) -> Touches:
        """Nothing itself: each call of the agent is judged on its own."""
        return Touches()

    def runs_alongside(self, given: AgentInput) -> bool:
        """Agents of one answer work beside each other."""
        return True

    def preview(self, given: AgentInput) -> str:
        """Who is to do what."""
        return f"{given.subagent_type or FORK}: {given.description}\n\n{given.prompt}"

    async def run(self, given: AgentInput) -> ToolOutcome:
        """The agent's last words, or that it works in the background."""
        worker = await self._agents.start(self._order(given))
        reached = None if worker.in_background else await self._agents.in_front(worker)
        return _launched(worker) if reached is None else _result(worker, reached)

    def _order(self, given: AgentInput) -> Order:
        definition = self._named(given.subagent_type) if given.subagent_type else None
        isolated, behind = given.isolation is not None, given.run_in_background
        if definition is not None:
            definition = with_call(definition, model=given.model, background=behind, in_worktree=isolated)
            isolated = definition.in_worktree
            behind = behind or (definition.background and not self._agents.terms.synchronous)
        return Order(
            prompt=given.prompt,
            description=given.description,
            definition=definition,
            name=(given.name or "").strip(),
            in_background=behind or definition is None,
            in_worktree=isolated,
            call=CURRENT_CALL.get(),
        )


def _launched(worker: Worker) -> ToolOutcome:
    profile = worker.profile
    known = f"{profile.id}, named {profile.label}," if profile.label != profile.id else profile.id
    return ToolOutcome(
        f"async_launched: agent {known} ({profile.kind}) works in the background.\n"
        "What it reports comes to you in a <task-notification> when it ends. Go on with other work, or end "
        f"your answer: do not wait or look for it. TaskGet {profile.id} shows how it stands, SendMessage "
        "speaks to it, TaskStop ends it."
    )


def _result(worker: Worker, reached: Outcome) -> ToolOutcome:
    status = (
        "" if reached.status == "completed" else f"The agent {worker.profile.label} ended: {reached.status}."
    )
    label = worker.profile.label
    parts = [status, reached.text, reached.reason, reached.place]
    tail = f"agent {label} {reached.figures}".strip()
    text = "\n\n".join([*(part for part in parts if part), tail])
    return ToolOutcome(text, is_error=reached.is_failure)


def build(agents: SubAgents, named: Callable[[str], AgentDefinition]) -> Tool:
    """Agent."""
    return make_tool(__name__, AgentInput, Agent(agents, named))
