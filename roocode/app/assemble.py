"""Puts one agent together: options → client → guarded tools → loop. The only place where these parts meet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from roocode.app.discovery import Discovery
from roocode.app.making_room import answer_limit, room_of
from roocode.app.options import AgentOptions
from roocode.app.planning import Planning
from roocode.app.policy import rules_of
from roocode.app.remembering import Keeper
from roocode.engine.loop.agent import Agent, Bound, Brain, Step
from roocode.engine.loop.lifecycle import Undisturbed
from roocode.engine.loop.limits import Limits
from roocode.engine.loop.offering import Offering
from roocode.engine.loop.room import FactKeeper
from roocode.engine.models import catalog
from roocode.engine.models.connect import connect
from roocode.engine.models.endpoint import Endpoint
from roocode.engine.models.fallback import FallbackClient, Rung
from roocode.engine.models.learned import applied
from roocode.engine.models.profiles import profile_of
from roocode.engine.models.retry import RetryPolicy
from roocode.interaction.config.providers import ResolvedModel
from roocode.memory.notes.store import Notes
from roocode.memory.sessions.conversation import Conversation
from roocode.protocol.errors import UserError
from roocode.protocol.events import Event, Notice
from roocode.protocol.frozen import frozen
from roocode.protocol.models import AGENT_HEADER, ModelClient, ModelInfo
from roocode.protocol.tools import Tool, Workspace
from roocode.security.guard import GuardedToolset, guard
from roocode.security.isolation.masking import Mask
from roocode.security.permissions.hidden import hides
from roocode.security.permissions.paths import pinned
from roocode.security.permissions.policy import Policy
from roocode.security.ports import Approver, FileKeeper, Recorder, RuleStore
from roocode.security.sandbox.confinement import Confinement
from roocode.security.sandbox.enclosure import Premises, program_places
from roocode.security.sandbox.environment import child_env
from roocode.security.sandbox.files import SafeFiles
from roocode.security.sandbox.scratch import Scratch, sweep
from roocode.security.sandbox.shell import Shells
from roocode.tools.registry import Services, build
from roocode.tools.seen import Seen
from roocode.tools.services import Asker, FurtherTools, SkillCatalog
from roocode.tools.todos import Todos

if TYPE_CHECKING:
    from roocode.app.hooking import Hooking

OVERLOAD_TRIES = 3


@frozen
class Means:
    """What an agent's tools act through beside its workspace; where one is missing, so are the tools for it.

    `further` are the tools that it can search for; `seen` is what it knows of files from an agent that it
    goes on from.
    """

    asker: Asker | None = None
    notes: Notes | None = None
    planner: Planning | None = None
    further: FurtherTools | None = None
    skills: SkillCatalog | None = None
    seen: Seen | None = None


@dataclass(slots=True)
class Hands:
    """What an agent acts with in its workspace; `close` ends its processes and removes its scratch."""

    workspace: Workspace
    shells: Shells
    tools: tuple[Tool, ...]
    todos: Todos
    scratch: Scratch
    files: SafeFiles
    seen: Seen

    async def close(self) -> None:
        """Ends every process that the agent started."""
        await self.shells.close()
        self.scratch.remove()


def hands(
    options: AgentOptions,
    root: Path,
    agent: str,
    env: Mapping[str, str],
    means: Means,
    own: tuple[Path, ...] = (),
) -> Hands:
    """The code tools of an agent that works in `root`; `own` are further places that it may read."""
    notes, planner = means.notes, means.planner
    if notes is not None:
        own = (*own, notes.person, notes.project)
    sweep()
    scratch = Scratch()
    workspace = pinned(
        Workspace(
            root=root,
            agent=agent,
            env=child_env(env, agent=agent, secrets=options.secret_names),
            extra=tuple(Path(path) for path in options.extra),
            scratch=scratch.temporary,
            open_paths=(scratch.spool, *own),
        )
    )
    confinement = Confinement(options.sandbox, premises(options, workspace, scratch), workspace.env)
    shells = Shells(workspace.env, spool=scratch.spool, confinement=confinement)
    plan_file = planner.file if planner is not None else None
    rules = policy(options, (), plan_file)
    files = SafeFiles(
        workspace,
        rules.home,
        plan_file=plan_file,
        protected=rules.protected,
        hidden=hides(rules, workspace),
    )
    todos = Todos()
    services = Services(
        workspace,
        files,
        shells,
        means.asker,
        means.seen if means.seen is not None else Seen(),
        todos=todos,
        notes=Keeper(notes) if notes is not None else None,
        planner=planner,
        further=means.further,
        skills=means.skills,
        pin_git=options.pin_git,
    )
    return Hands(workspace, shells, build(services), todos, scratch, files, services.seen)


def premises(options: AgentOptions, workspace: Workspace, scratch: Scratch) -> Premises:
    """What the sandbox of the operating system is drawn around."""
    return Premises(
        roots=(workspace.root, *workspace.extra),
        home=Path(options.home).resolve(),
        temporary=scratch.temporary,
        spool=scratch.spool,
        blank=scratch.blank,
        state=Path(options.state).resolve(),
        visible=(*workspace.open_paths, *program_places(workspace.env)),
    )


def bare_workspace(root: Path, agent: str) -> Workspace:
    """The workspace of an agent without code tools."""
    return pinned(Workspace(root=root, agent=agent))


def asking(options: AgentOptions, root: Path, agent: str, asker: Asker | None) -> tuple[Tool, ...]:
    """AskUser alone, for an agent without code tools; nothing where nobody can be asked."""
    if asker is None:
        return ()
    workspace = bare_workspace(root, agent)
    offered = build(Services(workspace, SafeFiles(workspace, Path(options.home)), None, asker))
    return tuple(tool for tool in offered if tool.spec.name == "AskUser")


def policy(options: AgentOptions, tools: Sequence[Tool], plan_file: Path | None = None) -> Policy:
    """The person's rules and mode for the guard. The options hold only rules that count here."""
    return Policy(
        home=Path(options.home),
        mode=options.mode,
        rules=tuple(rules_of(options.rules, base=options.rule_base)),
        trusted=True,
        protected=(Path(options.state),),
        exact_commands=frozenset(options.exact_commands),
        tools=frozenset(tool.spec.name for tool in tools),
        plan_file=plan_file,
    )


