"""The sub-agents of one parent: started, watched, sent to the background, spoken to, stopped."""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
from collections.abc import Callable, Iterable
from dataclasses import replace

from roocode.engine.loop.agent import Step
from roocode.engine.loop.limits import Tally, seconds_left
from roocode.engine.subagents import framing, outcome
from roocode.engine.subagents.arrivals import Arrival, Arrivals
from roocode.engine.subagents.definition import AgentDefinition
from roocode.engine.subagents.outcome import FORK, Outcome, Profile
from roocode.engine.subagents.ports import Builder, Child, Diary, Order
from roocode.engine.subagents.worker import Worker
from roocode.protocol.errors import ModelError, RooCodeError
from roocode.protocol.events import Event, SubAgentChanged
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message, Text
from roocode.protocol.tools import Tool

OVER = "RooCode ended while it worked"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")
_ID = re.compile(r"a[0-9a-f]{6}|b\d+")
RESERVED = frozenset({"main", "lead", "user", "person", "everyone", "all", "*"})


def is_id(value: object) -> bool:
    """Whether this is the id of a sub-agent, as it names its transcript."""
    return isinstance(value, str) and re.fullmatch(r"a[0-9a-f]{6}", value) is not None


@frozen
class Terms:
    """`most` agents work at once; one in front goes into the background after `patience_s`, None for never.

    `synchronous`: none ever works in the background, forks included.
    """

    most: int = 8
    patience_s: float | None = 120.0
    synchronous: bool = False


