"""A run with hooks: what they say of prompts and final answers, and what the model hears of them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Protocol

from roocode.engine.loop.beside import is_beside
from roocode.engine.loop.lifecycle import Halted
from roocode.engine.loop.limits import Tally
from roocode.engine.models.assemble import ReplyBuilder
from roocode.protocol.messages import Message, reminder, user
from roocode.protocol.models import ModelClient, ModelRequest, Retrying, StreamEvent
from roocode.tools.hooks.runner import Hooks

MOST_BLOCKED = 2
"""So often the final answer of one prompt can be sent back; then it is let through."""

_BLOCKED_EXIT = 42


class Takes(Protocol):
    """A conversation, as far as hooks need it."""

    def add_prompt(self, message: Message) -> None:
        """Stores a user message."""
        ...


class HookedLife:
    """Implements `Lifecycle`, and is a step of the loop too: it tells the model what hooks have said.

    `opened` is awaited before a prompt enters. `final` is the event that a final answer fires.
    """

    def __init__(
        self,
        hooks: Hooks,
        conversation: Takes,
        opened: Callable[[], Awaitable[None]],
        *,
        final: str = "stop",
        by_person: bool = True,
    ) -> None:
        self._hooks = hooks
        self._conversation = conversation
        self._opened = opened
        self._final = final
        self._by_person = by_person
        self._blocked = 0
        self._called = ""

    async def begins(self, prompt: Message | None) -> Message | None:
        """Fires user_prompt_submit and before_turn. Raises Halted where a hook blocks the prompt."""
        await self._opened()
        self._blocked, self._hooks.stopped = 0, ""
        if prompt is None:
            return None
        self._hooks.called.clear()
        if refused := await self._submitted(prompt):
            raise Halted(f"the prompt was blocked: {refused}", "refused", exit_code=_BLOCKED_EXIT)
        await self._hooks.hear("before_turn", prompt=prompt.spoken)
        return self._with_context(prompt)

    async def called(self, words: str) -> None:
        """The person called something by name: asked before it is made a prompt, which may run a good deal.

        The prompt with these words is not asked about again. Raises Halted where a hook blocks it.
        """
        await self._opened()
        if refused := await self._submitted(user(words)):
            raise Halted(f"the prompt was blocked: {refused}", "refused", exit_code=_BLOCKED_EXIT)
        self._called = words

    async def admits(self, prompt: Message) -> Message | None:
        """A prompt that comes while a run goes on: None where a hook blocks it, which the person is told."""
        if refused := await self._submitted(prompt):
            self._hooks.firing.tell(f"the prompt was blocked: {refused}", "warning")
            return None
        return prompt

    async def ends(self, text: str) -> Message | None:
        """Fires the final event; an answer is sent back at most MOST_BLOCKED times a prompt."""
        said = await self._hooks.fire(self._final, text=text, stop_active=self._blocked > 0)
        if said.stop or not said.refused:
            return None
        if self._blocked >= MOST_BLOCKED:
            self._hooks.firing.tell(
                f"a hook would block the final answer again; after {MOST_BLOCKED} times it is let through",
                "warning",
            )
            return None
        self._blocked += 1
        words = ("Your answer is not final yet. " + said.refused, *self._hooks.take_context(), *said.context)
        return Message("user", tuple(reminder(each) for each in words))

    async def __call__(self, _tally: Tally) -> bool:
        """Tells what has been said since the last request. Raises Halted where a hook ends the run."""
        if self._hooks.stopped:
            reason, self._hooks.stopped = self._hooks.stopped, ""
            raise Halted(reason)
        if context := self._hooks.take_context():
            self._conversation.add_prompt(Message("user", tuple(reminder(text) for text in context)))
        return False

    async def _submitted(self, prompt: Message) -> str:
        """Why the person's words must not enter; "" where they may, or where there are none of theirs.

        Sub-agents and members of a team are told by a model: what they hear is not submitted by anybody.
        """
        called, self._called = self._called, ""
        if not prompt.spoken or not self._by_person or prompt.spoken == called:
            return ""
        said = await self._hooks.fire("user_prompt_submit", prompt=prompt.spoken)
        self._hooks.context.extend(said.context)
        if said.stop:
            self._hooks.stopped = ""
        return said.refused or said.stop

    def _with_context(self, prompt: Message) -> Message:
        context = self._hooks.take_context()
        return Message(prompt.role, (*(reminder(text) for text in context), *prompt.blocks))


class HookedClient:
    """Implements `ModelClient`: fires before_model and after_model around each request of a conversation."""

    def __init__(self, inner: ModelClient, hooks: Hooks) -> None:
        self._inner = inner
        self._hooks = hooks

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent | Retrying, None]:
        """The events of the model itself."""
        beside = is_beside(request.headers)
        if not beside:
            await self._hooks.hear("before_model", model=request.model, messages=len(request.messages))
        answer = ReplyBuilder()
        async with aclosing(self._inner.stream(request)) as events:  # type: ignore[type-var]
            async for event in events:
                answer.add(event)
                yield event
        if not beside:
            message = answer.reply().message
            calls = [call.name for call in message.calls]
            await self._hooks.hear("after_model", model=request.model, text=message.text, calls=calls)

    async def close(self) -> None:
        """Closes the model's connections."""
        await self._inner.close()
