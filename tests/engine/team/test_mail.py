"""Messages as JSON, and what may be sent by whom."""

import json
from typing import Any, get_args

import pytest

from roocode.engine.team import mail
from roocode.engine.team.codec import Malformed
from roocode.engine.team.mail import MailRefused
from roocode.protocol.team import (
    PlanApprovalResponse,
    ShutdownRequest,
    ShutdownResponse,
    StatusUpdate,
    TeamMessage,
    TextMail,
)
from tests.engine.team.messages import one_of_each


def test_every_message_of_the_union_has_a_type():
    assert set(mail.KINDS.values()) == set(get_args(TeamMessage))
    assert list(one_of_each()) == list(mail.KINDS)


@pytest.mark.parametrize("kind", mail.KINDS)
def test_a_message_is_read_back(kind: str):
    message = one_of_each()[kind]
    assert mail.decode(json.loads(json.dumps(mail.encode(message)))) == message
    assert mail.encode(message)["type"] == kind


def test_the_names_on_disk():
    assert mail.encode(one_of_each()["idle_notification"]) == {
        "id": "m1",
        "type": "idle_notification",
        "from": "alice",
        "to": "lead",
        "timestamp": "t",
        "summary": "s",
        "completed": ["1", "2"],
        "unfinished": ["3"],
        "lastText": "done so far",
    }
    assert mail.encode(one_of_each()["plan_approval_response"])["inReplyTo"] == "m1"
    assert mail.encode(one_of_each()["plan_approval_response"])["permissionMode"] == "plan"
    assert mail.encode(one_of_each()["task_assignment"])["taskId"] == "3"


def test_only_a_status_update_wakes_nobody():
    assert [kind for kind, message in one_of_each().items() if not mail.wakes(message)] == ["status_update"]


GOOD = {"id": "m1", "type": "message", "from": "a", "to": "b", "timestamp": "t", "summary": "s", "text": "x"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"type": "order"}, "type: expected one of message"),
        ({"type": None}, "type: expected one of"),
        ({"type": ["message"]}, "type: expected one of"),
        ({"text": 3}, "text: Input should be a valid string"),
        ({"id": ""}, "id: expected 1 to 64"),
        ({"id": "../../etc"}, "id: expected 1 to 64"),
        ({"id": "m" * 65}, "id: expected 1 to 64"),
        ({"from": "the user"}, "from: expected a member's name"),
        ({"to": "*"}, "to: expected a member's name"),
    ],
)
def test_malformed(change: dict[str, Any], words: str):
    assert isinstance(mail.decode(GOOD), TextMail)
    with pytest.raises(Malformed) as malformed:
        mail.decode({**GOOD, **change})
    assert words in str(malformed.value)


@pytest.mark.parametrize("data", [None, [], "message"])
def test_not_an_object(data: object):
    with pytest.raises(Malformed, match="expected an object"):
        mail.decode(data)


def test_ids_are_unique():
    assert len({mail.new_id() for _ in range(1000)}) == 1000


def test_a_summary_from_the_text():
    assert mail.summary_of("the tests\nare green") == "the tests are green"
    assert mail.summary_of("one two three four five six seven eight nine ten eleven") == (
        "one two three four five six seven eight nine ten …"
    )


def test_text_as_a_model_sends_it():
    message = mail.compose("the signature changed", sender="alice", to="bob", summary="signature")
    assert isinstance(message, TextMail)
    assert (message.from_, message.to, message.summary, message.text) == (
        "alice",
        "bob",
        "signature",
        "the signature changed",
    )


def test_a_summary_is_made_where_none_is_given():
    assert mail.compose("the tests are green", sender="alice", to="bob").summary == "the tests are green"
    assert mail.compose({"type": "shutdown_request"}, sender="lead", to="bob").summary == "shutdown request"


def test_objects_as_a_model_sends_them():
    ask = mail.compose({"type": "shutdown_request", "reason": "done"}, sender="lead", to="bob")
    assert isinstance(ask, ShutdownRequest)
    assert (ask.reason, ask.hmac) == ("done", "")
    answer = {"type": "shutdown_response", "approve": False, "reason": None, "inReplyTo": ask.id}
    response = mail.compose(answer, sender="bob", to="lead")
    assert isinstance(response, ShutdownResponse)
    assert (response.approve, response.reason, response.in_reply_to) == (False, "", ask.id)
    told = mail.compose({"type": "status_update", "text": "main moved"}, sender="bob", to="alice")
    assert isinstance(told, StatusUpdate)


def test_a_plan_approval_passes_the_leads_mode_on():
    content = {"type": "plan_approval_response", "approve": True, "permissionMode": "bypassPermissions"}
    message = mail.compose(content, sender="lead", to="bob", permission_mode="acceptEdits")
    assert isinstance(message, PlanApprovalResponse)
    assert message.permission_mode == "acceptEdits"


def test_a_model_cannot_sign():
    content = {"type": "shutdown_request", "hmac": "forged", "id": "m1", "from": "lead", "to": "alice"}
    message = mail.compose(content, sender="lead", to="bob")
    assert isinstance(message, ShutdownRequest)
    assert (message.hmac, message.to, message.id == "m1") == ("", "bob", False)


@pytest.mark.parametrize(
    ("content", "sender", "to", "words"),
    [
        ({"type": "permission_response", "decision": "allow"}, "lead", "bob", "a person answers"),
        ({"type": "permission_request"}, "bob", "lead", "by itself"),
        ({"type": "task_assignment", "taskId": "1"}, "lead", "bob", "TaskUpdate"),
        ({"type": "idle_notification"}, "bob", "lead", "when you stop"),
        ({"type": "plan_approval_request"}, "bob", "lead", "with your plan"),
        ({"type": "shutdown_request"}, "bob", "alice", "only the lead"),
        ({"type": "plan_approval_response", "approve": True}, "bob", "alice", "only the lead"),
        ({"type": "shutdown_response", "approve": True}, "bob", "alice", "to the lead"),
        ({"type": "shutdown_response", "approve": True}, "lead", "bob", "to the lead"),
        ({"type": "shutdown_response"}, "bob", "lead", "message.approve: Field required"),
        ({"type": "shutdown_response", "approve": "perhaps"}, "bob", "lead", "message.approve: "),
        ({"type": "plan_approval_response"}, "lead", "bob", "message.approve: Field required"),
        ({"type": "gossip"}, "bob", "alice", "'gossip' is unknown"),
        ({"type": "message"}, "bob", "alice", "message.text: missing"),
        ("", "bob", "alice", "message.text: missing"),
        ("x" * 1_000_001, "bob", "alice", "has 1000001 characters"),
    ],
)
def test_refused(content: mail.Content, sender: str, to: str, words: str):
    with pytest.raises(MailRefused) as refused:
        mail.compose(content, sender=sender, to=to)
    assert words in str(refused.value)
