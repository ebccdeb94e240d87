"""What a call would do, told from its parts: for the modes, and in words for the person who is asked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import assert_never

from roocode.security.permissions.modes import Effect
from roocode.security.permissions.obstacles import RUNNERS, RUNS_OTHERS, TRANSPARENT
from roocode.security.permissions.paths import is_secret, judge_read, place
from roocode.security.permissions.subjects import (
    Acting,
    Examined,
    Fetching,
    Program,
    Reading,
    Spot,
    Subject,
    Writing,
)


def of_call(call: Examined, plan_file: Path | None) -> Effect:
    """The call in the terms that modes distinguish."""
    rest = [subject for subject in call.subjects if not is_harmless(subject, call)]
    if is_unproven(call):
        return Effect()
    written = [subject.spot for subject in rest if isinstance(subject, Writing)]
    if len(written) < len(rest):
        return Effect()
    return Effect(
        reads_only=not rest,
        edits_inside=all(_is_open(spot) for spot in written),
        own_files=all(spot.judgement.standing == "own" for spot in written),
        plan_file=plan_file is not None and all(spot.place.real == str(plan_file) for spot in written),
    )


def is_harmless(subject: Subject, call: Examined) -> bool:
    """Whether a part of a call changes nothing, stays inside and shows nothing secret."""
    match subject:
        case Program(part):
            return part.read_only and not part.paths_unknown and stays_open(subject)
        case Reading(spot):
            return _is_open(spot)
        case Acting(harmless):
            return harmless
        case Writing() | Fetching():
            return False
        case _:
            assert_never(subject)


def is_carried(subject: Subject) -> bool:
    """Whether a command is judged with another one of its line.

    `timeout 5 make` is what `make` is; what `npx jest` runs is what a rule about `npx jest` is about.
    """
    if not isinstance(subject, Program) or not stays_open(subject):
        return False
    part, around = subject.part, frozenset(subject.part.inside)
    if part.opaque not in ("", RUNS_OTHERS) or not around <= TRANSPARENT | RUNNERS:
        return False
    is_wrapper = part.opaque == RUNS_OTHERS and part.words[0] in TRANSPARENT
    return is_wrapper or not around.isdisjoint(RUNNERS)


def is_unproven(call: Examined) -> bool:
    """Whether a shell line as a whole cannot be let through part by part."""
    if call.analysis is None:
        return False
    if not call.analysis.parsed or call.analysis.opaque:
        return True
    alone = all(is_harmless(subject, call) for subject in call.subjects)
    return bool(_outside(call)) or (alone and call.analysis.level != "safe")


def stays_open(program: Program) -> bool:
    """Whether all places that a command names are inside and hold no known secrets."""
    return all(_is_open(spot) for spot in (*program.reads, *program.writes))


def reason_to_ask(call: Examined) -> str:
    """Why a person should look at a call, in one line."""
    if call.analysis is not None:
        whole = "" if call.analysis.parsed else "the command cannot be parsed"
        if whole or call.analysis.opaque:
            return whole or call.analysis.opaque
    outside = _outside(call)
    if outside:
        return outside
    reasons = (why(subject, call) for subject in call.subjects if not is_harmless(subject, call))
    whole = call.analysis.reason if call.analysis is not None else ""
    return next(filter(None, reasons), "") or whole or f"{call.tool} is not known to be harmless"


def why(subject: Subject, call: Examined) -> str:
    """Why one part of a call, seen alone, is not known to be harmless."""
    match subject:
        case Program(part, reads, writes):
            shut = next((spot for spot in (*reads, *writes) if not _is_open(spot)), None)
            if shut is not None:
                return shut.judgement.reason or f"{shut.place.spelled} may hold secrets"
            return part.doubt or part.opaque or f"`{part.text}` is not known to be harmless"
        case Reading(spot):
            return spot.judgement.reason or f"{spot.place.spelled} may hold secrets"
        case Writing(spot):
            return f"writes {os.path.relpath(spot.place.spelled, call.ground.root)}"
        case Fetching(url):
            return f"fetches {url}"
        case Acting():
            return f"what {call.tool} does cannot be told beforehand"
        case _:
            assert_never(subject)


def _is_open(spot: Spot) -> bool:
    return spot.judgement.standing in ("inside", "own") and not is_secret(spot.place)


def _outside(call: Examined) -> str:
    """Why a shell line leaves the allowed directories, by a place it names or by its working directory."""
    if call.analysis is None:
        return ""
    for directory in (call.touches.cwd, call.analysis.final_cwd):
        if directory is not None:
            judgement = judge_read(place(directory, None, call.ground), call.ground)
            if judgement.standing not in ("inside", "own"):
                return judgement.reason
    spots = (spot for program in call.programs for spot in (*program.reads, *program.writes))
    return next(
        (spot.judgement.reason for spot in spots if spot.judgement.standing in ("outside", "unusable")), ""
    )
