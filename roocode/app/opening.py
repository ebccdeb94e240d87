"""Opens the session of a single agent: its parts are put together here, and nothing runs yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from roocode.app import assemble, read_files
from roocode.app.approvers import EventRecorder, LocalRules
from roocode.app.git_state import GitNotes
from roocode.app.hooked import hooked
from roocode.app.mcp.hosting import equip, prompts_of
from roocode.app.planning import Planning
from roocode.app.remembering import notes_of, person_keeper
from roocode.app.session_ground import SessionGround, ground_of
from roocode.app.single import Single
from roocode.app.skilled import Skilled
from roocode.app.spending import Account, Budget, prices_of
from roocode.app.subagents.errands import Errands
from roocode.app.subagents.family import Family
from roocode.app.subagents.found import Definitions
from roocode.app.subagents.models import Models
from roocode.app.subagents.parentage import Parentage
from roocode.app.undoing import Undo
from roocode.engine.loop.agent import Steps
from roocode.engine.loop.briefing import Briefing
from roocode.engine.loop.steering import Steering
from roocode.engine.subagents.agents import Terms
from roocode.interaction.cli.requests import RunOptions, SessionChoice
from roocode.memory.compaction.spill import spilled
from roocode.protocol.events import Event, Notice, PromptAdded
from roocode.security.isolation.secrets import Secrets
from roocode.security.ports import Approver
from roocode.tools.services import Asker


def open_session(
    options: RunOptions,
    choice: SessionChoice,
    env: Mapping[str, str],
    emit: Callable[[Event], None],
    secrets: Secrets,
    *,
    approver: Approver,
    asker: Asker | None,
    alone: bool = False,
    sources: tuple[str, ...] = (),
) -> Single:
    """Builds the session of one agent in its directory; `secrets` learns its keys. Raises UserError.

    It tells nothing and starts no server before `begin`. `alone`: nobody starts another run when a sub-agent
    reports, so that a run lasts until they have. `sources` are what further tools are to come from beside its
    MCP servers.
    """
    ground = ground_of(options, choice, env, secrets)
    places, conversation = ground.settings.places, ground.conversation
    remembered = notes_of(ground.root, places.home, places.person)
    account = _account(ground, options)

    def heard(event: Event) -> None:
        emit(account.take(event))

    planning = Planning(places.home.resolve() / "plans" / f"{conversation.header.id}.md", asker)
    skilled = Skilled(places, ground.root, conversation)
    discovery = assemble.discovery_of(ground.options, conversation, sources)
    hands = assemble.hands(
        ground.options,
        ground.root,
        "main",
        env,
        assemble.Means(asker, remembered, planning, discovery, skilled.loader),
        (spilled(conversation.path), *skilled.open_paths),
    )
    read_files.keep(hands.seen, conversation)
    since = read_files.differing(hands.seen, hands.files)
    hooking = hooked(ground.options, hands.workspace, conversation, emit, secrets, planning.policy)
    if hooking is not None:
        emit = hooking.emitter(emit)
    undo = Undo(conversation, hands.workspace.root, hands.files, env, _warn(emit), resumed=ground.resumed)
    family = _family(
        ground,
        options,
        Parentage(
            name="main",
            options=ground.options,
            root=ground.root,
            env=env,
            hands=hands,
            conversation=conversation,
            models=Models(ground.options, lambda: ground.settings, env),
            approver=approver,
            mask=secrets,
            emit=heard,
            places=places,
            bound=account,
            hooking=hooking,
            notes=remembered,
            keeper=undo,
        ),
    )
    errands = Errands(family)
    skilled.loader.fork = errands
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
        hooking=hooking,
    )
    skilled.settle(planning.toolset, hands.shells)
    if ground.options.mode == "plan":
        planning.make_place()
    planning.told = lambda mode: conversation.note("mode", mode=mode)
    steering = Steering(conversation, lambda message: emit(PromptAdded(message=message)))
    client = assemble.client_of(ground.options, emit, answered_by=conversation.breaks.answered_by)
    briefing = Briefing(conversation, hands.workspace.root, places.home, remembered.told)
    further = () if discovery is None else (discovery.begun(planning.toolset, emit),)
    agent = assemble.agent(
        "main",
        ground.options,
        planning.toolset,
        conversation,
        client,
        heard,
        steps=(steering, *family.steps()),
        briefing=Steps((skilled.briefed(briefing, _warn(emit)), family.roster(), *further)),
        todos=hands.todos,
        bound=account,
        keeper=person_keeper(remembered, planning.toolset, hands.workspace) if asker is not None else None,
        hooking=hooking,
        pinned=skilled.running.pinned,
        before_end=(family.waiting(),) if alone else (),
    )
    skilled.running.window = agent.brain.info.window
    if hooking is not None:
        steering.admits = hooking.life.admits
        hooking.judge.spawner = errands
    servers = equip(agent, ground.options, hands, secrets, discovery, asker)
    family.attach(agent, client, servers)
    if servers is not None:
        skilled.invocations.add(prompts_of(servers, hands))
    told = (
        *ground.notes,
        since.text(hands.workspace.root),
        account.note,
        skilled.catalogue.withheld(),
    )
    return Single(
        settings=ground.settings,
        agent=agent,
        hands=hands,
        conversation=conversation,
        client=client,
        steering=steering,
        remembered=remembered,
        planning=planning,
        undo=undo,
        skilled=skilled,
        family=family,
        git=GitNotes(conversation, hands.workspace.root, env),
        account=account,
        notes=tuple(filter(None, told)),
        environ=env,
        since=since.reminder(hands.workspace.root),
        discovery=discovery,
        hooking=hooking,
        servers=servers,
        resumed=ground.resumed,
    )


def _account(ground: SessionGround, options: RunOptions) -> Account:
    given = Budget(options.max_budget_tokens, options.max_budget_usd)
    return Account(ground.conversation, ground.past, given, prices_of(ground.settings), "main")


def _family(ground: SessionGround, options: RunOptions, parent: Parentage) -> Family:
    settings = ground.settings
    definitions = Definitions(
        settings.places,
        options.agents,
        verifying=settings.enable_verification_agent,
    )
    terms = Terms(settings.subagents.max_running, settings.subagents.auto_background_s)
    return Family(parent, definitions, terms, resumed=ground.resumed)


def _warn(emit: Callable[[Event], None]) -> Callable[[str], None]:
    return lambda text: emit(Notice(text=text, level="warning"))
