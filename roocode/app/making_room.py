"""What keeps a conversation within its model's window: the sizes, the summarizer, the spilled results."""

from __future__ import annotations

from collections.abc import Callable

from roocode.engine.loop.agent import Brain, Step
from roocode.engine.loop.room import FactKeeper, Room
from roocode.engine.loop.summarizer import AskForSummary
from roocode.interaction.config.settings import ContextSettings
from roocode.memory.compaction.budget import Thresholds, Window
from roocode.memory.compaction.compactor import Begins, Compactor
from roocode.memory.compaction.size import tokens_of_frame
from roocode.memory.compaction.spill import Spill, spilled
from roocode.memory.sessions.conversation import Conversation
from roocode.protocol.events import Event
from roocode.protocol.models import ModelInfo
from roocode.protocol.tools import ToolSpec
from roocode.security.guard import GuardedToolset
from roocode.tools.todos import Todos, from_json, to_json

LONGEST_ANSWER = 32_768
ANSWER_SHARE = 8
"""At most this part of a window is kept free for an answer, so that a summary can be asked for in time."""
READERS = ("ReadFile", "Grep", "Glob", "BashOutput")
"""Tools that only read, so that what they said long ago may be cleared."""


class Frame:
    """The tokens of system prompt and tools, counted anew when the tool list has grown."""

    def __init__(self, system: str, toolset: GuardedToolset) -> None:
        self._system = system
        self._toolset = toolset
        self._counted: tuple[tuple[ToolSpec, ...], int] | None = None

    def __call__(self) -> int:
        """The tokens now."""
        specs = self._toolset.specs
        if self._counted is None or self._counted[0] is not specs:
            self._counted = (specs, tokens_of_frame(self._system, specs))
        return self._counted[1]


def answer_limit(info: ModelInfo) -> int:
    """The tokens that one answer may have."""
    return min(info.max_output, LONGEST_ANSWER, info.window // ANSWER_SHARE)


def room_of(
    agent: str,
    parent: str | None,
    brain: Brain,
    toolset: GuardedToolset,
    conversation: Conversation,
    todos: Todos,
    context: ContextSettings,
    emit: Callable[[Event], None],
    *,
    briefing: Step | None = None,
    keeper: FactKeeper | None = None,
    begins: Begins | None = None,
    kept: Callable[[], tuple[str, ...]] = tuple,
) -> Room:
    """The room of one agent. Its list goes into its log, and big results to disk, from here on.

    `keeper` takes what a person said to it that outlives the session; `kept` gives texts that survive a
    summary.
    """
    todos.items = from_json(conversation.todos)
    todos.changed = lambda items: conversation.note("todos", items=to_json(items))
    conversation.keep = Spill(spilled(conversation.path), brain.info.window)

    def pinned() -> tuple[str, ...]:
        listed = (f"Your list (TodoWrite):\n{todos.text()}",) if todos.items else ()
        return (*kept(), *listed)

    thresholds = Thresholds(context.warning, context.clearing, context.summary, context.full)
    compactor = Compactor(
        Window(brain.info.window, brain.max_tokens, thresholds),
        Frame(brain.system, toolset),
        AskForSummary(brain, lambda: toolset.specs),
        frozenset(READERS),
        pinned,
        facts=keeper is not None,
        begins=begins,
    )
    return Room(conversation, compactor, emit, retold=briefing, keeper=keeper, agent=agent, parent=parent)
