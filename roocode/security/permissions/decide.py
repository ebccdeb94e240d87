"""The judgement on one call: layers in order, each of which can only tighten what the ones before left open.

1. Dangerous commands are denied. 2. The path sandbox denies what is never touched. 3. A deny rule of any
tier denies, and so does a narrowing that leaves the call out. 4. What a person approved for the session goes.
5. What is obeyed later (editor, CI or shell configuration) and what acts in other windows asks. 6. Ask and
allow rules, the highest tier first. 7. The mode. The question to a person is the guard's part. It looks at
the file system to resolve paths, and runs nothing.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from roocode.protocol.decisions import Decision, Level
from roocode.protocol.messages import Arguments
from roocode.protocol.tools import Touches, Workspace
from roocode.security.permissions import hosts, insisting, modes, narrowing, outlook, reaching, ruling
from roocode.security.permissions.grants import Grants, digest
from roocode.security.permissions.paths import Grounds, file_target, grounds
from roocode.security.permissions.policy import Policy
from roocode.security.permissions.secrets import looks_only
from roocode.security.permissions.subjects import (
    Examined,
    Fetching,
    Program,
    Reading,
    Spot,
    Writing,
    spots_written,
    subjects_of,
)

if TYPE_CHECKING:
    from roocode.security.permissions.analysis import Analysis
    from roocode.security.permissions.parts import Part

_NOT_OPEN = ("outside", "unusable", "denied")


def decide(
    name: str,
    arguments: Arguments,
    touches: Touches,
    policy: Policy,
    workspace: Workspace,
    grants: Grants | None = None,
) -> Decision:
    """Judges one call, by our own names of tool and fields, in a pinned workspace (`paths.pinned`)."""
    call = examine(name, arguments, touches, policy, workspace)
    return judge(call, policy, grants)


def examine(
    name: str, arguments: Arguments, touches: Touches, policy: Policy, workspace: Workspace
) -> Examined:
    """Takes a call apart once, for `judge` and for the proposals of a question."""
    ground = grounds(workspace, policy.home, policy.plan_file, policy.protected)
    analysis = None
    if touches.command is not None:
        cwd = working_directory(touches, ground)
        analysis = _analysed(touches.command, cwd, ground.home, policy.protected_branches, ground.roots)
    subjects = subjects_of(name, arguments, touches, analysis, ground)
    return Examined(name, arguments, touches, analysis, subjects, ground)


@lru_cache(maxsize=64)
def _analysed(
    command: str, cwd: str, home: str, branches: tuple[str, ...], roots: tuple[str, ...]
) -> Analysis:
    """The analysis is pure, and a call is judged several times before it runs."""
    from roocode.security.permissions.analysis import analyse

    return analyse(command, cwd=cwd, home=home, protected_branches=branches, roots=roots)


def judge(call: Examined, policy: Policy, grants: Grants | None = None) -> Decision:
    """The verdict on an examined call, with the layer, rule and reason that gave it."""
    decision = (
        _dangerous(call)
        or _forbidden(call)
        or ruling.denied(call, policy)
        or narrowing.outside(call, policy)
        or _approved(call, policy, grants)
        or _always_asked(call)
        or ruling.ruled(call, policy)
        or _by_mode(call, policy)
    )
    if decision.verdict == "ask" and policy.mode == "dontAsk":
        reason = f"{decision.reason}; in mode dontAsk what would ask is denied"
        return replace(decision, verdict="deny", layer="mode", reason=reason)
    return decision


def digest_of(call: Examined) -> str:
    """The digest that a grant or an answer for this call is bound to."""
    return digest(call.tool, call.arguments, working_directory(call.touches, call.ground))


def working_directory(touches: Touches, ground: Grounds) -> str:
    """The directory that a call's relative paths start from."""
    return ground.root if touches.cwd is None else os.path.join(ground.root, touches.cwd)


