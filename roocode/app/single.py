"""A single agent's session: what `roocode` and `roocode -p` have in common."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from roocode.app import assemble, moment, prompts, sessions
from roocode.app.approvers import EventRecorder, LocalRules
from roocode.app.model_notes import model_notes
from roocode.app.options import AgentOptions, options_from
from roocode.app.planning import Planning
from roocode.app.policy import rule_notes
from roocode.app.remembering import notes_of
from roocode.app.subagents.family import Family
from roocode.app.subagents.found import Definitions
from roocode.app.subagents.models import Models
from roocode.app.subagents.parentage import Parentage
from roocode.app.undoing import Rewound, Undo, forget
from roocode.engine.loop.agent import Agent
from roocode.engine.loop.briefing import Briefing
from roocode.engine.loop.several import Several
from roocode.engine.loop.steering import Steering
from roocode.engine.loop.turn import prompt_of, run
from roocode.engine.subagents.agents import Terms
from roocode.engine.subagents.budget import Budget
from roocode.interaction.cli.requests import RunOptions, SessionChoice
from roocode.interaction.config.load import load_settings
from roocode.interaction.config.providers import resolve_fallbacks, resolve_model
from roocode.interaction.config.settings import Settings
from roocode.memory.compaction.spill import spilled
from roocode.memory.instructions.stack import stack
from roocode.memory.notes.store import Notes
from roocode.memory.sessions.conversation import Conversation
from roocode.memory.sessions.log import Header
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

REPORTS = "(what sub-agents report)"


@dataclass(slots=True)
class Single:
    """An open session. `notes` are what the person should know before it starts."""

    settings: Settings
    agent: Agent
    hands: assemble.Hands
    conversation: Conversation
    client: ModelClient
    steering: Steering
    remembered: Notes
    planning: Planning
    undo: Undo
    family: Family
    notes: tuple[str, ...]
    environ: Mapping[str, str]

    def prompt(self, text: str) -> Message:
        """The person's words with the reminders of the moment."""
        mode = self.agent.tools.policy.mode
        return prompt_of(text, *moment.reminders(self.hands.workspace.root, mode, self.planning.file))

    async def run(self, message: Message | None) -> RunEnded:
        """One turn, which can be undone; without a message one on what sub-agents report.

        It lasts as long as sub-agents work for it, or until the next one begins.
        """
        if self.undo.busy:
            await self.undo.end()
        self.undo.begin(message.spoken if message is not None else REPORTS)
        if message is not None:
            self.family.parent.budget.begin()
        else:
            self.family.parent.budget.wake()
        try:
            return await run(self.agent, message)
        finally:
            if not self.family.agents.working:
                await self.undo.end()

    async def rewind(self, turn: int, part: RewindPart) -> Rewound:
        """Takes back a turn and all after it. Raises UserError or HostError."""
        rewound = await self.undo.rewind(turn, part)
        self.hands.todos.items = from_json(self.conversation.todos)
        return rewound

    async def close(self) -> None:
        """Ends processes and connections; a session without a name and a word in it leaves no file."""
        await self.family.close()
        if self.undo.busy:
            await self.undo.end()
        await self.hands.close()
        await self.client.close()
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
    resumed: bool


