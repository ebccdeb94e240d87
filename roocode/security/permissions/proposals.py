"""The rules that "always allow" would store: one for each part of a call, narrow, and shown first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from roocode.protocol.decisions import RuleProposal
from roocode.security.permissions import command_rules, hosts, outlook, path_rules, ruling
from roocode.security.permissions.breadth import too_wide
from roocode.security.permissions.paths import Grounds
from roocode.security.permissions.places import within
from roocode.security.permissions.policy import Policy
from roocode.security.permissions.rules import parse_rule
from roocode.security.permissions.subjects import (
    Acting,
    Examined,
    Fetching,
    Program,
    Reading,
    Subject,
    Writing,
)
from roocode.security.permissions.wildcard import literal

if TYPE_CHECKING:
    from roocode.security.permissions.parts import Part

MOST = 5

_PROGRAMS = """
    git gh npm pnpm yarn bun cargo go pip pip3 uv poetry docker podman kubectl helm terraform gradle mvn make
    just dotnet composer bundle rake
"""
_HAVE_SUBCOMMANDS = frozenset(_PROGRAMS.split())


def proposals(call: Examined, policy: Policy, base: str = "") -> tuple[RuleProposal, ...]:
    """At most five rules, one for each part that needs one; none where rules cannot let this call through.

    A program with sub-commands is proposed with its sub-command (`Bash(git commit *)`), another as it
    stands; nothing too wide is proposed. `base` is where a path beginning with `/` starts in the file that
    the rules go to, the workspace's root where it is empty.
    """
    found: dict[str, RuleProposal] = {}
    for subject in call.subjects:
        if outlook.is_harmless(subject, call) or _is_allowed(subject, call, policy):
            continue
        proposal = _proposal(subject, call, base)
        if proposal is None:
            return ()
        found.setdefault(proposal.text, proposal)
    chosen = tuple(found.values())
    return chosen if 0 < len(chosen) <= MOST and _suffice(chosen, call, policy, base) else ()


def _suffice(chosen: tuple[RuleProposal, ...], call: Examined, policy: Policy, base: str) -> bool:
    """Whether the rules, once stored, answer this very call."""
    rules = (parse_rule(each.text, "allow", "local", base=base) for each in chosen)
    decision = ruling.ruled(call, replace(policy, rules=(*policy.rules, *rules), trusted=True))
    return decision is not None and decision.verdict == "allow"


def _is_allowed(subject: Subject, call: Examined, policy: Policy) -> bool:
    rule = ruling.said_of(subject, call, policy)
    return rule is not None and rule.verdict == "allow"


def _proposal(subject: Subject, call: Examined, base: str) -> RuleProposal | None:
    match subject:
        case Program(part):
            return _command(part) if outlook.stays_open(subject) else None
        case Reading(spot) | Writing(spot):
            if spot.judgement.standing != "inside":
                return None
            tool = "EditFile" if call.touches.writes else "ReadFile"
            real = spot.place.real
            return _chosen([f"{tool}({path})" for path in _paths(real, call.ground, base)], real)
        case Fetching(url):
            host = hosts.host_of(url)
            known = host is not None and call.tool == "WebFetch"
            return _chosen([f"WebFetch(domain:{host})"], url) if known else None
        case Acting():
            return _chosen([call.tool], call.tool)
        case _:
            assert_never(subject)


def _command(part: Part) -> RuleProposal | None:
    if not part.words or part.opaque or part.inside or part.paths_unknown:
        return None
    program, *operands = part.words
    exact = "" if command_rules.spans_commands(part.text) else f"Bash({literal(part.text)})"
    kind = f"Bash({program} *)"
    if program in _HAVE_SUBCOMMANDS and operands and _names_subcommand(operands[0]):
        kind = f"Bash({program} {operands[0]} *)"
        return _chosen([exact, kind], part.text, first=kind)
    return _chosen([exact, kind] if exact else [], part.text)


def _chosen(texts: list[str], about: str, first: str = "") -> RuleProposal | None:
    """The choices that keep to their kind, the narrowest first; the first of them unless told otherwise."""
    choices = tuple(text for text in texts if text and not too_wide(text))
    if not choices:
        return None
    return RuleProposal(first if first in choices else choices[0], about, choices)


def _names_subcommand(word: str) -> bool:
    return not word.startswith("-") and word.replace("-", "").isalnum()


def _paths(real: str, ground: Grounds, base: str) -> list[str]:
    """The patterns for a file: itself, and all of its directory; anchored where the rule's file says."""
    start = path_rules.start_of(base, ground)
    if not within(real, start):
        return ["/" + path_rules.literal(real)]
    below = real[len(start) :].strip("/")
    folder = below.rpartition("/")[0]
    exact = "/" + path_rules.literal(below)
    return [exact, f"/{path_rules.literal(folder)}/**"] if folder else [exact]
