"""The rules that "always allow" would store: one for each part of a call, narrow, and shown first."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from roocode.security.permissions import command_rules, hosts, outlook, path_rules
from roocode.security.permissions.places import within
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


def proposals(call: Examined) -> tuple[str, ...]:
    """At most five rules that together would let this call through; none where rules cannot.

    A program with sub-commands is proposed with its sub-command (`Bash(git commit *)`), another as it stands.
    """
    analysis = call.analysis
    if analysis is not None and (not analysis.parsed or analysis.opaque):
        return ()
    found: dict[str, None] = {}
    for subject in call.subjects:
        if outlook.is_harmless(subject, call):
            continue
        rule = _rule(subject, call)
        if not rule:
            return ()
        found[rule] = None
    return tuple(found) if len(found) <= MOST else ()


def _rule(subject: Subject, call: Examined) -> str:
    match subject:
        case Program(part):
            pattern = _pattern(part) if outlook.stays_open(subject) else ""
            return f"Bash({pattern})" if pattern else ""
        case Reading(spot) | Writing(spot):
            if spot.judgement.standing != "inside":
                return ""
            tool = "EditFile" if call.touches.writes else "ReadFile"
            return f"{tool}({_anchored(spot.place.real, call)})"
        case Fetching(url):
            host = hosts.host_of(url)
            return f"WebFetch(domain:{host})" if host is not None and call.tool == "WebFetch" else ""
        case Acting():
            return call.tool
        case _:
            assert_never(subject)


def _pattern(part: Part) -> str:
    if not part.words or part.opaque or part.inside or part.paths_unknown:
        return ""
    program, *operands = part.words
    if program in _HAVE_SUBCOMMANDS and operands and _names_subcommand(operands[0]):
        return f"{program} {operands[0]} *"
    return "" if command_rules.spans_commands(part.text) else literal(part.text)


def _names_subcommand(word: str) -> bool:
    return not word.startswith("-") and word.replace("-", "").isalnum()


def _anchored(real: str, call: Examined) -> str:
    root = call.ground.root
    if within(real, root):
        return "/" + path_rules.literal(real[len(root) :].strip("/"))
    return "/" + path_rules.literal(real)
