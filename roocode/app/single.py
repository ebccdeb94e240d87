"""A single agent's session: what `roocode` and `roocode -p` have in common."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from roocode.app import assemble, moment, prompts, read_files, sessions
from roocode.app.approvers import EventRecorder, LocalRules
from roocode.app.context import context_text
from roocode.app.discovery import Discovery
from roocode.app.git_state import GitNotes, head, moved
from roocode.app.hooked import hooked
from roocode.app.mcp.found import servers_for_run
from roocode.app.mcp.hosting import equip, warn_of_failures
from roocode.app.model_notes import model_notes
from roocode.app.options import AgentOptions, options_from
from roocode.app.planning import Planning
from roocode.app.policy import rule_notes
from roocode.app.remembering import notes_of, person_keeper
from roocode.app.skilled import Skilled
from roocode.app.spending import Account, Budget, prices_of, refused
from roocode.app.undoing import Rewound, Undo, forget
from roocode.engine.loop.agent import Agent, Steps
from roocode.engine.loop.briefing import Briefing
from roocode.engine.loop.steering import Steering
from roocode.engine.loop.turn import prompt_of, run
from roocode.interaction.cli.requests import RunOptions, SessionChoice
from roocode.interaction.config.load import load_settings
from roocode.interaction.config.providers import resolve_fallbacks, resolve_model
from roocode.interaction.config.settings import Settings
from roocode.memory.compaction.spill import spilled
from roocode.memory.instructions.stack import stack
from roocode.memory.notes.store import Notes
from roocode.memory.sessions.conversation import Conversation
from roocode.memory.sessions.log import Header
from roocode.memory.sessions.replay import Replayed
from roocode.protocol.commands import RewindPart
from roocode.protocol.events import Event, Notice, PromptAdded, RunEnded, SessionStarted
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message
from roocode.protocol.models import ModelClient
from roocode.security.isolation.masking import Mask
from roocode.security.isolation.secrets import Secrets
from roocode.security.ports import Approver
from roocode.tools.services import Asker
from roocode.tools.todos import from_json

if TYPE_CHECKING:
    from roocode.app.hooking import Hooking
    from roocode.tools.mcp.servers import Servers


@dataclass(slots=True)
class Single:
    """An open session. `notes` are what the person should know before it starts.

    `discovery` takes the further tools as they arrive, where some are to come.
    """

    settings: Settings
    agent: Agent
    hands: assemble.Hands
    conversation: Conversation
    client: ModelClient
    steering: Steering
    remembered: Notes
    planning: Planning
    undo: Undo
    skilled: Skilled
    notes: tuple[str, ...]
    environ: Mapping[str, str]
    git: GitNotes
    account: Account
    since: str = ""
    discovery: Discovery | None = None
    hooking: Hooking | None = None
    servers: Servers | None = None
    resumed: bool = False

    async def begin(self, *, wait_s: float = 0.0) -> None:
        """Starts its MCP servers, gives their first tries up to `wait_s` seconds, and tells of the start."""
        if self.servers is not None:
            self.servers.start()
            await self.servers.settled(wait_s)
        self.agent.emit(_started(self))
        if self.hooking is not None:
            self.hooking.open("resume" if self.resumed else "startup", self.agent.brain.info.name)
        if self.servers is not None:
            warn_of_failures(self.servers, self.agent)

    def prompt(self, text: str) -> Message:
        """The person's words with the reminders of the moment; what a skill had narrowed ends."""
        self.skilled.running.release()
        return self._prompt(text)

    def _prompt(self, text: str, *beside: str) -> Message:
        """With what changed since, once after a break."""
        since, self.since = self.since, ""
        mode = self.agent.tools.policy.mode
        now = moment.reminders(self.hands.workspace.root, mode, self.planning.file)
        return prompt_of(text, *now, since, *beside)

    async def invoke(self, name: str, arguments: str) -> RunEnded | None:
        """One turn by the person's `/name arguments`; None where there is nothing of this name.

        Raises RooCodeError where it cannot be called.
        """
        if not self.skilled.invocations.knows(name):
            return None
        self.skilled.running.release()
        words = f"/{name} {arguments}".strip()

        async def prompt() -> Message | None:
            invoked = await self.skilled.invocations.prompt(name, arguments)
            return self._prompt(words, invoked.text) if invoked else None

        return await self._turn(words, prompt)

    async def run(self, message: Message) -> RunEnded:
        """One turn, which can be undone; none where the budget of the session is used up."""

        async def prompt() -> Message:
            return message

        ended = await self._turn(message.spoken, prompt)
        assert ended is not None
        return ended

    async def _turn(self, words: str, prompt: Callable[[], Awaitable[Message | None]]) -> RunEnded | None:
        """A turn by a prompt that is made within it; None where there is none after all."""
        self.git.begin()
        if limit := self.account.begin():
            ended = refused(limit)
            self.agent.emit(ended)
            return ended
        self.undo.begin(words)
        try:
            message = await prompt()
            return await run(self.agent, message) if message is not None else None
        finally:
            self.git.look()
            await self.undo.end()

    def context(self) -> str:
        """How full the model's window is, and what the session has used."""
        return f"{context_text(self.agent)}\n{self.account.words}"

    async def rewind(self, turn: int, part: RewindPart) -> Rewound:
        """Takes back a turn and all after it. Raises UserError or HostError."""
        rewound = await self.undo.rewind(turn, part)
        self.hands.todos.items = from_json(self.conversation.todos)
        read_files.keep(self.hands.seen, self.conversation)
        self.skilled.restore()
        return rewound

    async def close(self) -> None:
        """Ends processes and connections; a session without a name and a word in it leaves no file."""
        if self.hooking is not None:
            await self.hooking.close()
        if self.servers is not None:
            await self.servers.close()
        await self.hands.close()
        await self.client.close()
        await self.git.close()
        self.undo.close()
        self.conversation.close()
        if not (self.conversation.messages() or self.conversation.header.name or self.undo.turns.all):
            self.conversation.path.unlink(missing_ok=True)
        removed = sessions.tidy(self.settings.places, keep=self.conversation.path)
        await forget(self.hands.workspace.root, removed, self.environ)


