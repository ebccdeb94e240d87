"""What a person should see of a call before answering: its parts, each with who wants to know and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from roocode.protocol.decisions import Layer, QuestionPart
from roocode.security.permissions import outlook, ruling
from roocode.security.permissions.losses import losses
from roocode.security.permissions.paths import holds_protected
from roocode.security.permissions.policy import Policy
from roocode.security.permissions.subjects import Examined, Program, removes, spots_written

_BY_REDIRECTION = "writes a file by redirection"


def parts_of(call: Examined, policy: Policy) -> tuple[QuestionPart, ...]:
    """The commands of the call's shell line, in order; none for a call that is no shell line."""
    return tuple(_part(program, call, policy) for program in call.programs)


def warnings_of(call: Examined) -> tuple[str, ...]:
    """What cannot be told from the line itself: looks at the disk, bounded. Blocks."""
    return tuple(dict.fromkeys((*_away(call), *losses(call))))


def _part(program: Program, call: Examined, policy: Policy) -> QuestionPart:
    asks, layer, why = _standing(program, call, policy)
    part = program.part
    return QuestionPart(part.text or part.opaque, asks, why, layer, part.inside)


def _standing(program: Program, call: Examined, policy: Policy) -> tuple[bool, Layer, str]:
    """Whether the question is about this command, and the layer and reason that say so."""
    for spot in spots_written(program):
        reason = spot.judgement.reason if spot.judgement.standing == "asked" else ""
        reason = reason or (holds_protected(spot.place) if removes(program.part) else "")
        if reason:
            return True, "sandbox", reason
    rule = ruling.said_of(program, call, policy)
    source = f" ({rule.source or rule.tier})" if rule is not None else ""
    match rule.verdict if rule is not None else None:
        case "ask":
            return True, "rules", f"asked about by {rule.text}{source}" if rule else ""
        case "allow":
            return False, "rules", f"allowed by {rule.text}{source}" if rule else ""
        case "deny" | None:
            pass
        case unknown:
            assert_never(unknown)
    if outlook.is_harmless(program, call):
        return False, "mode", "only reads"
    return True, "mode", _why(program, call)


def _why(program: Program, call: Examined) -> str:
    reason = outlook.why(program, call)
    if reason == _BY_REDIRECTION and program.writes:
        names = ", ".join(_below(spot.place.spelled, call.ground.root) for spot in program.writes)
        return f"writes {names}"
    return reason


def _below(path: str, root: str) -> str:
    return path.removeprefix(root.rstrip("/") + "/")


def _away(call: Examined) -> Iterator[str]:
    """Where the line as a whole cannot be taken at its word."""
    if call.analysis is not None and call.analysis.opaque and call.analysis.parsed:
        yield call.analysis.opaque
