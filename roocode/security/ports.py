"""What the guard needs of others: someone who asks a person, a record, hooks and a store of rules."""

from __future__ import annotations

from typing import Protocol

from roocode.protocol.decisions import Decision, PermissionAnswer, PermissionQuestion, Store
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Arguments, ToolCall
from roocode.protocol.tools import ToolOutcome


@frozen
class BoundAnswer:
    """A person's answer, bound to the question it was given to by the question's id and digest."""

    question_id: str
    digest: str
    answer: PermissionAnswer


class Approver(Protocol):
    """Whoever can ask a person: a screen, mail to the lead's window, or a policy."""

    async def ask(self, question: PermissionQuestion) -> BoundAnswer:
        """Waits for the answer to exactly this question; an answer to another one counts as no."""
        ...


class Recorder(Protocol):
    """Where what the guard does is written down; called in order, before the next step."""

    def decided(self, call: ToolCall, decision: Decision) -> None:
        """The final word on a call: it runs now, or not at all."""
        ...

    def asked(self, question: PermissionQuestion) -> None:
        """A question is about to be put to a person."""
        ...

    def answered(self, question: PermissionQuestion, answer: PermissionAnswer) -> None:
        """The question is closed; an answer that did not count is recorded as the denial it became."""
        ...


@frozen
class BeforeCall:
    """What the hooks say of a call: other arguments for it, why it must not run, or why a person is asked.

    They cannot allow: a refusal beats a question, and a question beats what would let the call run.
    """

    arguments: Arguments | None = None
    refused: str = ""
    ask: str = ""


class CallHooks(Protocol):
    """The person's hooks around each call."""

    async def before(self, call: ToolCall) -> BeforeCall:
        """Runs before a call that was not denied."""
        ...

    async def after(self, call: ToolCall, outcome: ToolOutcome) -> ToolOutcome:
        """Runs after the tool; returns the outcome, perhaps with something added."""
        ...


class FileKeeper(Protocol):
    """Whoever keeps files before an agent changes them."""

    async def changing(self, files: tuple[str, ...]) -> None:
        """A call that may change something runs next; `files` are the real paths that its tool writes itself.

        Raises nothing: what cannot be kept does not stop a call.
        """
        ...


class RuleStore(Protocol):
    """Where "always allow" is kept."""

    @property
    def stores(self) -> tuple[tuple[Store, str], ...]:
        """The files that rules can go to, the usual one first: (scope, path as people write it)."""
        ...

    @property
    def base(self) -> str:
        """The directory that a path beginning with `/` starts from in these files."""
        ...

    def add_allow(self, rules: tuple[str, ...], store: Store) -> str:
        """Stores allow rules and returns the file they went to, in words; raises RooCodeError."""
        ...
