"""Puts one agent together: options → client → guarded tools → loop. The only place where these parts meet."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from roocode.app.options import AgentOptions
from roocode.app.planning import Planning
from roocode.app.policy import rules_of
from roocode.app.remembering import Keeper
from roocode.engine.loop.agent import Agent, Brain, Step
from roocode.engine.loop.limits import Limits
from roocode.engine.loop.room import Room
from roocode.engine.loop.summarizer import AskForSummary
from roocode.engine.models import catalog
from roocode.engine.models.connect import connect
from roocode.engine.models.endpoint import Endpoint
from roocode.interaction.config.providers import ResolvedModel
from roocode.interaction.config.settings import ContextSettings
from roocode.memory.compaction.budget import Thresholds, Window
from roocode.memory.compaction.compactor import Compactor
from roocode.memory.compaction.size import tokens_of_frame
from roocode.memory.compaction.spill import Spill
from roocode.memory.notes.store import Notes
from roocode.memory.sessions.conversation import Conversation
from roocode.protocol.errors import UserError
from roocode.protocol.events import Event
from roocode.protocol.models import ModelClient, ModelInfo
from roocode.protocol.tools import Tool, Workspace
from roocode.security.guard import GuardedToolset, guard
from roocode.security.permissions.hidden import hides
from roocode.security.permissions.paths import pinned
from roocode.security.permissions.policy import Policy
from roocode.security.ports import Approver, FileKeeper, Recorder, RuleStore
from roocode.security.sandbox.environment import child_env
from roocode.security.sandbox.files import SafeFiles
from roocode.security.sandbox.shell import Shells
from roocode.tools.registry import Services, build
from roocode.tools.services import Asker
from roocode.tools.todos import Todos, from_json, to_json

LONGEST_ANSWER = 32_768
ANSWER_SHARE = 8
"""At most this part of a window is kept free for an answer, so that a summary can be asked for in time."""
READERS = ("ReadFile", "Grep", "Glob", "BashOutput")
"""Tools that only read, so that what they said long ago may be cleared."""


@dataclass(slots=True)
class Hands:
    """What an agent acts with in its workspace; `close` ends its processes and removes its scratch."""

    workspace: Workspace
    shells: Shells
    tools: tuple[Tool, ...]
    todos: Todos
    files: SafeFiles

    async def close(self) -> None:
        """Ends every process that the agent started."""
        await self.shells.close()
        if self.workspace.scratch is not None:
            shutil.rmtree(self.workspace.scratch, ignore_errors=True)


def hands(
    options: AgentOptions,
    root: Path,
    agent: str,
    env: Mapping[str, str],
    asker: Asker | None,
    own: tuple[Path, ...] = (),
    notes: Notes | None = None,
    planner: Planning | None = None,
) -> Hands:
    """The code tools of an agent that works in `root`; `own` are further places that it may read."""
    if notes is not None:
        own = (*own, notes.person, notes.project)
    scratch = Path(tempfile.mkdtemp(prefix="roocode-"))
    workspace = pinned(
        Workspace(
            root=root,
            agent=agent,
            env=child_env(env, agent=agent, secrets=options.secret_names),
            extra=tuple(Path(path) for path in options.extra),
            scratch=scratch,
            open_paths=own,
        )
    )
    shells = Shells(workspace.env, spool=scratch / "shell")
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
    keeper = Keeper(notes) if notes is not None else None
    services = Services(workspace, files, shells, asker, todos=todos, notes=keeper, planner=planner)
    return Hands(workspace, shells, build(services), todos, files)


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
    rule_store: RuleStore | None = None,
    plan_file: Path | None = None,
    keeper: FileKeeper | None = None,
) -> GuardedToolset:
    """The tools behind the guard, in the order in which they are offered."""
    return guard(
        tools,
        policy=policy(options, tools, plan_file),
        workspace=workspace,
        approver=approver,
        recorder=recorder,
        rule_store=rule_store,
        keeper=keeper,
    )


def model_of(resolved: ResolvedModel) -> ModelInfo:
    """What is known of the model; the provider's default where none is named."""
    name = resolved.model or catalog.default_model(resolved.provider)
    if name is None:
        raise UserError(
            f"the provider {resolved.provider} has no default model",
            f"choose one: --model {resolved.provider}/MODEL-ID",
        )
    return catalog.lookup(resolved.provider, name)


def client_of(resolved: ResolvedModel) -> ModelClient:
    """A client for the model's endpoint."""
    return connect(
        Endpoint(
            provider=resolved.provider,
            protocol=resolved.protocol,
            base_url=resolved.base_url,
            api_key=resolved.api_key,
            transport=resolved.transport,
            key_name=resolved.key_env or "",
            platform=resolved.platform,
        )
    )


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
    todos: Todos | None = None,
) -> Agent:
    """The agent that the loop works on; its list `todos` goes into its log and survives a summary."""
    todos = todos or Todos()
    todos.items = from_json(conversation.todos)
    todos.changed = lambda items: conversation.note("todos", items=to_json(items))
    info = model_of(options.model)
    if options.context.window is not None:
        info = replace(info, window=options.context.window)
    conversation.keep = Spill(spill_folder(conversation), info.window)
    headers = {"X-RooCode-Session": conversation.header.id, "X-RooCode-Agent": identifier}
    if team:
        headers["X-RooCode-Team"] = team
    answer = min(info.max_output, LONGEST_ANSWER, info.window // ANSWER_SHARE)
    brain = Brain(client, info, options.system, headers, answer)
    room = Room(
        conversation,
        _compactor(brain, toolset, options.context, todos),
        emit,
        info.cost,
        agent=identifier,
        parent=parent,
    )
    return Agent(
        id=identifier,
        parent=parent,
        brain=brain,
        tools=toolset,
        conversation=conversation,
        emit=emit,
        limits=Limits(options.max_turns, options.max_tokens, options.max_cost_usd, options.max_seconds),
        before_request=(*steps, room),
        room=room,
    )


def _compactor(brain: Brain, toolset: GuardedToolset, context: ContextSettings, todos: Todos) -> Compactor:
    def pinned() -> tuple[str, ...]:
        return (f"Your list (TodoWrite):\n{todos.text()}",) if todos.items else ()

    thresholds = Thresholds(context.warning, context.clearing, context.summary, context.full)
    window = Window(brain.info.window, brain.max_tokens, thresholds)
    frame = tokens_of_frame(brain.system, toolset.specs)
    return Compactor(window, frame, AskForSummary(brain, toolset.specs), frozenset(READERS), pinned)


def spill_folder(conversation: Conversation) -> Path:
    """Where the big results of a conversation lie: beside its log."""
    return conversation.path.with_suffix("")
