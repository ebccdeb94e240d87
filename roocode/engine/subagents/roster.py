"""Tells an agent which agents it can start: at the beginning, and again where that has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from roocode.engine.loop.briefing import Tellable
from roocode.engine.loop.limits import Tally
from roocode.engine.subagents.definition import AgentDefinition
from roocode.protocol.brevity import in_brief
from roocode.protocol.messages import Message, Text, reminder

HEAD = "Agents that you can start with Agent, by subagent_type:"
NONE = f"{HEAD} none now."
LONGEST = 600
"""Characters of one description: some hold pages of examples."""
MOST = 12_000
"""Characters of all; what is beyond is told by name."""


class Roster:
    """A step of the loop. `usable` looks definitions up; it is asked once a run.

    A conversation that became shorter may have lost what was told.
    """

    def __init__(self, conversation: Tellable, usable: Callable[[], Iterable[AgentDefinition]]) -> None:
        self._conversation = conversation
        self._usable = usable
        self._text = ""
        self._seen = 0

    async def __call__(self, tally: Tally) -> bool:
        """Tells what was not told last. Brings no outside input."""
        messages = self._conversation.messages()
        if tally.turns == 0 or not self._text:
            self._text = reminder(listing(self._usable())).text
        elif len(messages) >= self._seen:
            self._seen = len(messages)
            return False
        if self._text != _told_last(messages):
            self._conversation.add_prompt(Message("user", (Text(self._text),)))
        self._seen = len(messages)
        return False


def _told_last(messages: tuple[Message, ...]) -> str | None:
    for message in reversed(messages):
        for block in message.blocks if message.role == "user" else ():
            if isinstance(block, Text) and HEAD in block.text[: len(HEAD) + 40]:
                return block.text
    return None


def listing(definitions: Iterable[AgentDefinition]) -> str:
    """One paragraph an agent. Pure."""
    lines: list[str] = []
    for each in definitions:
        about = in_brief(each.description.split("<example>")[0], LONGEST)
        line = f"- {each.name}: {about}"
        is_full = sum(map(len, lines)) + len(line) > MOST
        lines.append(f"- {each.name}" if is_full or not about else line)
    return "\n".join([HEAD, *lines]) if lines else NONE
