"""The rules' say on a call: a deny of any tier, else the highest tier with a match, thing by thing.

Order of tiers: session, local, project, user; inside a tier a question beats an allow. Specificity does not
matter. Allow rules stop while a tier is unreadable or a deny rule cannot be understood, since what it denies
is not known. Names that begin with `__` are the program's own acts (`__start_mcp__`): no rule or mode lets
them through, only a grant of exactly that input (CVE-2025-54136).
"""

from __future__ import annotations

from typing import assert_never

from roocode.protocol.decisions import Decision, Level
from roocode.security.permissions import outlook
from roocode.security.permissions.matching import grants_line, permits, permits_writing, restricts
from roocode.security.permissions.obstacles import REDIRECTED
from roocode.security.permissions.policy import TIERS, Policy, Rule
from roocode.security.permissions.rules import never_matches
from roocode.security.permissions.subjects import (
    Acting,
    Examined,
    Fetching,
    Program,
    Reading,
    Subject,
    Writing,
)


def denied(call: Examined, policy: Policy) -> Decision | None:
    """The first deny rule that is about any part of the call, whatever its tier."""
    for rule in policy.rules:
        if rule.verdict == "deny" and policy.counts(rule) and restricts(rule, call, call.subjects):
            return _decision(rule, "danger")
    return None


def ruled(call: Examined, policy: Policy) -> Decision | None:
    """What ask and allow rules say; None where they leave the call to the mode."""
    if call.tool.startswith("__"):
        return Decision("deny", "rules", f"{call.tool} needs a person's approval of exactly this input")
    open_subjects: list[Subject] = list(call.subjects)
    deciding: Rule | None = None
    for tier in TIERS:
        rules = [rule for rule in policy.rules if rule.tier == tier and policy.counts(rule)]
        for rule in rules:
            if rule.verdict == "ask" and restricts(rule, call, open_subjects):
                return _decision(rule, _level(call))
        if why_off(policy):
            continue
        for rule in rules:
            if rule.verdict == "allow" and policy.mode != "plan" and grants_line(rule, call):
                return _decision(rule, _level(call))
            covered = [subject for subject in open_subjects if _lets_through(rule, call, subject, policy)]
            if covered:
                deciding = deciding or rule
                open_subjects = [subject for subject in open_subjects if subject not in covered]
    if deciding is None or outlook.is_unproven(call):
        return None
    if all(outlook.is_harmless(subject, call) or outlook.is_carried(subject) for subject in open_subjects):
        return _decision(deciding, _level(call))
    return None


def said_of(subject: Subject, call: Examined, policy: Policy) -> Rule | None:
    """The ask or allow rule that decides on one part of a call seen alone; None where the mode does."""
    for tier in TIERS:
        rules = [rule for rule in policy.rules if rule.tier == tier and policy.counts(rule)]
        asks = (rule for rule in rules if rule.verdict == "ask" and restricts(rule, call, (subject,)))
        allows = (rule for rule in rules if _lets_through(rule, call, subject, policy))
        rule = next(asks, None) or (None if why_off(policy) else next(allows, None))
        if rule is not None:
            return rule
    return None


def allow_rules_off(call: Examined, policy: Policy) -> str:
    """Why allow rules that cover a part of this call, or may stand in an unreadable file, do not count."""
    reason = why_off(policy)
    rules = [rule for rule in policy.rules if rule.verdict == "allow" and policy.counts(rule)]
    is_missed = any(permits(rule, call, subject) for rule in rules for subject in call.subjects)
    return f"allow rules do not count now: {reason}" if reason and (is_missed or policy.config_errors) else ""


def why_off(policy: Policy) -> str:
    """Why no allow rule counts: a tier that could not be read, or a deny rule that cannot be understood."""
    misunderstood = (
        f"{rule.source or rule.tier}: deny rule {rule.text}: {reason}"
        for rule in policy.rules
        if rule.verdict == "deny" and (reason := never_matches(rule, policy.tools))
    )
    return next(iter(policy.config_errors), "") or next(misunderstood, "")


def _lets_through(rule: Rule, call: Examined, subject: Subject, policy: Policy) -> bool:
    if rule.verdict != "allow" or not permits(rule, call, subject):
        return False
    match subject:
        case Program():
            is_open = outlook.stays_open(subject) and _targets_open(subject, call, policy)
            return policy.mode != "plan" and is_open
        case Writing() | Acting(harmless=False):
            return policy.mode != "plan"
        case Reading() | Fetching() | Acting():
            return True
        case _:
            assert_never(subject)


def _targets_open(program: Program, call: Examined, policy: Policy) -> bool:
    """Whether files that a command's output is sent to are its own, or ones that a rule lets be written."""
    if program.part.opaque != REDIRECTED:
        return True
    rules = [rule for rule in policy.rules if rule.verdict == "allow" and policy.counts(rule)]
    return all(
        spot.judgement.standing == "own" or any(permits_writing(rule, spot, call) for rule in rules)
        for spot in program.writes
    )


def _decision(rule: Rule, level: Level) -> Decision:
    said = {"deny": "denied", "ask": "asked about", "allow": "allowed"}[rule.verdict]
    source = rule.source or rule.tier
    return Decision(rule.verdict, "rules", f"{said} by {rule.text} ({source})", rule.text, source, level)


def _level(call: Examined) -> Level:
    return "modify" if call.analysis is None else call.analysis.level
