"""A conversation: what the log holds, as the messages that are sent to a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from roocode.memory.sessions import codec
from roocode.memory.sessions.log import Header, SessionLog, header_from_json, header_to_json, records
from roocode.memory.sessions.pairing import LOST, open_calls, paired
from roocode.memory.sessions.turns import begins
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message, Reply, Text, Thinking, ToolCall, ToolResult, Usage
from roocode.security.isolation.masking import Mask, masked, unmasked


@frozen
class Replayed:
    """What a log held: its header, messages, the sum of usage, and the ids of mail it has taken in.

    `measured` is what the provider counted for the last answer, and how many messages there were with it.
    `todos` is the agent's last list, `skills` the records of those that it loaded. `skipped` counts lines
    that are not records of ours.
    """

    header: Header
    messages: tuple[Message, ...]
    usage: Usage = field(default_factory=Usage)
    mail: frozenset[str] = frozenset()
    measured: tuple[int, Usage] | None = None
    todos: tuple[Mapping[str, Any], ...] = ()
    skipped: int = 0
    skills: tuple[Mapping[str, Any], ...] = ()


def replay(path: Path, *, before_turn: int | None = None) -> Replayed:
    """Reads a log, whole or up to where a turn began. The same file always gives the same state.

    Raises UserError where there is no session in it, or no such turn.
    """
    reading = _Reading()
    for record in records(path):
        if before_turn is not None and record and begins(record, before_turn):
            break
        try:
            reading.take(record or {})
        except (KeyError, TypeError, ValueError):
            reading.skipped += 1
    else:
        if before_turn is not None:
            raise UserError(f"{path} holds no turn {before_turn}", "/rewind shows the turns")
    if reading.header is None:
        raise UserError(f"{path} holds no session", "its first record is missing or damaged")
    return reading.result(reading.header)


@dataclass(slots=True)
class _Reading:
    """A log as far as it is read; `take` raises KeyError, TypeError or ValueError on a damaged record."""

    header: Header | None = None
    messages: list[Message] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    mail: set[str] = field(default_factory=set)
    last_reply: tuple[int, Usage] | None = None
    todos: tuple[Mapping[str, Any], ...] = ()
    skipped: int = 0
    skills: tuple[Mapping[str, Any], ...] = ()

    def take(self, record: Mapping[str, Any]) -> None:
        match record.get("type"):
            case "session":
                self.header = header_from_json(record)
            case "prompt":
                self.messages.append(codec.message_from_json(record["message"]))
                self.mail |= set(record.get("mail", ()))
            case "reply":
                reply = codec.reply_from_json(dict(record))
                self.messages.append(reply.message)
                self.usage += reply.usage
                self.last_reply = (len(self.messages), reply.usage)
            case "result":
                self.messages.append(Message("user", (codec.block_from_json(record["result"]),)))
            case "compaction":
                shorter = [codec.message_from_json(message) for message in record["messages"]]
                self.usage += codec.usage_from_json(record["usage"])
                self.messages, self.last_reply = shorter, None
            case "rewind":
                earlier = [codec.message_from_json(message) for message in record["messages"]]
                self.todos = tuple(dict(item) for item in record["todos"])
                self.skills = loaded_skills(record.get("skills", ()))
                self.messages, self.last_reply = earlier, None
            case "skill":
                self.skills += loaded_skills([record])
            case "skills_over":
                self.skills = tuple({**skill, "allowed": None} for skill in self.skills)
            case "todos":
                self.todos = tuple(dict(item) for item in record["items"])
            case None:
                self.skipped += 1
            case _:
                pass

    def result(self, header: Header) -> Replayed:
        measured = None
        if self.last_reply is not None:
            count, usage = self.last_reply
            measured = (len(_joined(tuple(self.messages[:count]))), usage)
        return Replayed(
            header,
            tuple(self.messages),
            self.usage,
            frozenset(self.mail),
            measured,
            self.todos,
            self.skipped,
            self.skills,
        )


class Conversation:
    """The one place where history grows: every addition is in the log before it is in memory.

    What is sent is a pure projection of it, append-only but for `compact` and `rewind`, in which each call
    has exactly one result. Secrets are masked before either: what is sent later is what the log holds. `keep`
    makes of a result what stays in the conversation (`compaction.spill`). `measured` is what the provider
    counted for the last answer, and how many messages there were with it; `todos` is the list that a resumed
    agent goes on with, `skills` are those that it had loaded.
    """

    def __init__(
        self,
        log: SessionLog,
        header: Header,
        past: tuple[Message, ...] = (),
        mask: Mask = unmasked,
        *,
        keep: Callable[[ToolResult], ToolResult] = lambda result: result,
    ) -> None:
        self.header = header
        self.keep = keep
        self.measured: tuple[int, Usage] | None = None
        self.todos: tuple[Mapping[str, Any], ...] = ()
        self.skills: tuple[Mapping[str, Any], ...] = ()
        self._log = log
        self._mask = mask
        self._messages = list(paired(past))
        self._call_ids = {call.id for message in self._messages for call in message.calls}

    @classmethod
    def create(cls, path: Path, header: Header, mask: Mask = unmasked) -> Conversation:
        """Opens a new log with its header."""
        log, header = SessionLog(path), masked(header, mask)
        log.append("session", **header_to_json(header))
        return cls(log, header, mask=mask)

    @classmethod
    def resume(cls, path: Path, mask: Mask = unmasked) -> tuple[Conversation, Replayed]:
        """Opens a saved log to go on in it. Calls that were left open get an error result, on disk too.

        Of a log from before its secrets were known, what is sent is masked; the file stays as it is.
        """
        past = masked(replay(path), mask)
        conversation = cls(SessionLog(path), past.header, mask=mask)
        conversation._messages = list(_joined(past.messages))
        conversation.close_open_calls(LOST)
        conversation._messages = list(paired(conversation._messages))
        conversation._call_ids = {call.id for m in conversation._messages for call in m.calls}
        conversation.measured, conversation.todos = past.measured, past.todos
        conversation.skills = past.skills
        return conversation, past

    @classmethod
    def fork(cls, source: Path, path: Path, mask: Mask = unmasked) -> tuple[Conversation, Replayed]:
        """A new session, its id the name of its file, that begins with the whole history of another."""
        past = masked(replay(source), mask)
        header = replace(past.header, id=path.stem, created_at="")
        conversation = cls.create(path, header, mask)
        for message in paired(past.messages):
            conversation.add_prompt(message)
        if past.todos:
            conversation.note("todos", items=list(past.todos))
        for skill in past.skills:
            conversation.note("skill", **skill)
        conversation.todos, conversation.skills = past.todos, past.skills
        return conversation, past

    @property
    def path(self) -> Path:
        """Where the log lies."""
        return self._log.path

    def messages(self) -> tuple[Message, ...]:
        """What is sent to the model: call `close_open_calls` first when a run was cut."""
        return tuple(self._messages)

    def add_prompt(self, message: Message, mail: tuple[str, ...] = ()) -> None:
        """Adds a user message (or, in a fork, any message); `mail` are ids of team mail inside it."""
        extra = {"mail": list(mail)} if mail else {}
        message = masked(message, self._mask)
        self._log.append("prompt", message=codec.message_to_json(message), **extra)
        self._join(message)

    def add_reply(self, reply: Reply) -> Reply:
        """Adds an answer and returns it as it was kept: no empty blocks, no call id twice in a history.

        What is returned has its secrets still: its calls are run as the model meant them.
        """
        full = (b for b in reply.message.blocks if not (isinstance(b, Text) and not b.text))
        blocks = tuple(self._with_new_id(b) if isinstance(b, ToolCall) else b for b in full)
        if all(isinstance(block, Thinking) for block in blocks):
            blocks = ()
        whole = replace(reply, message=Message("assistant", blocks))
        kept = masked(whole, self._mask)
        self._log.append("reply", **codec.reply_to_json(kept))
        self._join(kept.message)
        if kept.usage.total and not kept.usage.estimated:
            self.measured = (len(self._messages), kept.usage)
        return whole

    def add_result(self, result: ToolResult) -> None:
        """Adds the result of one call; results may come in any order."""
        kept = self.keep(masked(result, self._mask))
        self._log.append("result", result=codec.block_to_json(kept))
        self._join(Message("user", (kept,)))

    def compact(self, messages: Iterable[Message], usage: Usage, **facts: object) -> None:
        """Puts a shorter history in the place of all that was; the log keeps both.

        `usage` is what making it has cost; `facts` are told beside it.
        """
        shorter = tuple(masked(message, self._mask) for message in paired(messages))
        self._log.append(
            "compaction",
            **facts,
            usage=codec.usage_to_json(usage),
            messages=[codec.message_to_json(message) for message in shorter],
        )
        self._messages = list(shorter)
        self.measured = None

    def rewind(self, turn: int) -> None:
        """Goes back to where a turn began, its list too; the log keeps what came after.

        Raises UserError where there is no such turn.
        """
        past = masked(replay(self.path, before_turn=turn), self._mask)
        earlier = paired(past.messages)
        self._log.append(
            "rewind",
            turn=turn,
            todos=[dict(item) for item in past.todos],
            skills=[dict(skill) for skill in past.skills],
            messages=[codec.message_to_json(message) for message in earlier],
        )
        self._messages, self.measured, self.todos = list(earlier), None, past.todos
        self.skills = past.skills

    def note(self, kind: str, /, **fields: object) -> None:
        """Records something that is not part of the conversation: a decision, a mode."""
        self._log.append(kind, **masked(fields, self._mask))

    def close_open_calls(self, why: str) -> tuple[ToolCall, ...]:
        """Gives each call without a result an error result; returns those calls."""
        left = open_calls(self._messages)
        for call in left:
            self.add_result(ToolResult(call.id, why, True))
        if left:
            self._messages = list(paired(self._messages))
        return left

    def settle_results(self) -> None:
        """Puts the results of the last answer into the order of its calls, once all have come."""
        tail = len(self._messages) - 2
        if tail >= 0 and self._messages[tail].calls:
            self._messages[tail:] = list(paired(self._messages[tail:]))

    def close(self) -> None:
        """Closes the log."""
        self._log.close()

    def _with_new_id(self, call: ToolCall) -> ToolCall:
        identifier, again = call.id, 1
        while identifier in self._call_ids:
            again += 1
            identifier = f"{call.id}-{again}"
        self._call_ids.add(identifier)
        return call if identifier == call.id else replace(call, id=identifier)

    def _join(self, message: Message) -> None:
        if message.blocks:
            if self._messages and self._messages[-1].role == message.role:
                self._messages[-1] = Message(message.role, self._messages[-1].blocks + message.blocks)
            else:
                self._messages.append(message)


def loaded_skills(records: Iterable[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """The fields of loaded skills. Raises KeyError or TypeError for what is none."""
    return tuple({name: record[name] for name in ("name", "text", "allowed")} for record in records)


def _joined(messages: tuple[Message, ...]) -> list[Message]:
    whole: list[Message] = []
    for message in messages:
        if message.blocks and whole and whole[-1].role == message.role:
            whole[-1] = Message(message.role, whole[-1].blocks + message.blocks)
        elif message.blocks:
            whole.append(message)
    return whole