def _dangerous(call: Examined) -> Decision | None:
    if call.analysis is None or call.analysis.level != "blocked":
        return None
    return Decision("deny", "dangerous", call.analysis.reason, level="blocked")


def _forbidden(call: Examined) -> Decision | None:
    for subject in call.subjects:
        reason = ""
        match subject:
            case Reading(spot) if spot.judgement.standing in _NOT_OPEN:
                reason = spot.judgement.reason
            case Writing(spot):
                is_open = spot.judgement.standing not in _NOT_OPEN
                reason = file_target(spot.place) if is_open else spot.judgement.reason
            case Program(part, reads):
                reason = reaching.refusal(subject, call.ground) or _takes_keys(part, reads, call.ground)
            case Fetching(url):
                reason = hosts.refusal(url)
            case _:
                pass
        if reason:
            return Decision("deny", "sandbox", reason, level="blocked")
    linked = (way for way in insisting.through_own_links(call) if way.standing == "denied")
    reason = reaching.refusal_of_directory(call) or next((way.reason for way in linked), "")
    return Decision("deny", "sandbox", reason, level="blocked") if reason else None


def _takes_keys(part: Part, reads: tuple[Spot, ...], ground: Grounds) -> str:
    """Why a command is refused that is given RooCode's own directory, unless it looks at names only."""
    if looks_only(part):
        return ""
    whole = (spot.place.spelled for spot in reads if spot.place.real in ground.protected)
    return next((f"{path} holds keys of RooCode and is read by no tool" for path in whole), "")


def _approved(call: Examined, policy: Policy, grants: Grants | None) -> Decision | None:
    if policy.mode == "plan":
        return None
    if grants is not None and grants.holds(digest_of(call)):
        return Decision("allow", "person", "approved for this session", source="session", level=_level(call))
    if call.touches.command is not None and call.touches.command in policy.exact_commands:
        reason = "this command line is allowed as it stands"
        return Decision(
            "allow", "rules", reason, rule=call.touches.command, source="session", level=_level(call)
        )
    return None


def _always_asked(call: Examined) -> Decision | None:
    if call.analysis is not None and call.analysis.insists:
        return Decision("ask", "dangerous", call.analysis.insists, level="danger")
    for subject in call.subjects:
        if isinstance(subject, Fetching) and hosts.host_of(subject.url) is None:
            reason = f"{subject.url!r} does not name one host plainly"
            return Decision("ask", "sandbox", reason, level="danger")
        for spot in spots_written(subject):
            if spot.judgement.standing == "asked":
                return Decision("ask", "sandbox", spot.judgement.reason, level="danger")
    linked = (way for way in insisting.through_own_links(call) if way.standing not in ("inside", "own"))
    through = next((way.reason for way in linked), "")
    reason = through or insisting.reason(call)
    return Decision("ask", "sandbox", reason, level="danger") if reason else None


def _by_mode(call: Examined, policy: Policy) -> Decision:
    effect = outlook.of_call(call, policy.plan_file)
    verdict = modes.by_mode(policy.mode, effect)
    if verdict == "allow":
        reason = "it only reads" if effect.reads_only else f"mode {policy.mode}"
        return Decision("allow", "mode", reason, level=_level(call))
    off = ruling.allow_rules_off(call, policy)
    if off:
        return Decision(verdict, "rules", off, level=_level(call))
    return Decision(verdict, "mode", _reason_to_ask(call, policy), level=_level(call))


def _reason_to_ask(call: Examined, policy: Policy) -> str:
    """Why the call asks, by a part that no rule allows."""
    rules = ((subject, ruling.said_of(subject, call, policy)) for subject in call.subjects)
    left = tuple(subject for subject, rule in rules if rule is None or rule.verdict != "allow")
    return outlook.reason_to_ask(replace(call, subjects=left) if left else call)


def _level(call: Examined) -> Level:
    if call.analysis is not None:
        return call.analysis.level
    return "safe" if outlook.of_call(call, None).reads_only else "modify"
