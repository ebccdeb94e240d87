"""A single agent's session: what `roocode` and `roocode -p` have in common."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from roocode.app import assemble, moment, read_files, sessions
from roocode.app.context import context_text
from roocode.app.discovery import Discovery
from roocode.app.git_state import GitNotes
from roocode.app.mcp.hosting import warn_of_failures
from roocode.app.planning import Planning
from roocode.app.skilled import Skilled
from roocode.app.spending import Account, refused
from roocode.app.subagents.family import Family
from roocode.app.undoing import Rewound, Undo, forget
from roocode.engine.loop.agent import Agent
from roocode.engine.loop.steering import Steering
from roocode.engine.loop.turn import prompt_of, run
from roocode.interaction.config.settings import Settings
from roocode.interaction.plugins.installed import installed
from roocode.memory.notes.store import Notes
from roocode.memory.sessions.conversation import Conversation
from roocode.protocol.commands import RewindPart
from roocode.protocol.errors import UserError
from roocode.protocol.events import RunEnded, SessionStarted
from roocode.protocol.messages import Message
from roocode.protocol.models import ModelClient
from roocode.tools.todos import from_json

if TYPE_CHECKING:
    from roocode.app.hooking import Hooking
    from roocode.tools.mcp.servers import Servers

REPORTS = "(what sub-agents report)"


@dataclass(slots=True)
class Single:
    """An open session. `notes` are what the person should know before it starts.

    `discovery` takes the further tools as they arrive, where some are to come. `since` is what changed while
    the session rested, to be told once.
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
    family: Family
    git: GitNotes
    account: Account
    notes: tuple[str, ...]
    environ: Mapping[str, str]
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
        self.agent.emit(self._started())
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

        async def prompt() -> Message:
            if self.hooking is not None:
                await self.hooking.life.called(words)
            invoked = await self.skilled.invocations.prompt(name, arguments)
            if invoked is None:
                raise UserError(f"there is no /{name} any more", "/help shows what can be called")
            return self._prompt(words, invoked.text)

        return await self._turn(words, prompt)

    async def run(self, message: Message | None) -> RunEnded:
        """One turn; without a message one on what sub-agents report."""

        async def prompt() -> Message | None:
            return message

        return await self._turn(message.spoken if message is not None else REPORTS, prompt)

    async def _turn(self, words: str, prompt: Callable[[], Awaitable[Message | None]]) -> RunEnded:
        """A turn by a prompt that is made within it; it can be undone.

        None begins where the budget of the session is used up. Its changes are kept as long as sub-agents
        work for it, or until the next one begins.
        """
        if self.undo.busy:
            await self.undo.end()
        self.git.begin()
        if limit := self.account.begin():
            ended = refused(limit)
            self.agent.emit(ended)
            return ended
        self.undo.begin(words)
        try:
            return await run(self.agent, await prompt())
        finally:
            self.git.look()
            if not self.family.agents.working:
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
        await self.family.close()
        if self.undo.busy:
            await self.undo.end()
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

    def _started(self) -> SessionStarted:
        tools = self.agent.tools
        return SessionStarted(
            session_id=self.conversation.header.id,
            model=self.agent.brain.info.name,
            cwd=str(self.hands.workspace.root),
            mode=self.agent.tools.policy.mode,
            tools=tuple(spec.name for spec in (*tools.specs, *tools.deferred())),
            servers=self.servers.states() if self.servers is not None else (),
            commands=tuple(each.name for each in self.skilled.invocations.names()),
            agents=tuple(each.name for each in self.family.definitions.usable()),
            skills=tuple(each.name for each in self.skilled.catalogue.for_model()),
            plugins=tuple(
                (each.name, str(each.root)) for each in installed(self.settings.places) if not each.error
            ),
            resumed=self.resumed,
            usage=self.account.spent.usage,
            cost_usd=self.account.spent.usd,
        )