class SubAgents:
    """Owns the sub-agents of the agent `parent`."""

    def __init__(
        self,
        parent: str,
        builder: Builder,
        arrivals: Arrivals,
        diary: Diary,
        emit: Callable[[Event], None],
        terms: Terms,
    ) -> None:
        self.parent = parent
        self.arrivals = arrivals
        self.terms = terms
        self.workers: dict[str, Worker] = {}
        self._builder = builder
        self._diary = diary
        self._emit = emit
        self._places = asyncio.Semaphore(terms.most)
        self._closing = False

    @property
    def working(self) -> tuple[Worker, ...]:
        """Those that are not at their end, in the order in which they began."""
        return tuple(worker for worker in self.workers.values() if worker.works)

    @property
    def reachable(self) -> tuple[Worker, ...]:
        """Those that a model may know of: none speaks to or stops one that this process itself needs."""
        return tuple(worker for worker in self.workers.values() if not worker.order.stays)

    def find(self, to: str) -> Worker:
        """The agent of this id or name. Raises ModelError, naming those that there are."""
        for worker in self.reachable:
            if to in (worker.profile.id, worker.profile.label):
                return worker
        known = ", ".join(worker.profile.label for worker in self.reachable) or "none yet"
        raise ModelError(f"There is no sub-agent {to!r}; known: {known}.")

    async def start(self, order: Order) -> Worker:
        """Puts one together and lets it work; returns at once. Raises ModelError and RooCodeError."""
        if self.terms.synchronous and (order.in_background or order.definition is None):
            raise ModelError(
                "Here an agent cannot work in the background, and so there are no forks: "
                "name a subagent_type, and leave run_in_background out."
            )
        identifier = f"a{secrets.token_hex(3)}"
        kind = order.definition.name if order.definition is not None else FORK
        profile = Profile(
            identifier, self._label(order.name, identifier), kind, order.description, order.call
        )
        child = await self._builder.begin(profile, order)
        worker = Worker(profile, order, order.in_background)
        self._record(worker, "started")
        self._work(worker, child)
        return worker

    async def in_front(self, worker: Worker) -> Outcome | None:
        """Waits for its end; None where it went into the background meanwhile. A cancel stops it."""
        assert worker.task is not None
        moved = asyncio.ensure_future(worker.moved.wait())
        try:
            await asyncio.wait(
                {worker.task, moved}, timeout=self._patience(), return_when=asyncio.FIRST_COMPLETED
            )
        except asyncio.CancelledError:
            await self._end(worker)
            raise
        finally:
            moved.cancel()
        if not worker.task.done():
            self._move(worker)
            return None
        self._record(worker, "told")
        return worker.task.result()

    async def run(
        self,
        definition: AgentDefinition,
        prompt: str,
        *,
        tools: tuple[Tool, ...] = (),
        unhooked: bool = False,
        call: str = "",
    ) -> Outcome:
        """Runs a blank agent in front, to its end, whatever it takes: for skills and hooks.

        Raises RooCodeError where it cannot begin. A cancel stops it.
        """
        order = Order(
            prompt,
            definition.description,
            definition,
            call=call,
            stays=True,
            tools=tools,
            unhooked=unhooked,
        )
        worker = await self.start(order)
        assert worker.task is not None
        try:
            await asyncio.wait({worker.task})
        except asyncio.CancelledError:
            await self._end(worker)
            raise
        self._record(worker, "told")
        return worker.task.result()

    def to_background(self) -> bool:
        """Sends those in front into the background; False where there is none."""
        if self.terms.synchronous:
            return False
        in_front = [each for each in self.working if not (each.in_background or each.order.stays)]
        for worker in in_front:
            self._move(worker)
            worker.moved.set()
        return bool(in_front)

    async def say(self, to: str, sender: str, text: str, summary: str) -> str:
        """A word for an agent: it reads it before its next step, or goes on with it where it had ended.

        Raises ModelError and RooCodeError.
        """
        if sender != self.parent and to in (self.parent, "main"):
            self.arrivals.put(
                Arrival(framing.message(sender, text, worth=framing.FROM_SIBLING, summary=summary))
            )
            return f"Sent to {self.parent}."
        worker = self.find(to)
        worth = framing.FROM_PARENT if sender == self.parent else framing.FROM_SIBLING
        message = Message("user", (Text(framing.message(sender, text, worth=worth, summary=summary)),))
        label = worker.profile.label
        if worker.works and worker.child is not None:
            worker.child.say(message)
            return f"Sent to {label}: it reads it before its next step."
        if sender != self.parent:
            raise ModelError(f"{label} has ended: only {self.parent} can have it go on.")
        if self.terms.synchronous:
            raise ModelError(f"{label} has ended, and nothing works in the background here.")
        child = await self._builder.again(worker.profile, worker.order, message)
        worker.in_background, worker.outcome, worker.begun = True, None, False
        child.hold_to_background()
        self._record(worker, "started")
        self._work(worker, child)
        return f"async_launched: {label} had ended; it goes on with its whole context, in the background."

    async def stop(self, to: str) -> str:
        """Ends one. Raises ModelError."""
        worker = self.find(to)
        if not worker.works:
            return f"{worker.profile.label} had ended already: {worker.state}."
        await self._end(worker)
        place = f" {worker.outcome.place}" if worker.outcome and worker.outcome.place else ""
        return f"{worker.profile.label} was stopped. SendMessage has it go on with its whole context.{place}"

    async def stop_all(self) -> None:
        """Ends all that work; what they reached is kept."""
        await asyncio.gather(*(self._end(worker) for worker in self.working))

    def waiting(self, seconds: float | None) -> Step:
        """A step before the end of a run: waits for the next report, as long as the limit lasts."""

        async def wait(tally: Tally) -> bool:
            if self.working and not self.arrivals.waits:
                left = None if seconds is None else max(seconds_left(seconds, tally), 0.0)
                try:
                    async with asyncio.timeout(left):
                        await self.arrivals.wait()
                except TimeoutError:
                    await self.stop_all()
            return self.arrivals.waits

        return wait

    def recall(self, past: Iterable[tuple[Worker, Outcome | None, bool]]) -> None:
        """Takes in the agents of an earlier life of this session, and tells what became of them.

        Each with its outcome, None where it had none, and whether the parent has been told.
        """
        for worker, reached, is_told in past:
            words = self._builder.last_words(worker.profile)
            worker.outcome = replace(reached, text=words) if reached else Outcome("interrupted", words, OVER)
            self.workers[worker.profile.id] = worker
            if not is_told:
                self._tell(worker)

    async def close(self) -> None:
        """Ends all; whoever opens the session again is told of them."""
        self.arrivals.news = lambda: None
        self._closing = True
        await self.stop_all()

    def _label(self, name: str, identifier: str) -> str:
        if not name:
            return identifier
        if not _NAME.fullmatch(name) or _ID.fullmatch(name):
            raise ModelError(
                f"name: {name!r} is none; take letters, digits, - and _, up to 32, as in `parser`"
            )
        if name in RESERVED or name == self.parent:
            raise ModelError(f"name: {name!r} is not free, choose another one")
        if any(name in (worker.profile.id, worker.profile.label) for worker in self.workers.values()):
            raise ModelError(f"There is a sub-agent {name!r} already: SendMessage has it go on.")
        return name

    def _patience(self) -> float | None:
        return None if self.terms.synchronous else self.terms.patience_s

    def _work(self, worker: Worker, child: Child) -> None:
        self.workers[worker.profile.id] = worker
        worker.child = child
        name = f"sub-agent {worker.profile.label}"
        worker.task = asyncio.create_task(self._to_the_end(worker, child), name=name)
        self._changed(worker)

    async def _to_the_end(self, worker: Worker, child: Child) -> Outcome:
        reached = self._stopped("")
        # One that judges a call of another, which has a place already, must not wait for that one's end.
        place = contextlib.nullcontext() if worker.order.unhooked else self._places
        try:
            async with place:
                worker.begun = True
                self._changed(worker)
                reached = outcome.of_run(await child.run())
        except asyncio.CancelledError:
            reached = self._stopped(self._builder.last_words(worker.profile) if worker.begun else "")
        except RooCodeError as error:
            reached = Outcome("failed", reason=str(error))
        return await self._finish(worker, child, reached)

    async def _finish(self, worker: Worker, child: Child, reached: Outcome) -> Outcome:
        worker.child = None
        worker.outcome = replace(reached, place=await child.close())
        self._record(worker, "ended")
        self._changed(worker, over=True)
        if worker.in_background:
            self._tell(worker)
        return worker.outcome

    async def _end(self, worker: Worker) -> None:
        """Whoever asks: it is cancelled once, and never while it is put away."""
        task = worker.task
        if task is None or task.done():
            return
        if worker.child is not None and not task.cancelling():
            task.cancel()
        await asyncio.wait({task})
        if worker.child is not None:
            await self._finish(worker, worker.child, self._stopped(""))

    def _stopped(self, words: str) -> Outcome:
        if self._closing:
            return Outcome("interrupted", words, OVER)
        return Outcome("stopped", words, "it was stopped")

    def _move(self, worker: Worker) -> None:
        worker.in_background = True
        if worker.child is not None:
            worker.child.hold_to_background()
        self._record(worker, "background")
        self._changed(worker)

    def _tell(self, worker: Worker) -> None:
        assert worker.outcome is not None
        text = framing.notification(worker.profile, worker.outcome)
        self.arrivals.put(Arrival(text, lambda: self._record(worker, "told")))

    def _record(self, worker: Worker, event: str) -> None:
        profile, order, reached = worker.profile, worker.order, worker.outcome
        fields: dict[str, object] = {"id": profile.id, "event": event, "background": worker.in_background}
        if event == "started":
            fields |= {"label": profile.label, "kind": profile.kind, "description": profile.description}
            fields |= {"call": profile.call, "worktree": order.in_worktree}
            fields |= {"stays": True} if order.stays else {}
        if event == "ended" and reached is not None:
            fields |= {"status": reached.status, "reason": reached.reason, "place": reached.place}
        self._diary.note("subagent", **fields)

    def _changed(self, worker: Worker, *, over: bool = False) -> None:
        profile = worker.profile
        state = worker.state
        if over and worker.outcome is not None:
            failed, stopped = worker.outcome.status == "failed", worker.outcome.is_failure
            state = "failed" if failed else "stopped" if stopped else "completed"
        self._emit(
            SubAgentChanged(
                agent=profile.label,
                parent=self.parent,
                id=profile.id,
                kind=profile.kind,
                description=profile.description,
                state=state,
                call=profile.call,
                in_background=worker.in_background,
                text=worker.outcome.text if over and worker.outcome else "",
            )
        )
