"""Where each agent stands in its steps, told from its own conversation.

An answer counts once it stands in a request's conversation: an agent that was killed before it could
store the answer gets the same one again, and one that was resumed from its transcript goes on behind
what the transcript holds. An answer is known again by its calls' ids, or by its text where it has no calls.
What can never be seen again (errors, cuts, raw bytes, `once`) counts when it is sent.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message
from roocode.scripted.answer import Answer
from roocode.scripted.asked import SUMMARY, Asked, Sender
from roocode.scripted.scenario import Step


@frozen
class Part:
    """A step in its place: `entry` is its number in the file, `label` also names a group's member."""

    entry: int
    label: str
    step: Step


@frozen
class Play:
    """The `number`-th playing (from 0) of a part."""

    label: str
    number: int


@dataclass(slots=True)
class Progress:
    """What one conversation has behind it: plays that were seen in it, and all that were sent."""

    seen: set[Play] = field(default_factory=set)
    sent: Counter[str] = field(default_factory=Counter)
    tries: Counter[Play] = field(default_factory=Counter)

    def next_play(self, part: Part) -> Play:
        """The play that comes next for a part: the same one again until it was seen."""
        if part.step.always or part.step.spent_by_sending:
            return Play(part.label, self.sent[part.label])
        number = 0
        while Play(part.label, number) in self.seen:
            number += 1
        return Play(part.label, number)

    def done(self, part: Part) -> bool:
        """Whether a part has been played as often as it can be."""
        return not part.step.always and self.next_play(part).number >= part.step.repeat


class Journal:
    """The progress of all agents, and the memory by which their answers are known again."""

    def __init__(self) -> None:
        self._progress: dict[Sender, Progress] = {}
        self._latest: dict[str, Progress] = {}
        self._by_call: dict[tuple[str, str], Play] = {}
        self._by_text: dict[tuple[str, str], list[Play]] = defaultdict(list)

    def follow(self, asked: Asked) -> Progress:
        """Takes in what a request's conversation shows, and gives the asking agent's progress.

        A request for a summary (`alice/summary`) holds the conversation of the agent it is for. A session
        that was not seen before inherits from the agent's latest one if it goes on with its conversation.
        """
        base = asked.sender.agent.removesuffix(SUMMARY)
        self._take_in(Sender(base, asked.sender.team, asked.sender.session), asked.answers)
        return self._of(asked.sender)

    def sent(self, sender: Sender, play: Play, answer: Answer | None) -> None:
        """Notes that a play left for an agent; `answer` is None where it cannot be known again."""
        progress = self._of(sender)
        progress.sent[play.label] += 1
        progress.tries[play] += 1
        self._latest[sender.agent] = progress
        if answer is None:
            return
        for call in answer.calls:
            self._by_call[sender.agent, call.id] = play
        if not answer.calls and play not in (plays := self._by_text[sender.agent, answer.text.strip()]):
            plays.append(play)

    def finished(self, agent: str, part: Part) -> bool:
        """Whether any conversation of the agent is through with this part, the last answer being out."""
        records = [progress for sender, progress in self._progress.items() if sender.agent == agent]
        return any(
            progress.sent[part.label] >= part.step.repeat
            if part.step.spent_by_sending
            else progress.tries[Play(part.label, part.step.repeat - 1)] > 0
            for progress in records
        )

    def _of(self, sender: Sender) -> Progress:
        return self._progress.setdefault(sender, Progress())

    def _take_in(self, sender: Sender, answers: Sequence[Message]) -> None:
        plays = set(self._recognised(sender.agent, answers))
        latest = self._latest.get(sender.agent)
        if sender not in self._progress and plays and latest is not None:
            self._progress[sender] = Progress(set(), Counter(latest.sent))
        self._of(sender).seen.update(plays)

    def _recognised(self, agent: str, answers: Sequence[Message]) -> Iterator[Play]:
        """The plays that stand in a conversation; equal texts stand for their plays in order."""
        met: Counter[str] = Counter()
        for message in answers:
            by_call = [self._by_call.get((agent, call.id)) for call in message.calls]
            if by_call:
                yield from (play for play in by_call if play is not None)
                continue
            text = message.text.strip()
            plays = self._by_text.get((agent, text), [])
            if met[text] < len(plays):
                yield plays[met[text]]
                met[text] += 1
