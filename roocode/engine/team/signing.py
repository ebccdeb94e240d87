"""Signatures on the lead's answers, so that no command can forge one by writing a file. Pure.

A member's key comes to it over its handshake; the lead keeps the keys of all.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from dataclasses import replace
from typing import TypeAlias, TypeVar

from roocode.engine.team import mail
from roocode.protocol.team import (
    LEAD,
    PermissionResponse,
    PlanApprovalResponse,
    ShutdownRequest,
    TeamMessage,
)

SignedMail: TypeAlias = PermissionResponse | PlanApprovalResponse | ShutdownRequest

M = TypeVar("M", bound=SignedMail)


def new_key() -> bytes:
    """A key for one member: 256 random bits."""
    return os.urandom(32)


def sign(message: M, key: bytes) -> M:
    """The message with its `hmac` filled in, over all its other fields."""
    return replace(message, hmac=_digest(message, key))


def objection(message: TeamMessage, key: bytes | None) -> str:
    """Why a message must not be believed; empty where it may be.

    `key` is the receiver's; None (the lead has none) refuses every message of a signed type.
    """
    if not isinstance(message, SignedMail):
        return ""
    kind = mail.kind_of(message)
    if key is None:
        return f"nobody may send a {kind} here"
    if message.from_ != LEAD:
        return f"a {kind} comes from the lead, not from {message.from_}"
    if not message.hmac:
        return f"a {kind} without a signature"
    if not hmac.compare_digest(message.hmac.encode(), _digest(message, key).encode()):
        return f"a {kind} with a forged signature"
    return ""


def _digest(message: SignedMail, key: bytes) -> str:
    fields = mail.encode(message)
    del fields["hmac"]
    canonical = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    return hmac.new(key, canonical.encode(), hashlib.sha256).hexdigest()
