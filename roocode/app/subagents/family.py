"""A parent with its sub-agents: what the entries of the application use of all this."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, get_args

from roocode.app.subagents.found import Definitions
from roocode.app.subagents.parentage import Parentage
from roocode.engine.loop.agent import Agent, Step
from roocode.engine.loop.current_call import CURRENT_CALL
from roocode.engine.subagents.agents import SubAgents, Terms, is_id
from roocode.engine.subagents.arrivals import Arrivals
from roocode.engine.subagents.definition import AgentDefinition
from roocode.engine.subagents.desk import TASKS, Desk
from roocode.engine.subagents.outcome import FORK, Outcome, Profile, Status
from roocode.engine.subagents.ports import Child, Order
from roocode.engine.subagents.roster import Roster
from roocode.engine.subagents.tools import (
    agent,
    send_message,
    task_create,
    task_get,
    task_list,
    task_stop,
    task_update,
)
from roocode.engine.subagents.worker import Worker
from roocode.memory.sessions.log import records
from roocode.protocol.errors import ModelError
from roocode.protocol.events import PromptAdded
from roocode.protocol.messages import Message
from roocode.protocol.models import ModelClient
from roocode.protocol.tools import Tool

if TYPE_CHECKING:
    from roocode.app.subagents.outfit import Outfitter
    from roocode.tools.mcp.servers import Servers


class Family:
    """The sub-agents of one parent, its tools for them, and its steps."""

    def __init__(
        self, parent: Parentage, definitions: Definitions, terms: Terms, *, resumed: bool = False
    ) -> None:
        self.parent = parent
        self.definitions = definitions

        def told(message: Message) -> None:
            parent.emit(PromptAdded(agent=parent.name, parent=None, message=message))

        self.arrivals = Arrivals(parent.conversation, told)
        self._outfitter = _WhenNeeded(parent, self._own_tools)
        self.agents = SubAgents(
            parent.name, self._outfitter, self.arrivals, parent.conversation, parent.emit, terms
        )
        past = tuple(records(parent.conversation.path)) if resumed else ()
        self._desk = Desk(self.agents, parent.conversation, parent.hands.shells, _tasks(past))
        self.agents.recall(self._remembered(past))

    def tools(self) -> tuple[Tool, ...]:
        """All that a parent outside a team has for this."""
        return (
            self.agent_tool(),
            send_message.build(self.agents, self.parent.name),
            task_create.build(self._desk),
            task_get.build(self._desk),
            task_list.build(self._desk),
            task_stop.build(self._desk),
            task_update.build(self._desk, self.parent.name),
        )

    def agent_tool(self) -> Tool:
        """Agent alone, for a member of a team: its other tools are the team's."""
        return agent.build(self.agents, self.definitions.named)

    def roster(self) -> Step:
        """Tells the parent which agents there are."""
        return Roster(self.parent.conversation, self.definitions.usable)

    def steps(self) -> tuple[Step, ...]:
        """The parent's steps before each request."""
        return (self.arrivals,)

    def waiting(self) -> Step:
        """The step of a parent that nobody wakes: its run does not end before its sub-agents."""
        return self.agents.waiting(self.parent.options.max_seconds)

    async def run(
        self,
        definition: AgentDefinition,
        prompt: str,
        *,
        tools: tuple[Tool, ...] = (),
        unhooked: bool = False,
    ) -> Outcome:
        """Runs a blank agent that this process needs, in front and to its end: for skills and hooks.

        `definition` may be made for the occasion: its tools, model, effort and mode hold as a file's do.
        `tools` are further ones, and hooks leave one alone that is `unhooked`. Raises RooCodeError where it
        cannot begin.
        """
        return await self.agents.run(
            definition, prompt, tools=tools, unhooked=unhooked, call=CURRENT_CALL.get()
        )

    def attach(self, parent: Agent, client: ModelClient, servers: Servers | None) -> None:
        """The parent is there, with its client and servers: from now on it can have sub-agents."""
        self.parent.agent, self.parent.client, self.parent.servers = parent, client, servers

    async def close(self) -> None:
        """Ends them."""
        await self.agents.close()
        await self._outfitter.close()

    def _own_tools(self, label: str) -> tuple[Tool, ...]:
        """A sub-agent's own of those tools of its parent's that say who calls."""
        return send_message.build(self.agents, label), task_update.build(self._desk, label)

    def _remembered(
        self, past: tuple[Mapping[str, Any] | None, ...]
    ) -> Iterator[tuple[Worker, Outcome | None, bool]]:
        found: dict[str, dict[str, Any]] = {}
        for record in past:
            if record is None or record.get("type") != "subagent" or not is_id(record.get("id")):
                continue
            known = found.setdefault(record["id"], {})
            event = record.get("event")
            known |= {key: value for key, value in record.items() if key not in ("type", "at", "event")}
            known["told"] = event == "told" or (known.get("told", False) and event != "started")
            if event == "started":
                known.pop("status", None)
        for known in found.values():
            yield self._worker(known), _reached(known), bool(known["told"])

    def _worker(self, known: Mapping[str, Any]) -> Worker:
        """One of an earlier life; a definition that is gone leaves it without a way to go on."""
        text = {key: str(known.get(key, "")) for key in ("id", "label", "kind", "description", "call")}
        definition = None
        if text["kind"] != FORK:
            try:
                definition = self.definitions.named(text["kind"])
            except ModelError:
                definition = None
        profile = Profile(**text)
        order = Order(
            "",
            profile.description,
            definition,
            in_background=True,
            in_worktree=bool(known.get("worktree")),
            stays=known.get("stays") is True,
        )
        return Worker(profile, order, in_background=True)


class _WhenNeeded:
    """Implements `Builder` by one that is made for the first sub-agent: few sessions have any."""

    def __init__(self, parent: Parentage, own_tools: Callable[[str], tuple[Tool, ...]]) -> None:
        self._parent = parent
        self._own_tools = own_tools
        self._made: Outfitter | None = None

    async def begin(self, profile: Profile, order: Order) -> Child:
        """A new agent."""
        return await self._outfitter().begin(profile, order)

    async def again(self, profile: Profile, order: Order, message: Message) -> Child:
        """One that had ended."""
        return await self._outfitter().again(profile, order, message)

    def last_words(self, profile: Profile) -> str:
        """The last text in an agent's transcript."""
        return self._outfitter().last_words(profile)

    async def close(self) -> None:
        """Closes what was opened."""
        if self._made is not None:
            await self._made.close()

    def _outfitter(self) -> Outfitter:
        from roocode.app.subagents.outfit import Outfitter

        if self._made is None:
            self._made = Outfitter(self._parent, self._own_tools)
        return self._made


def _reached(known: Mapping[str, Any]) -> Outcome | None:
    status = next((each for each in get_args(Status) if each == known.get("status")), None)
    if status is None:
        return None
    return Outcome(status, reason=str(known.get("reason", "")), place=str(known.get("place", "")))


def _tasks(past: tuple[Mapping[str, Any] | None, ...]) -> tuple[Mapping[str, Any], ...]:
    """The list as it was kept last, where it can be read."""
    for record in reversed(past):
        items = record.get("items") if record is not None and record.get("type") == TASKS else None
        if isinstance(items, list) and all(isinstance(each, dict) for each in items):
            return tuple(items)
    return ()