@frozen
class _Ground:
    """What a session stands on. `notes` are what the person should know of it."""

    settings: Settings
    options: AgentOptions
    root: Path
    conversation: Conversation
    notes: tuple[str, ...]
    past: Replayed | None

    @property
    def resumed(self) -> bool:
        """Whether the session goes on from an earlier one."""
        return self.past is not None


def open_session(
    options: RunOptions,
    choice: SessionChoice,
    env: Mapping[str, str],
    emit: Callable[[Event], None],
    secrets: Secrets,
    *,
    approver: Approver,
    asker: Asker | None,
    sources: tuple[str, ...] = (),
) -> Single:
    """Builds the session of one agent in its directory; `secrets` learns its keys. Raises UserError.

    It tells nothing and starts no server before `begin`. `sources` are what further tools are to come from
    beside its MCP servers.
    """
    ground = _ground(options, choice, env, secrets)
    places, conversation = ground.settings.places, ground.conversation
    remembered = notes_of(ground.root, places.home, places.person)
    account = Account(
        conversation,
        ground.past,
        Budget(options.max_budget_tokens, options.max_budget_usd),
        prices_of(ground.settings),
        "main",
    )

    def heard(event: Event) -> None:
        emit(account.take(event))

    planning = Planning(places.home.resolve() / "plans" / f"{conversation.header.id}.md", asker)
    skilled = Skilled(places, ground.root, conversation)
    own = (spilled(conversation.path), *skilled.open_paths)
    discovery = assemble.discovery_of(ground.options, conversation, sources)
    hands = assemble.hands(
        ground.options,
        ground.root,
        "main",
        env,
        asker,
        own,
        remembered,
        planning,
        discovery,
        skilled.loader,
    )
    read_files.keep(hands.seen, conversation)
    since = read_files.differing(hands.seen, hands.files)
    hooking = hooked(ground.options, hands.workspace, conversation, emit, secrets, planning.policy)
    calls = None
    if hooking is not None:
        calls, approver, emit = hooking.calls, hooking.approver(approver), hooking.emitter(emit)
    undo = Undo(conversation, hands.workspace.root, hands.files, env, _warn(emit), resumed=ground.resumed)
    planning.toolset = assemble.guarded(
        ground.options,
        hands.workspace,
        hands.tools,
        approver=approver,
        recorder=EventRecorder("main", None, conversation, emit),
        rule_store=LocalRules(places),
        plan_file=planning.file,
        mask=secrets,
        keeper=undo,
        hooks=calls,
    )
    skilled.settle(planning.toolset, hands.shells)
    briefing = skilled.briefed(
        Briefing(conversation, hands.workspace.root, places.home, remembered.told), _warn(emit)
    )
    if discovery is not None:
        briefing = Steps((briefing, discovery.begun(planning.toolset, emit)))
    if ground.options.mode == "plan":
        planning.make_place()
    planning.told = lambda mode: conversation.note("mode", mode=mode)
    steering = Steering(conversation, lambda message: emit(PromptAdded(message=message)))
    client = assemble.client_of(ground.options, emit, answered_by=conversation.breaks.answered_by)
    keeper = person_keeper(remembered, planning.toolset, hands.workspace) if asker is not None else None
    agent = assemble.agent(
        "main",
        ground.options,
        planning.toolset,
        conversation,
        client,
        heard,
        steps=(steering,),
        briefing=briefing,
        todos=hands.todos,
        bound=account,
        keeper=keeper,
        hooking=hooking,
        pinned=skilled.running.pinned,
    )
    skilled.running.window = agent.brain.info.window
    if hooking is not None:
        steering.admits = hooking.life.admits
    return Single(
        ground.settings,
        agent,
        hands,
        conversation,
        client,
        steering,
        remembered,
        planning,
        undo,
        skilled,
        tuple(
            filter(
                None,
                (
                    *ground.notes,
                    since.text(hands.workspace.root),
                    account.note,
                    skilled.catalogue.withheld(),
                ),
            )
        ),
        env,
        GitNotes(conversation, hands.workspace.root, env),
        account,
        since.reminder(hands.workspace.root),
        discovery,
        hooking,
        equip(agent, ground.options, hands, secrets, discovery, asker),
        ground.resumed,
    )


