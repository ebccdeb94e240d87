"""What a log holds, as a state to go on from: a pure projection, in one pass and with bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roocode.memory.sessions import codec
from roocode.memory.sessions.breaks import Breaks
from roocode.memory.sessions.log import DAMAGED, Header, header_from_json, records
from roocode.memory.sessions.turns import begins
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message, Usage


@frozen
class Replayed:
    """What a log held: its header, messages, usage by model, and the ids of mail it has taken in.

    `measured` is what the provider counted for the last answer, and how many messages there were with it.
    `todos` is the agent's last list, `seen` what it knew of each file, `git` and `budget` the last that was
    noted, `breaks` where what was sent went on from nothing sent before. `discovered` are the further tools
    that the model was sent, in order, and where each came from, `skills` those that were loaded.
    `skipped` counts lines that are not records of ours.
    """

    header: Header
    messages: tuple[Message, ...]
    spent: Mapping[str, Usage] = field(default_factory=dict)
    mail: frozenset[str] = frozenset()
    measured: tuple[int, Usage] | None = None
    todos: tuple[Mapping[str, Any], ...] = ()
    seen: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    git: Mapping[str, Any] = field(default_factory=dict)
    budget: Mapping[str, Any] = field(default_factory=dict)
    skipped: int = 0
    breaks: Breaks = Breaks()
    discovered: Mapping[str, str] = field(default_factory=dict)
    skills: tuple[Mapping[str, Any], ...] = ()

    @property
    def usage(self) -> Usage:
        """The sum of all that was used."""
        return sum(self.spent.values(), Usage())


def replay(
    path: Path, *, before_turn: int | None = None, read: Callable[[int], None] = lambda size: None
) -> Replayed:
    """Reads a log, whole or up to where a turn began. The same file always gives the same state.

    `read` hears how many bytes each line had. Raises UserError where there is no session in it, or no such
    turn.
    """
    reading = _Reading()
    for record in records(path, read=read):
        if before_turn is not None and record and begins(record, before_turn):
            break
        try:
            reading.take(record or {})
        except DAMAGED:
            reading.skipped += 1
    else:
        if before_turn is not None:
            raise UserError(f"{path} holds no turn {before_turn}", "/rewind shows the turns")
    if reading.header is None:
        raise UserError(f"{path} holds no session", "its first record is missing or damaged")
    return reading.result(reading.header)


@dataclass(slots=True)
class _Reading:
    """A log as far as it is read; `take` raises one of DAMAGED on a damaged record, and keeps none of it."""

    header: Header | None = None
    messages: list[Message] = field(default_factory=list)
    spent: dict[str, Usage] = field(default_factory=dict)
    mail: set[str] = field(default_factory=set)
    last_reply: tuple[int, Usage] | None = None
    todos: tuple[Mapping[str, Any], ...] = ()
    seen: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    git: Mapping[str, Any] = field(default_factory=dict)
    budget: Mapping[str, Any] = field(default_factory=dict)
    skipped: int = 0
    breaks: Breaks = field(default_factory=Breaks)
    discovered: dict[str, str] = field(default_factory=dict)
    skills: tuple[Mapping[str, Any], ...] = ()
    _by: str = ""

    def take(self, record: Mapping[str, Any]) -> None:
        breaks = self.breaks.taken(record)
        self._take(record)
        self.breaks = breaks

    def _take(self, record: Mapping[str, Any]) -> None:
        match record.get("type"):
            case "session":
                self._open(record)
            case "prompt":
                message, mail = codec.message_from_json(record["message"]), set(record.get("mail", ()))
                self.messages.append(message)
                self.mail |= mail
            case "reply":
                reply = codec.reply_from_json(dict(record))
                self.messages.append(reply.message)
                self._by = reply.by
                self._spend(reply.usage, reply.by)
                self.last_reply = (len(self.messages), reply.usage)
            case "result":
                self.messages.append(Message("user", (codec.block_from_json(record["result"]),)))
            case "compaction":
                shorter = [codec.message_from_json(message) for message in record["messages"]]
                self._spend(codec.usage_from_json(record["usage"]), self._by)
                self.messages, self.last_reply = shorter, None
            case "rewind":
                self._rewind(record)
            case "todos":
                self.todos = tuple(dict(item) for item in record["items"])
            case "seen":
                self.seen |= codec.seen_from_json(record["files"])
            case "skill":
                self.skills += codec.skills_from_json([record])
            case "skills_over":
                self.skills = tuple({**skill, "allowed": None} for skill in self.skills)
            case "discovered":
                tools = dict(record["tools"]).items()
                self.discovered |= {str(name): str(source) for name, source in tools}
            case "git":
                self.git = dict(record["state"])
            case "spent":
                self._spend(codec.usage_from_json(record["usage"]), str(record["by"]))
            case "budget":
                self.budget = dict(record["limits"])
            case None:
                self.skipped += 1
            case _:
                pass

    def _open(self, record: Mapping[str, Any]) -> None:
        """The first header counts: what was copied behind it does not make it another session."""
        if self.header is None:
            self.header = header_from_json(record)
            self.git = self.git or self.header.git

    def _spend(self, usage: Usage, by: str) -> None:
        self.spent[by] = self.spent.get(by, Usage()) + usage

    def _rewind(self, record: Mapping[str, Any]) -> None:
        earlier = [codec.message_from_json(message) for message in record["messages"]]
        todos = tuple(dict(item) for item in record["todos"])
        skills = codec.skills_from_json(record.get("skills", ()))
        self.seen = codec.seen_from_json(record.get("seen", {}))
        self.todos, self.skills, self.messages, self.last_reply = todos, skills, earlier, None

    def result(self, header: Header) -> Replayed:
        measured = None
        if self.last_reply is not None:
            count, usage = self.last_reply
            measured = (len(joined(self.messages[:count])), usage)
        return Replayed(
            header=header,
            messages=tuple(self.messages),
            spent=self.spent,
            mail=frozenset(self.mail),
            measured=measured,
            todos=self.todos,
            seen=self.seen,
            git=self.git,
            budget=self.budget,
            skipped=self.skipped,
            breaks=self.breaks,
            discovered=self.discovered,
            skills=self.skills,
        )


def joined(messages: Iterable[Message]) -> list[Message]:
    """The messages with neighbours of one role made one, and empty ones left out."""
    whole: list[Message] = []
    for message in messages:
        if message.blocks and whole and whole[-1].role == message.role:
            whole[-1] = Message(message.role, whole[-1].blocks + message.blocks)
        elif message.blocks:
            whole.append(message)
    return whole