def guarded(
    options: AgentOptions,
    workspace: Workspace,
    tools: Sequence[Tool],
    *,
    approver: Approver,
    recorder: Recorder,
    mask: Mask,
    rule_store: RuleStore | None = None,
    plan_file: Path | None = None,
    keeper: FileKeeper | None = None,
    hooking: Hooking | None = None,
) -> GuardedToolset:
    """The tools behind the guard, in the order in which they are offered; hooks hear of their calls."""
    return guard(
        tools,
        policy=policy(options, tools, plan_file),
        workspace=workspace,
        approver=hooking.approver(approver) if hooking is not None else approver,
        recorder=recorder,
        rule_store=rule_store,
        mask=mask,
        keeper=keeper,
        hooks=hooking.calls if hooking is not None else None,
    )


def model_of(resolved: ResolvedModel) -> ModelInfo:
    """What is known of the model; the provider's default where none is named."""
    name = resolved.model or catalog.default_model(resolved.provider)
    if name is None:
        raise UserError(
            f"the provider {resolved.provider} has no default model",
            f"choose one: --model {resolved.provider}/MODEL-ID",
        )
    info = catalog.lookup(resolved.provider, name)
    if resolved.window:
        info = replace(info, window=resolved.window)
    return replace(info, **{"known": True, **resolved.facts}) if resolved.facts else info


def window_of(options: AgentOptions) -> int:
    """The tokens of the agent's window: as the person set it, else the model's own."""
    return options.context.window or model_of(options.model).window


def discovery_of(
    options: AgentOptions,
    conversation: Conversation,
    sources: Iterable[str] = (),
    *,
    inherits: bool = False,
) -> Discovery | None:
    """What the further tools of its MCP servers and these sources come through; None without any.

    `inherits`: the list of tools is another agent's, and grows by searches alone.
    """
    expected = (*(server.name for server in options.mcp), *sources)
    if not expected:
        return None
    return Discovery(conversation, window_of(options), options.context.tools, expected, inherits=inherits)


