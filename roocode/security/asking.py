"""The question that the guard puts to a person, and whether a yes to it still counts."""

from __future__ import annotations

import uuid

from roocode.protocol.decisions import Decision, PermissionQuestion
from roocode.security.permissions.asked import parts_of, warnings_of
from roocode.security.permissions.decide import digest_of, working_directory
from roocode.security.permissions.policy import Policy
from roocode.security.permissions.proposals import proposals
from roocode.security.permissions.subjects import Examined
from roocode.security.ports import RuleStore


def question_about(
    call: Examined, decision: Decision, policy: Policy, *, agent: str, preview: str, store: RuleStore | None
) -> PermissionQuestion:
    """A new question with all that a person should see; looks at the disk, and so blocks."""
    can_be_ruled = decision.layer == "mode" and policy.mode != "plan"
    base = store.base if store is not None else ""
    return PermissionQuestion(
        id=uuid.uuid4().hex[:12],
        agent=agent,
        tool=call.tool,
        input=call.arguments,
        preview=preview,
        reason=decision.reason,
        layer=decision.layer,
        digest=digest_of(call),
        proposals=proposals(call, policy, base) if can_be_ruled else (),
        level=decision.level,
        rule=decision.rule,
        source=decision.source,
        root=call.ground.root,
        directory=working_directory(call.touches, call.ground),
        parts=parts_of(call, policy),
        warnings=warnings_of(call),
        stores=store.stores if store is not None else (),
    )


def still_stands(question: PermissionQuestion, again: Decision, call: Examined, preview: str) -> bool:
    """Whether what would run now is what the person said yes to: the call, its preview, and why it asks."""
    if digest_of(call) != question.digest or preview != question.preview:
        return False
    asked = (question.layer, question.level, question.reason)
    return again.verdict != "ask" or (again.layer, again.level, again.reason) == asked
