"""Answers for one call without running anything: what `roocode permissions check` prints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from roocode.protocol.messages import Arguments
from roocode.protocol.tools import Touches, Workspace
from roocode.security.permissions.decide import decide
from roocode.security.permissions.names import canonical, canonical_fields, presumed_touches
from roocode.security.permissions.policy import Policy

TouchesOf: TypeAlias = Callable[[str, Arguments], Touches]
ComplaintOf: TypeAlias = Callable[[str, Arguments], str]


def no_complaint(name: str, arguments: Arguments) -> str:
    """For a check with no tools to ask: none of them refuses the input."""
    return ""


def check(
    tool: str,
    arguments: Arguments,
    policy: Policy,
    workspace: Workspace,
    *,
    touches_of: TouchesOf = presumed_touches,
    complaint_of: ComplaintOf = no_complaint,
    cwd: str | None = None,
) -> dict[str, str]:
    """Judges a call that is named as any file of a person's may name it (`Read{file_path}`).

    `touches_of` and `complaint_of` ask the real tools; relative paths start from `cwd`, by default the root.
    Returns decision, layer, rule, source and reason. Input that the tool itself would refuse is judged too,
    and the reason says so: such a call is answered with an error before the guard.
    """
    name = canonical(tool)
    arguments = canonical_fields(tool, arguments)
    touches = touches_of(name, arguments)
    if cwd is not None:
        touches = replace(touches, cwd=cwd)
    decision = decide(name, arguments, touches, policy, workspace)
    complaint = complaint_of(name, arguments)
    return {
        "decision": decision.verdict,
        "layer": decision.layer,
        "rule": decision.rule,
        "source": decision.source,
        "reason": f"{decision.reason}; {name} refuses this input: {complaint}"
        if complaint
        else decision.reason,
    }
