"""Puts sub-agents together: the loop with another conversation, other limits, and less to call."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from roocode.app import assemble, moment, prompts
from roocode.app.approvers import EventRecorder
from roocode.app.mcp.hosting import join
from roocode.app.options import AgentOptions
from roocode.app.skilled import Skilled
from roocode.app.subagents.child import Running
from roocode.app.subagents.clients import Clients
from roocode.app.subagents.confines import Confines, in_words, shared_names
from roocode.app.subagents.ground import Common, Ground, isolated
from roocode.app.subagents.parentage import PERSONAL, Parentage
from roocode.engine import prompts as texts
from roocode.engine.loop.agent import Steps
from roocode.engine.loop.briefing import Briefing
from roocode.engine.loop.steering import Steering
from roocode.engine.loop.turn import prompt_of
from roocode.engine.subagents import filters
from roocode.engine.subagents.definition import AgentDefinition
from roocode.engine.subagents.forking import forked
from roocode.engine.subagents.outcome import FORK, Profile
from roocode.engine.subagents.ports import Order
from roocode.memory.compaction.spill import spilled
from roocode.memory.sessions.conversation import Conversation
from roocode.memory.sessions.log import Header
from roocode.memory.sessions.replay import replay
from roocode.protocol.errors import ModelError, RooCodeError
from roocode.protocol.events import Notice, PromptAdded
from roocode.protocol.messages import Message, reminder
from roocode.protocol.tools import Tool, Workspace
from roocode.security.permissions.policy import Policy
from roocode.tools.todos import to_json

if TYPE_CHECKING:
    from roocode.app.discovery import Discovery
    from roocode.app.hooking import Hooking

A_FORK = AgentDefinition(FORK, "", "", background=True, custom=False)
OwnTools = Callable[[str], tuple[Tool, ...]]


class Outfitter:
    """Implements `Builder` for one parent. `own_tools` are those that each agent has for itself, by label."""

    def __init__(self, parent: Parentage, own_tools: OwnTools) -> None:
        self._parent = parent
        self._own_tools = own_tools
        self._clients = Clients(parent)

    async def close(self) -> None:
        """Closes the connections that were made for sub-agents."""
        await self._clients.close()

    async def begin(self, profile: Profile, order: Order) -> Running:
        """A new agent. What a fork inherits is read before anything is waited for. Raises RooCodeError."""
        parent = self._parent
        inherited = parent.conversation.messages() if order.definition is None else ()
        measured = parent.conversation.measured
        if order.definition is not None:
            self._clients.model(order.definition)  # what it raises leaves nothing behind
        ground = await self._ground(profile, order)
        definition = order.definition or A_FORK
        if order.definition is not None:
            conversation = self._open(profile, self._system(definition, ground.root))
            first = self._first(order, ground)
            return self._put_together(profile, order, definition, conversation, ground, first)
        conversation = self._open(profile, parent.present.brain.system)
        for message in forked(inherited, self._directive(order, ground)):
            conversation.add_prompt(message)
        conversation.measured = measured
        conversation.note("todos", items=to_json(parent.hands.todos.items))
        conversation.todos = tuple(to_json(parent.hands.todos.items))
        sent = {spec.name for spec in parent.present.tools.sent}
        discovered = {name: of for name, of in parent.conversation.discovered.items() if name in sent}
        conversation.note("discovered", tools=discovered)
        conversation.discovered = discovered
        return self._put_together(profile, order, definition, conversation, ground, None)

    async def again(self, profile: Profile, order: Order, message: Message) -> Running:
        """One that had ended, with its transcript and new words. Raises RooCodeError."""
        if order.definition is None and profile.kind != FORK:
            raise ModelError(f"{profile.label} cannot go on: there is no agent {profile.kind!r} any more.")
        ground = await self._ground(profile, order)
        conversation, _ = Conversation.resume(self._path(profile), self._parent.mask)
        definition = order.definition or A_FORK
        return self._put_together(profile, order, definition, conversation, ground, message)

    def last_words(self, profile: Profile) -> str:
        """The last text that it wrote; empty where nothing can be read."""
        with suppress(RooCodeError, OSError):
            for message in reversed(replay(self._path(profile)).messages):
                if message.role == "assistant" and message.text:
                    return message.text
        return ""

    def _put_together(
        self,
        profile: Profile,
        order: Order,
        definition: AgentDefinition,
        conversation: Conversation,
        ground: Ground,
        first: Message | None,
    ) -> Running:
        parent, label, is_fork = self._parent, profile.label, order.definition is None
        options = replace(self._options(definition, is_fork=is_fork), system=conversation.header.system)
        own = (spilled(conversation.path), *((spilled(parent.conversation.path),) if is_fork else ()))
        seen = parent.hands.seen.copy() if is_fork else None
        skilled = Skilled(parent.places, ground.root, conversation, parent.trusted)
        discovery = assemble.discovery_of(options, conversation, inherits=is_fork)
        hands = assemble.hands(
            options,
            ground.root,
            label,
            parent.env,
            assemble.Means(notes=parent.notes, further=discovery, skills=skilled.loader, seen=seen),
            (*own, *skilled.open_paths),
        )
        made = (*hands.tools, *self._own_tools(label))
        confines = Confines(
            parent,
            definition,
            label,
            own=[tool.spec.name for tool in made],
            is_fork=is_fork,
            in_background=order.in_background,
        )
        hooking = self._hooking(profile, order, hands.workspace, conversation, lambda: toolset.policy)
        emit = hooking.emitter(parent.emit) if hooking is not None else parent.emit
        toolset = parent.present.tools.for_another(
            made,
            policy=confines.policy(),
            workspace=hands.workspace,
            approver=hooking.approver(parent.approver) if hooking is not None else parent.approver,
            recorder=EventRecorder(label, parent.name, conversation, emit),
            keeper=None if ground.branch else parent.keeper,
            hooks=hooking.calls if hooking is not None else None,
            without=None if is_fork else confines.lacks,
        )
        toolset.take_in(order.tools)
        toolset.offer(tool.spec.name for tool in order.tools)
        skilled.settle(toolset, hands.shells)
        tell = self._teller(label)
        further = () if discovery is None else (discovery.begun(toolset, parent.emit, label, parent.name),)
        left = self._joined(discovery, hands, None if is_fork else confines.lacks, tell)
        confines.hold(toolset, lambda text: conversation.add_prompt(Message("user", (reminder(text),))))
        told = lambda message: parent.emit(PromptAdded(agent=label, parent=parent.name, message=message))  # noqa: E731
        steering = Steering(conversation, told)
        agent = assemble.agent(
            label,
            options,
            toolset,
            conversation,
            self._clients.of(options, definition, label, is_fork=is_fork),
            emit,
            parent=parent.name,
            team=parent.team,
            steps=(skilled.released_by(steering), confines),
            briefing=Steps((skilled.briefed(self._briefing(conversation, ground.root), tell), *further)),
            todos=hands.todos,
            bound=parent.bound,
            hooking=hooking,
            pinned=skilled.running.pinned,
            before_end=(skilled.released_by(steering),),
        )
        skilled.running.window = agent.brain.info.window
        if first is not None:
            skilled.running.release()
        return Running(
            agent, conversation, hands, ground, steering, first, confines.to_background,
            f"{label}: {profile.description}", left, hooking,
        )  # fmt: skip

    def _teller(self, label: str) -> Callable[[str], None]:
        parent = self._parent
        return lambda text: parent.emit(Notice(agent=label, parent=parent.name, text=text, level="warning"))

    def _hooking(
        self,
        profile: Profile,
        order: Order,
        workspace: Workspace,
        conversation: Conversation,
        policy: Callable[[], Policy],
    ) -> Hooking | None:
        hooking = None if order.unhooked else self._parent.hooking
        return hooking and hooking.of_agent(workspace, profile.kind, conversation, policy)

    def _joined(
        self,
        discovery: Discovery | None,
        hands: assemble.Hands,
        lacks: Callable[[str], bool] | None,
        tell: Callable[[str], None],
    ) -> Callable[[], None]:
        """Lets it have its parent's servers; what is returned ends that."""
        servers = self._parent.servers
        if servers is None or discovery is None:
            return lambda: None
        return join(servers, discovery, hands, lambda name: lacks is None or not lacks(name), tell)

    def _options(self, definition: AgentDefinition, *, is_fork: bool) -> AgentOptions:
        """Forks are asked as their parent is; others think only where their definition says so."""
        options = self._parent.options
        if is_fork:
            return replace(options, max_turns=definition.max_turns or options.max_turns)
        return replace(
            options,
            model=self._clients.model(definition),
            max_turns=definition.max_turns or options.max_turns,
            effort=definition.effort or self._clients.no_effort(definition),
            fallbacks=(*options.fallbacks, options.model),
        )

    async def _ground(self, profile: Profile, order: Order) -> Ground:
        if not order.in_worktree:
            return Common(self._parent.root)
        return await isolated(self._parent.root, profile.id, self._parent.env)

    def _open(self, profile: Profile, system: str) -> Conversation:
        parent = self._parent.conversation.header
        header = Header(
            id=parent.id,
            cwd=parent.cwd,
            model=parent.model,
            mode=self._parent.present.tools.policy.mode,
            system=system,
            agent=profile.label,
            name=profile.id,
        )
        return Conversation.create(self._path(profile), header, self._parent.mask)

    def _path(self, profile: Profile) -> Path:
        return self._parent.folder / f"{profile.id}.jsonl"

    def _system(self, definition: AgentDefinition, root: Path) -> str:
        return prompts.subagent(root, definition.prompt)

    def _first(self, order: Order, ground: Ground) -> Message:
        mode = self._parent.present.tools.policy.mode
        return prompt_of(order.prompt, *moment.reminders(ground.root, mode), self._place(ground))

    def _directive(self, order: Order, ground: Ground) -> str:
        own = [name for name in PERSONAL if self._parent.present.tools.knows(name)]
        names = filters.allowed(shared_names(self._parent, own), A_FORK, background=True)
        place = self._place(ground)
        return texts.text("fork").format(
            tools=in_words(names, self._parent), task=order.prompt, place=f"\n- {place}" if place else ""
        )

    def _place(self, ground: Ground) -> str:
        if not ground.branch:
            return ""
        return texts.text("own_worktree").format(
            root=ground.root, branch=ground.branch, base=self._parent.root
        )

    def _briefing(self, conversation: Conversation, root: Path) -> Briefing:
        parent = self._parent
        notes = parent.notes.told if parent.notes is not None else str
        return Briefing(conversation, root, Path(parent.options.state), notes)