def others_of(options: AgentOptions) -> tuple[ResolvedModel, ...]:
    """The models that may answer in place of the agent's own."""
    own = model_of(options.model).full_name
    return tuple(model for model in options.fallbacks if model_of(model).full_name != own)


def endpoint_of(resolved: ResolvedModel) -> Endpoint:
    """Where the model answers."""
    return Endpoint(
        provider=resolved.provider,
        protocol=resolved.protocol,
        base_url=resolved.base_url,
        api_key=resolved.api_key,
        transport=resolved.transport,
        key_name=resolved.key_env or "",
        platform=resolved.platform,
    )


def client_of(
    options: AgentOptions,
    emit: Callable[[Event], None],
    agent: str = "main",
    parent: str | None = None,
    answered_by: str = "",
) -> ModelClient:
    """A client for the agent's model and those that may answer in its place; what it tells is a notice.

    `answered_by` is the model that answered last in the agent's conversation.
    """

    def tell(text: str) -> None:
        emit(Notice(agent=agent, parent=parent, text=text, level="warning"))

    models = (options.model, *others_of(options))
    retry = RetryPolicy(overload_tries=OVERLOAD_TRIES) if len(models) > 1 else RetryPolicy()

    def rung(resolved: ResolvedModel) -> Rung:
        endpoint = endpoint_of(resolved)
        profile = applied(profile_of(endpoint), resolved.learned)
        return Rung(
            model_of(resolved),
            lambda: connect(endpoint, retry, effort=options.effort, profile=profile, tell=tell),
        )

    asked = {agent: answered_by} if answered_by else {}
    return FallbackClient([rung(model) for model in models], tell, asked)


def agent(
    identifier: str,
    options: AgentOptions,
    toolset: GuardedToolset,
    conversation: Conversation,
    client: ModelClient,
    emit: Callable[[Event], None],
    *,
    parent: str | None = None,
    team: str = "",
    steps: tuple[Step, ...] = (),
    briefing: Step | None = None,
    todos: Todos | None = None,
    bound: Bound | None = None,
    keeper: FactKeeper | None = None,
    hooking: Hooking | None = None,
    pinned: Callable[[], tuple[str, ...]] = tuple,
    before_end: tuple[Step, ...] = (),
) -> Agent:
    """The agent that the loop works on; its list `todos` goes into its log and survives a summary.

    `bound` is a limit that it shares with others; `keeper` takes what a person said to it that outlives the
    session. `briefing` comes after `steps`, and again where the conversation became shorter; `before_end`
    when the model calls no tool any more; `pinned` gives further texts that survive a summary.
    """
    others = tuple(model_of(other) for other in others_of(options))
    info = replace(model_of(options.model), window=window_of(options))
    headers = {"X-RooCode-Session": conversation.header.id, AGENT_HEADER: identifier}
    if team:
        headers["X-RooCode-Team"] = team
    if hooking is not None:
        client = hooking.client(client)
    brain = Brain(client, info, options.system, headers, answer_limit(info), others)
    room = room_of(
        identifier,
        parent,
        brain,
        toolset,
        conversation,
        todos or Todos(),
        options.context,
        emit,
        briefing=briefing,
        keeper=keeper,
        begins=hooking.compacts if hooking is not None else None,
        kept=pinned,
    )
    if hooking is not None:
        hooking.judge.brain = brain
        steps = (*steps, hooking.life)
    return Agent(
        id=identifier,
        parent=parent,
        brain=brain,
        tools=toolset,
        conversation=conversation,
        emit=emit,
        limits=Limits(options.max_turns, options.max_tokens, options.max_cost_usd, options.max_seconds),
        bound=bound,
        before_request=(*steps, *([briefing] if briefing else []), room, Offering(conversation, toolset)),
        before_end=before_end,
        room=room,
        life=hooking.life if hooking is not None else Undisturbed(),
    )
