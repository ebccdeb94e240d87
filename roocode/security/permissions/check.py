"""Answers for one call without running anything: what `roocode permissions check` prints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from roocode.protocol.decisions import Decision, Level
from roocode.protocol.messages import Arguments
from roocode.protocol.tools import Touches, Workspace
from roocode.security.permissions import outlook
from roocode.security.permissions.decide import examine, judge
from roocode.security.permissions.names import canonical, canonical_fields, presumed_touches
from roocode.security.permissions.policy import Policy
from roocode.security.permissions.subjects import Examined, Program

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
    Returns decision, layer, rule, source, reason and level. Input that the tool itself would refuse is judged
    too, and the reason says so: such a call is answered with an error before the guard.
    """
    examined = _examined(tool, arguments, policy, workspace, touches_of, cwd)
    answer = _answer(judge(examined, policy))
    if complaint := complaint_of(examined.tool, examined.arguments):
        answer["reason"] += f"; {examined.tool} refuses this input: {complaint}"
    return answer


def check_parts(
    tool: str,
    arguments: Arguments,
    policy: Policy,
    workspace: Workspace,
    *,
    touches_of: TouchesOf = presumed_touches,
    cwd: str | None = None,
) -> tuple[tuple[str, dict[str, str]], ...]:
    """Judges each command of a shell line as if it stood alone: its text, and an answer as `check` gives it.

    What forbids the line as a whole, or makes it opaque, is not in these answers. Empty for a call of
    another tool.
    """
    call = _examined(tool, arguments, policy, workspace, touches_of, cwd)
    return tuple((program.part.text, _alone(program, call, policy)) for program in call.programs)


def _examined(
    tool: str,
    arguments: Arguments,
    policy: Policy,
    workspace: Workspace,
    touches_of: TouchesOf,
    cwd: str | None,
) -> Examined:
    name = canonical(tool)
    arguments = canonical_fields(tool, arguments)
    touches = touches_of(name, arguments)
    if cwd is not None:
        touches = replace(touches, cwd=cwd)
    return examine(name, arguments, touches, policy, workspace)


def _alone(program: Program, call: Examined, policy: Policy) -> dict[str, str]:
    if outlook.is_carried(program):
        reason = "it is judged with what it runs, or what runs it"
        return _answer(Decision("allow", "rules", reason))
    assert call.analysis is not None
    level: Level = "safe" if outlook.is_harmless(program, call) else "modify"
    analysis = replace(call.analysis, level=level, reason="", parsed=True, opaque="", final_cwd=None)
    touches = replace(call.touches, command=program.part.text)
    return _answer(judge(replace(call, touches=touches, analysis=analysis, subjects=(program,)), policy))


def _answer(decision: Decision) -> dict[str, str]:
    return {
        "decision": decision.verdict,
        "layer": decision.layer,
        "rule": decision.rule,
        "source": decision.source,
        "reason": decision.reason,
        "level": decision.level,
    }