def _warn(emit: Callable[[Event], None]) -> Callable[[str], None]:
    return lambda text: emit(Notice(text=text, level="warning"))


def _ground(options: RunOptions, choice: SessionChoice, env: Mapping[str, str], secrets: Secrets) -> _Ground:
    settings = load_settings(options.cwd, env, options.flags)
    before = sessions.chosen(settings.places, choice)
    model = resolve_model(settings, None if settings.model or before is None else before.header.model, env)
    agent_options = options_from(
        settings,
        model,
        resolve_fallbacks(settings, env),
        max_tokens=None,
        max_cost_usd=None,
    )
    secrets.learn(env, agent_options.secret_names)
    mcp, mcp_notes = servers_for_run(settings, options, env, secrets)
    root = options.cwd.resolve()
    conversation, past, notes = _conversation(settings, before, choice, root, agent_options, options, secrets)
    told = (
        *settings.notes,
        *rule_notes(settings),
        *model_notes(agent_options),
        *stack(root, settings.places.home).notes,
        *mcp_notes,
        *notes,
    )
    agent_options = replace(agent_options, system=conversation.header.system, mcp=mcp)
    return _Ground(settings, agent_options, root, conversation, told, past)


def _conversation(
    settings: Settings,
    before: sessions.Saved | None,
    choice: SessionChoice,
    root: Path,
    options: AgentOptions,
    asked: RunOptions,
    mask: Mask,
) -> tuple[Conversation, Replayed | None, tuple[str, ...]]:
    git = head(root)
    if before is not None:
        conversation, past = sessions.resume(settings.places, before, mask, fork=choice.fork, git=git)
        notes = (
            "" if past.header.cwd == str(root) else f"this session was begun in {past.header.cwd}",
            moved(past.git, git),
            f"{past.skipped} damaged lines of the session were left out" if past.skipped else "",
        )
        return conversation, past, tuple(filter(None, notes))
    identifier = uuid.uuid4().hex
    header = Header(
        id=identifier,
        cwd=str(root),
        model=_full_name(options),
        mode=options.mode,
        system=prompts.single(root, asked.append_system_prompt),
        name=choice.name,
        git=git,
    )
    return Conversation.create(sessions.new_path(settings.places, identifier), header, mask), None, ()


def _started(single: Single) -> SessionStarted:
    return SessionStarted(
        session_id=single.conversation.header.id,
        model=single.agent.brain.info.name,
        cwd=str(single.hands.workspace.root),
        mode=single.agent.tools.policy.mode,
        tools=tuple(spec.name for spec in single.agent.tools.specs),
        servers=single.servers.states() if single.servers is not None else (),
        resumed=single.resumed,
        usage=single.account.spent.usage,
        cost_usd=single.account.spent.usd,
    )


def _full_name(options: AgentOptions) -> str:
    return f"{options.model.provider}/{assemble.model_of(options.model).name}"