def open_session(
    options: RunOptions,
    choice: SessionChoice,
    env: Mapping[str, str],
    show: Callable[[Event], None],
    secrets: Secrets,
    *,
    approver: Approver,
    asker: Asker | None,
    alone: bool = False,
) -> Single:
    """Builds the session of one agent in its directory; `secrets` learns its keys. Raises UserError.

    `alone`: nobody starts another run when a sub-agent reports, so that a run lasts until they have.
    """
    budget = Budget()
    emit = budget.counting(show)
    ground = _ground(options, choice, env, secrets)
    places, conversation = ground.settings.places, ground.conversation
    remembered = notes_of(ground.root, places.home, places.person)
    planning = Planning(places.home.resolve() / "plans" / f"{conversation.header.id}.md", asker)
    own = (spilled(conversation.path),)
    hands = assemble.hands(ground.options, ground.root, "main", env, asker, own, remembered, planning)
    undo = Undo(conversation, hands.workspace.root, hands.files, env, _warn(emit), resumed=ground.resumed)
    family = Family(
        Parentage(
            name="main",
            options=ground.options,
            root=ground.root,
            env=env,
            hands=hands,
            conversation=conversation,
            models=Models(ground.options, lambda: ground.settings, env),
            budget=budget,
            approver=approver,
            mask=secrets,
            emit=emit,
            notes=remembered,
            keeper=undo,
        ),
        Definitions(places, options.agents, verifying=ground.settings.enable_verification_agent),
        Terms(ground.settings.subagents.max_running, ground.settings.subagents.auto_background_s),
        resumed=ground.resumed,
    )
    planning.toolset = assemble.guarded(
        ground.options,
        hands.workspace,
        (*hands.tools, *family.tools()),
        approver=approver,
        recorder=EventRecorder("main", None, conversation, emit),
        rule_store=LocalRules(places),
        plan_file=planning.file,
        mask=secrets,
        keeper=undo,
    )
    if ground.options.mode == "plan":
        planning.make_place()
    planning.told = lambda mode: conversation.note("mode", mode=mode)
    steering = Steering(conversation, lambda message: emit(PromptAdded(message=message)))
    client = assemble.client_of(ground.options, emit)
    agent = assemble.agent(
        "main",
        ground.options,
        planning.toolset,
        conversation,
        client,
        emit,
        steps=(steering, *family.steps()),
        briefing=Several(
            Briefing(conversation, hands.workspace.root, places.home, remembered.told), family.roster()
        ),
        todos=hands.todos,
        before_end=(family.waiting(),) if alone else (),
    )
    family.attach(agent)
    single = Single(
        ground.settings,
        agent,
        hands,
        conversation,
        client,
        steering,
        remembered,
        planning,
        undo,
        family,
        ground.notes,
        env,
    )
    emit(_started(single, resumed=ground.resumed))
    return single


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
        max_tokens=options.max_budget_tokens,
        max_cost_usd=options.max_budget_usd,
    )
    secrets.learn(env, agent_options.secret_names)
    root = options.cwd.resolve()
    conversation, notes = _conversation(settings, before, choice, root, agent_options, options, secrets)
    told = (
        *settings.notes,
        *rule_notes(settings),
        *model_notes(agent_options),
        *stack(root, settings.places.home).notes,
        *notes,
    )
    agent_options = replace(agent_options, system=conversation.header.system)
    return _Ground(settings, agent_options, root, conversation, told, before is not None)


def _conversation(
    settings: Settings,
    before: sessions.Saved | None,
    choice: SessionChoice,
    root: Path,
    options: AgentOptions,
    asked: RunOptions,
    mask: Mask,
) -> tuple[Conversation, tuple[str, ...]]:
    if before is not None:
        conversation, past = sessions.resume(settings.places, before, mask, fork=choice.fork)
        notes = [] if past.header.cwd == str(root) else [f"this session was begun in {past.header.cwd}"]
        if past.skipped:
            notes.append(f"{past.skipped} damaged lines of the session were left out")
        return conversation, tuple(notes)
    identifier = uuid.uuid4().hex
    header = Header(
        id=identifier,
        cwd=str(root),
        model=_full_name(options),
        mode=options.mode,
        system=prompts.single(root, asked.append_system_prompt),
        name=choice.name,
    )
    return Conversation.create(sessions.new_path(settings.places, identifier), header, mask), ()


def _started(single: Single, *, resumed: bool) -> SessionStarted:
    return SessionStarted(
        session_id=single.conversation.header.id,
        model=single.agent.brain.info.name,
        cwd=str(single.hands.workspace.root),
        mode=single.agent.tools.policy.mode,
        tools=tuple(spec.name for spec in single.agent.tools.specs),
        resumed=resumed,
    )


def _full_name(options: AgentOptions) -> str:
    return f"{options.model.provider}/{assemble.model_of(options.model).name}"
