"""Turns old rounds into one structured summary, in as many requests as their size needs."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Protocol

from roocode.memory.compaction import lasting, rounds
from roocode.memory.compaction.floor import floored
from roocode.memory.compaction.size import tokens_of
from roocode.protocol.errors import ProviderRefused, RooCodeError, StreamCut
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message, Usage, reminder, user

TRIES = 3
"""Requests that are made for one part of a history before the floor takes over, each for half of it."""
INTRODUCTION = (
    "This conversation was too long for the model's window. What came before is replaced by this summary, "
    "which you wrote yourself. Go on with the work as if nothing had happened."
)
LONGEST_WORDS = 2_000
MOST_WORDS = 8_000


@frozen
class Spent:
    """What requests have used; `cost_usd` is None where a price is not known."""

    usage: Usage = Usage()
    cost_usd: float | None = 0.0

    def __add__(self, other: Spent) -> Spent:
        unknown = self.cost_usd is None or other.cost_usd is None
        cost = None if unknown else (self.cost_usd or 0.0) + (other.cost_usd or 0.0)
        return Spent(self.usage + other.usage, cost)


class NoSummary(RooCodeError):
    """The model gave no summary, however small the part asked about; `spent` is what that cost."""

    def __init__(self, what: str, spent: Spent) -> None:
        super().__init__(what)
        self.spent = spent


@frozen
class Answer:
    """What the model made of a history, what that cost, and what the person said in it that will last."""

    text: str
    spent: Spent
    facts: tuple[lasting.Fact, ...] = ()


class Summarizer(Protocol):
    """Asks the model that the conversation is held with, so that the provider's cache knows the beginning."""

    async def __call__(self, messages: tuple[Message, ...]) -> Answer:
        """The answer to these messages, without a tool. Raises ProviderError."""
        ...


def order(focus: str = "", *, facts: bool = False) -> Message:
    """The order to summarise; `focus` is what the person wants to be kept above all.

    With `facts` the summary ends with what the person said that will last.
    """
    parts = ("summary.md", "lasting.md") if facts else ("summary.md",)
    text = "\n\n".join((files(__package__) / part).read_text(encoding="utf-8").strip() for part in parts)
    wish = f"\n\nThe person asks you to keep above all: {focus}" if focus else ""
    return user(text + wish)


async def summarised(
    messages: Sequence[Message], ask: Summarizer, room: int, focus: str = "", *, facts: bool = False
) -> Answer:
    """The summary of a history, and the cost of all requests; `room` is what one request may have in tokens.

    With `facts` the model is asked for the person's lasting words too; a bad answer there changes no summary.

    A history that is too big is taken part by part, each summary merged into the next. Raises NoSummary, and
    ProviderBusy where the provider cannot be asked at all.
    """
    rest, before, spent = tuple(messages), "", Spent()
    ordered, found = order(focus, facts=facts), list[lasting.Fact]()
    while rest:
        space = max(room - tokens_of([ordered, *_with_summary((), before)]), 1)
        end = rounds.oldest(rest, space)
        try:
            answer = await _try(rest[:end], before, ordered, ask, space)
        except NoSummary as none:
            raise NoSummary(none.what, spent + none.spent) from none
        before, spent, rest = answer.text, spent + answer.spent, rest[end:]
        found += answer.facts
    return Answer(before, spent, lasting.said(found, messages) if facts else ())


async def _try(
    part: tuple[Message, ...], before: str, ordered: Message, ask: Summarizer, space: int
) -> Answer:
    """Asks about a part behind the summary of what came before it, and if nothing comes of it about less."""
    spent, fault = Spent(), "an empty answer"
    size = min(tokens_of(part), space)
    for _ in range(TRIES):
        fitting = part if tokens_of(part) <= size else floored(part, size)
        try:
            answer = await ask(_followed(_with_summary(fitting, before), ordered))
        except (StreamCut, ProviderRefused) as error:
            fault = error.what
        else:
            spent += answer.spent
            text, facts = lasting.split(answer.text)
            if text:
                return Answer(text, spent, facts)
        size //= 2
    raise NoSummary(f"the model gave no summary: {fault}", spent)


def _followed(messages: tuple[Message, ...], ordered: Message) -> tuple[Message, ...]:
    """The order is a message of the person: it joins the last one where that is one too."""
    if messages and messages[-1].role == "user":
        return (*messages[:-1], Message("user", (*messages[-1].blocks, *ordered.blocks)))
    return (*messages, ordered)


def _with_summary(messages: tuple[Message, ...], before: str) -> tuple[Message, ...]:
    """Messages behind the summary of what came before them, if there is one."""
    if not before:
        return messages
    head = reminder(f"{INTRODUCTION}\n\n{before}")
    if messages and messages[0].role == "user":
        return (Message("user", (head, *messages[0].blocks)), *messages[1:])
    return (Message("user", (head,)), *messages)


def replaced(
    old: Sequence[Message], kept: Sequence[Message], summary: str, pinned: Sequence[str] = ()
) -> tuple[Message, ...]:
    """The history with a summary in the place of `old`, then what must not be lost, then the kept rounds."""
    words = _words(old)
    said = f"\n\n## The person's words, the newest last\n{words}" if words else ""
    head = Message("user", (reminder(f"{INTRODUCTION}\n\n{summary}{said}"), *map(reminder, pinned)))
    if kept and kept[0].role == "user":
        return (Message("user", (*head.blocks, *kept[0].blocks)), *kept[1:])
    return (head, *kept)


def _words(old: Sequence[Message]) -> str:
    """What the person said themselves, as they said it: as much of the newest as fits."""
    said: list[str] = []
    room = MOST_WORDS
    for message in reversed(old):
        words = message.spoken if message.role == "user" else ""
        if words:
            short = words if len(words) <= LONGEST_WORDS else f"{words[:LONGEST_WORDS]}…"
            room -= len(short)
            if room < 0:
                break
            said.append(f"> {short}")
    return "\n".join(reversed(said))
