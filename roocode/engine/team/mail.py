"""Typed messages as JSON, and what may be sent by whom. Pure."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, TypeAlias

from roocode.engine.team import codec
from roocode.engine.team.codec import Malformed
from roocode.protocol.errors import ModelError
from roocode.protocol.team import (
    LEAD,
    IdleNotification,
    PermissionRequest,
    PermissionResponse,
    PlanApprovalRequest,
    PlanApprovalResponse,
    ShutdownRequest,
    ShutdownResponse,
    StatusUpdate,
    TaskAssignment,
    TeamMessage,
    TextMail,
    valid_name,
)

KINDS: Mapping[str, type[TeamMessage]] = {
    "message": TextMail,
    "task_assignment": TaskAssignment,
    "status_update": StatusUpdate,
    "idle_notification": IdleNotification,
    "shutdown_request": ShutdownRequest,
    "shutdown_response": ShutdownResponse,
    "plan_approval_request": PlanApprovalRequest,
    "plan_approval_response": PlanApprovalResponse,
    "permission_request": PermissionRequest,
    "permission_response": PermissionResponse,
}
MAX_TEXT = 1_000_000
SUMMARY_WORDS = 10

_OPTIONAL = ("approve", "reason", "feedback", "inReplyTo")
_NAMES = {kind: name for name, kind in KINDS.items()}
_ID_MARKS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")

Content: TypeAlias = str | Mapping[str, Any]


class MailRefused(ModelError):
    """A message that may not be sent, or that nobody would get; the text says why."""


def new_id() -> str:
    """An id that no other message has: `m` and 128 random bits in hexadecimal."""
    return f"m{os.urandom(16).hex()}"


def kind_of(message: TeamMessage) -> str:
    """The `type` of a message on disk."""
    return _NAMES[type(message)]


def wakes(message: TeamMessage) -> bool:
    """Whether a waiting agent is woken by this message: all but a mere status update."""
    return not isinstance(message, StatusUpdate)


def encode(message: TeamMessage) -> dict[str, Any]:
    """The JSON object of a message: `id`, `type`, `from`, `to`, and the rest of TEAM.md's table."""
    fields = codec.encode(message)
    if message.in_reply_to is None:
        del fields["inReplyTo"]
    return {"id": fields.pop("id"), "type": kind_of(message), **fields}


def decode(data: object) -> TeamMessage:
    """A message from its JSON object. Raises Malformed, also for ids and names that name no file."""
    if not isinstance(data, Mapping):
        raise Malformed("expected an object")
    kind = KINDS.get(str(data.get("type")))
    if kind is None:
        raise Malformed(f"type: expected one of {', '.join(KINDS)}")
    message = codec.decode(kind, data)
    if not 0 < len(message.id) <= 64 or not _ID_MARKS.issuperset(message.id):
        raise Malformed("id: expected 1 to 64 letters, digits, _ or -")
    for field, name in (("from", message.from_), ("to", message.to)):
        if not valid_name(name):
            raise Malformed(f"{field}: expected a member's name")
    return message


def summary_of(text: str) -> str:
    """A summary made from the text itself: its first words."""
    words = text.split()
    return " ".join(words[:SUMMARY_WORDS]) + (" …" if len(words) > SUMMARY_WORDS else "")


def compose(
    content: Content, *, sender: str, to: str, summary: str = "", permission_mode: str = "default"
) -> TeamMessage:
    """The message that a model asks to send: text, or an object with a `type`; unsigned, with a new id.

    `permission_mode` is the sender's own, which a plan approval passes on. Raises MailRefused.
    """
    fields: Mapping[str, Any] = {"text": content} if isinstance(content, str) else content
    kind = str(fields.get("type", "message"))
    _check_route(kind, sender, to)
    text = str(fields.get("text", ""))
    if len(text) > MAX_TEXT:
        raise MailRefused(f"The message has {len(text)} characters: at most {MAX_TEXT} can be sent.")
    if not text and kind in ("message", "status_update"):
        raise MailRefused(f"message.text: missing, expected the words of the {kind}.")
    optional = {key: fields[key] for key in _OPTIONAL if fields.get(key) is not None}
    try:
        return decode(
            {
                **optional,
                "id": new_id(),
                "type": kind,
                "from": sender,
                "to": to,
                "timestamp": codec.timestamp(),
                "summary": summary or summary_of(text) or kind.replace("_", " "),
                "text": text,
                "permissionMode": permission_mode,
            }
        )
    except Malformed as error:
        raise MailRefused(f"message.{error}.") from error


def _check_route(kind: str, sender: str, to: str) -> None:
    lead_sends, to_lead = sender == LEAD, to == LEAD
    refusals = {
        "permission_request": "the framework asks by itself when a call needs permission",
        "permission_response": "a person answers in the lead's window; no model may",
        "task_assignment": "set the task's owner with TaskUpdate, which sends it",
        "idle_notification": "the framework sends it when you stop",
        "plan_approval_request": "the framework sends it with your plan",
        "shutdown_request": "" if lead_sends else "only the lead may ask a member to stop",
        "plan_approval_response": "" if lead_sends else "only the lead may judge a plan",
        "shutdown_response": "" if to_lead and not lead_sends else "a teammate sends it to the lead",
        "message": "",
        "status_update": "",
    }
    if kind not in refusals:
        raise MailRefused(f"message.type: {kind!r} is unknown; expected one of {', '.join(KINDS)}.")
    if refusals[kind]:
        raise MailRefused(f"{kind} cannot be sent like this: {refusals[kind]}.")
