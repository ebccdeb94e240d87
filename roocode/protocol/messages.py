"""What a conversation is made of: messages of blocks, the same for every provider."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any, Literal, TypeAlias, get_args

from roocode.protocol.frozen import frozen

Arguments: TypeAlias = Mapping[str, Any]

REMINDER = "<system-reminder>"
MAIL = (
    "<team-", "<task-assignment ", "<shutdown-", "<plan-approval-", "<task-notification ", "<agent-message ",
)  # fmt: skip
"""How the texts that quote other agents' mail begin."""


@frozen
class Text:
    """Plain text, of the person or of the model."""

    text: str


@frozen
class Thinking:
    """The model's reasoning; `signature` is echoed to the provider that signed it, `origin`, and to no other.

    An empty `origin` is not known: the block comes from a session of an older version.
    """

    text: str
    signature: str | None = None
    redacted: bool = False
    origin: str = ""


@frozen
class ToolCall:
    """A call that the model asks for.

    `arguments` is None when what the model sent is not a JSON object; `raw` keeps what it sent.
    `complaint` says why, in words for the model.
    """

    id: str
    name: str
    arguments: Arguments | None
    raw: str = ""
    complaint: str = ""


@frozen
class ToolResult:
    """The one result of the call with the same id."""

    call_id: str
    content: str
    is_error: bool = False


Block: TypeAlias = Text | Thinking | ToolCall | ToolResult


@frozen
class Message:
    """One message: `user` holds text and tool results, `assistant` text, thinking and calls."""

    role: Literal["user", "assistant"]
    blocks: tuple[Block, ...]

    @property
    def text(self) -> str:
        """All text blocks joined by a blank line."""
        return "\n\n".join(block.text for block in self.blocks if isinstance(block, Text) and block.text)

    @property
    def spoken(self) -> str:
        """The person's own words in a user message, without the reminders and the mail beside them."""
        texts = (block.text for block in self.blocks if isinstance(block, Text))
        return "\n\n".join(text for text in texts if text and not text.startswith((REMINDER, *MAIL)))

    @property
    def letters(self) -> str:
        """The mail of other agents in a user message, in its frames."""
        texts = (block.text for block in self.blocks if isinstance(block, Text))
        return "\n\n".join(text for text in texts if text.startswith(MAIL))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls, in order."""
        return tuple(block for block in self.blocks if isinstance(block, ToolCall))

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """The tool results, in order."""
        return tuple(block for block in self.blocks if isinstance(block, ToolResult))


def user(*texts: str) -> Message:
    """A user message of text blocks."""
    return Message("user", tuple(Text(text) for text in texts))


def results(outcomes: Iterable[ToolResult]) -> Message:
    """The user message that answers the calls of the assistant's message before it."""
    return Message("user", tuple(outcomes))


def reminder(text: str) -> Text:
    """Text of the system inside a user message: date, mode, mail, notes."""
    quoted = text.replace("</system-reminder", "&lt;/system-reminder")
    return Text(f"{REMINDER}\n{quoted}\n</system-reminder>")


@frozen
class Usage:
    """Tokens of one response or a sum of them; `estimated` where a provider sent none."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    estimated: bool = False

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.estimated or other.estimated,
        )

    @property
    def total(self) -> int:
        """All tokens that were sent or received."""
        return self.input_tokens + self.output_tokens + self.cache_read_tokens + self.cache_write_tokens


StopReason: TypeAlias = Literal["end", "tools", "max_tokens", "refusal", "stop_sequence", "pause", "window"]


Break: TypeAlias = Literal[
    "cleared", "summary", "dropped", "rewind", "discovery", "tools", "model", "endpoint", "masking"
]
"""Why a request does not begin with all that the one before it held, so that a provider's cache misses.

Old results were cleared, a summary replaced old turns, the oldest turns were dropped; turns were taken back;
the list of tools grew at its end, or is another; another model is asked; an endpoint wants the history in
another form; a secret in it became known.
"""
BREAKS: tuple[Break, ...] = get_args(Break)


@frozen
class Reply:
    """A whole answer of the model: its message, why it stopped, and what it used.

    `model` is the name that the provider gave, `by` the `provider/model-id` that was asked, `breaks` are
    those that only the client of the model knows of.
    """

    message: Message
    stop: StopReason
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    by: str = ""
    breaks: tuple[Break, ...] = ()
