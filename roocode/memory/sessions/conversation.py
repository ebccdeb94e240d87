"""A conversation: what the log holds, as the messages that are sent to a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from roocode.memory.sessions import codec
from roocode.memory.sessions.breaks import Breaks
from roocode.memory.sessions.log import Header, SessionLog, header_to_json
from roocode.memory.sessions.pairing import LOST, open_calls, paired
from roocode.memory.sessions.replay import Replayed, joined, replay
from roocode.protocol.messages import Break, Message, Reply, Text, Thinking, ToolCall, ToolResult, Usage
from roocode.security.isolation.masking import Mask, masked, unmasked


class Conversation:
    """The one place where history grows: every addition is in the log before it is in memory.

    What is sent is a pure projection of it, append-only but for `compact` and `rewind`, in which each call
    has exactly one result. Secrets are masked before either: what is sent later is what the log holds. `keep`
    makes of a result what stays in the conversation (`compaction.spill`). `measured` is what the provider
    counted for the last answer, and how many messages there were with it; a resumed agent goes on with its
    list `todos`, with what it knows of files, `seen`, with the `skills` that it had loaded, and with the
    further tools that were `discovered`. `breaks` names and counts where what is sent was not append-only.
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
        self.seen: Mapping[str, Mapping[str, Any]] = {}
        self._sights: list[tuple[str, Mapping[str, Any]]] = []
        self.breaks = Breaks()
        self.discovered: Mapping[str, str] = {}
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
    def resume(
        cls, path: Path, mask: Mask = unmasked, *, read: Callable[[int], None] = lambda size: None
    ) -> tuple[Conversation, Replayed]:
        """Opens a saved log to go on in it. Calls that were left open get an error result, on disk too.

        `read` hears how many bytes each line had. Of a log from before its secrets were known, what is sent
        is masked; the file stays as it is.
        """
        stored = replay(path, read=read)
        past = masked(stored, mask)
        conversation = cls(SessionLog(path), past.header, mask=mask)
        conversation._messages = list(joined(past.messages))
        conversation.close_open_calls(LOST)
        conversation._messages = list(paired(conversation._messages))
        conversation._call_ids = {call.id for m in conversation._messages for call in m.calls}
        conversation.measured, conversation.todos, conversation.seen = past.measured, past.todos, past.seen
        conversation.discovered = past.discovered
        hidden = (past.header.system, past.messages) != (stored.header.system, stored.messages)
        conversation.breaks = stored.breaks.broken("masking") if hidden else stored.breaks
        conversation.skills = past.skills
        return conversation, past

    @classmethod
    def fork(
        cls,
        source: Path,
        path: Path,
        mask: Mask = unmasked,
        *,
        git: Mapping[str, Any] | None = None,
        read: Callable[[int], None] = lambda size: None,
    ) -> tuple[Conversation, Replayed]:
        """A new session, its id the name of its file, that begins with the whole history of another.

        It has spent nothing yet and has no budget; `git` is the state that it begins in.
        """
        past = masked(replay(source, read=read), mask)
        header = replace(past.header, id=path.stem, created_at="", git=git or {})
        conversation = cls.create(path, header, mask)
        for message in paired(past.messages):
            conversation.add_prompt(message)
        if past.todos:
            conversation.note("todos", items=list(past.todos))
        if past.seen:
            conversation.note("seen", files=past.seen)
        if past.discovered:
            conversation.note("discovered", tools=dict(past.discovered))
        for skill in past.skills:
            conversation.note("skill", **skill)
        conversation.todos, conversation.seen = past.todos, past.seen
        conversation.discovered, conversation.skills = past.discovered, past.skills
        return conversation, replace(past, spent={}, budget={})

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
        self._append("reply", **codec.reply_to_json(kept))
        self._join(kept.message)
        if kept.usage.total and not kept.usage.estimated:
            self.measured = (len(self._messages), kept.usage)
        return whole

    def add_result(self, result: ToolResult) -> None:
        """Adds the result of one call, and what it showed of files; results may come in any order."""
        kept = self.keep(masked(result, self._mask))
        self._log.append("result", result=codec.block_to_json(kept))
        if files := self._shown():
            self._log.append("seen", files=files)
        self._join(Message("user", (kept,)))

    def saw(self, path: str, sight: Mapping[str, Any]) -> None:
        """A file was read or written; the log says so once it has the result that told of it."""
        if self._mask(path) == path:
            self._sights.append((path, sight))

    def compact(self, messages: Iterable[Message], usage: Usage, **facts: object) -> None:
        """Puts a shorter history in the place of all that was; the log keeps both.

        `usage` is what making it has cost; `facts` are told beside it.
        """
        shorter = tuple(masked(message, self._mask) for message in paired(messages))
        self._append(
            "compaction",
            **facts,
            usage=codec.usage_to_json(usage),
            messages=[codec.message_to_json(message) for message in shorter],
        )
        self._messages = list(shorter)
        self.measured = None

    def rewind(self, turn: int) -> None:
        """Goes back to where a turn began, its list and what was seen too; the log keeps what came after.

        Raises UserError where there is no such turn.
        """
        past = masked(replay(self.path, before_turn=turn), self._mask)
        earlier = paired(past.messages)
        self._append(
            "rewind",
            turn=turn,
            todos=[dict(item) for item in past.todos],
            seen=past.seen,
            skills=[dict(skill) for skill in past.skills],
            messages=[codec.message_to_json(message) for message in earlier],
        )
        self._messages, self.measured = list(earlier), None
        self.todos, self.seen, self.skills = past.todos, past.seen, past.skills
        self._sights.clear()

    def offer(self, tools: str, change: Break = "tools") -> None:
        """Notes which tools each request has from here on; `tools` is their list as text."""
        digest = blake2b(tools.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        if digest != self.breaks.tools:
            self._append("tools", digest=digest, change=change)

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

    def _shown(self) -> dict[str, Mapping[str, Any]]:
        files = {}
        while self._sights:
            path, sight = self._sights.pop(0)
            files[path] = sight
        return files

    def close(self) -> None:
        """Closes the log."""
        self._log.close()

    def _append(self, kind: str, /, **fields: Any) -> None:
        self._log.append(kind, **fields)
        self.breaks = self.breaks.taken({"type": kind, **fields})

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
