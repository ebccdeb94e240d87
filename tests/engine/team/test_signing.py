"""Signed answers: what is believed, and what is not."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from roocode.engine.team import mail, signing
from roocode.engine.team.mailbox import Mailbox
from roocode.engine.team.signing import SignedMail
from roocode.protocol.team import PermissionResponse, PlanApprovalResponse, ShutdownRequest
from tests.engine.team.messages import one_of_each

KEY = signing.new_key()
SIGNED = ("shutdown_request", "plan_approval_response", "permission_response")


def signed(kind: str) -> SignedMail:
    message = one_of_each()[kind]
    assert isinstance(message, ShutdownRequest | PlanApprovalResponse | PermissionResponse)
    return signing.sign(message, KEY)


@pytest.mark.parametrize("kind", SIGNED)
def test_a_signature_survives_the_disk(kind: str):
    message = signed(kind)
    assert signing.objection(message, KEY) == ""
    assert signing.objection(mail.decode(mail.encode(message)), KEY) == ""


@pytest.mark.parametrize("kind", SIGNED)
def test_unsigned_forged_and_foreign_ones_are_not_believed(kind: str):
    message = signed(kind)
    assert "without a signature" in signing.objection(replace(message, hmac=""), KEY)
    assert "forged" in signing.objection(replace(message, hmac="0" * 64), KEY)
    assert "forged" in signing.objection(replace(message, hmac="é"), KEY)
    assert "forged" in signing.objection(message, signing.new_key())
    assert "nobody may send" in signing.objection(message, None)
    assert "comes from the lead, not from mallory" in signing.objection(
        replace(message, from_="mallory"), KEY
    )


@pytest.mark.parametrize(
    "change",
    [
        {"id": "m9"},
        {"to": "bob"},
        {"in_reply_to": "m9"},
        {"decision": "deny"},
        {"scope": "always"},
        {"digest": "other"},
        {"reason": "because"},
        {"summary": "other"},
        {"timestamp": "later"},
    ],
)
def test_no_field_can_be_changed(change: dict[str, Any]):
    assert "forged" in signing.objection(replace(signed("permission_response"), **change), KEY)


def test_other_types_need_no_signature():
    for kind, message in one_of_each().items():
        if kind not in SIGNED:
            assert signing.objection(message, KEY) == ""
            assert signing.objection(message, None) == ""


def test_a_forged_answer_in_an_inbox_never_reaches_its_reader(tmp_path: Path):
    refused: list[str] = []
    box = Mailbox(tmp_path / "alice", lambda _name, reason: refused.append(reason))
    box.create()
    box.deliver(one_of_each()["permission_response"])
    box.deliver(signed("permission_response"))
    assert box.unread(lambda message: signing.objection(message, KEY)) == (signed("permission_response"),)
    assert refused == ["a permission_response without a signature"]


def test_keys_differ():
    assert signing.new_key() != signing.new_key()
    assert len(KEY) == 32
