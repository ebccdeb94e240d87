"""Which rule is about which call: a deny or ask looks at everything it touches, an allow at one thing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from roocode.security.permissions import command_rules, holding, hosts, path_rules
from roocode.security.permissions.places import Place
from roocode.security.permissions.policy import Rule
from roocode.security.permissions.rules import NAMED_ARGUMENTS, PATH_TOOLS, parameter
from roocode.security.permissions.subjects import (
    Acting,
    Examined,
    Fetching,
    Program,
    Reading,
    Spot,
    Subject,
    Writing,
    spots_of,
    spots_written,
)
from roocode.security.permissions.wildcard import like

_COVERED_BY = {
    "EditFile": frozenset({"EditFile", "WriteFile"}),
    "ReadFile": frozenset({"ReadFile", "Glob", "Grep"}),
}


def restricts(rule: Rule, call: Examined, subjects: Iterable[Subject]) -> bool:
    """Whether a deny or ask rule is about any of these subjects of a call.

    Rules about paths and hosts hold for every tool, Bash included; a rule that forbids reading a file forbids
    changing it too.
    """
    subjects = tuple(subjects)
    if rule.spec is None:
        return bool(subjects) and covers_tool(rule.tool, call.tool)
    if covers_tool(rule.tool, call.tool) and _field_matches(rule.spec, call):
        return True
    match rule.tool:
        case "Bash":
            programs = [subject.part for subject in subjects if isinstance(subject, Program)]
            return command_rules.restricts(rule.spec, programs)
        case "ReadFile" | "EditFile" | "WriteFile":
            and_reads = rule.tool == "ReadFile"
            places = [spot.place for spot in _spots(subjects, and_reads=and_reads)]
            return _restricts_any(rule, places, call) or _restricts_unnamed(rule, subjects, call)
        case "Glob" | "Grep":
            return call.tool == rule.tool and any(
                path_rules.restricts(rule.spec, rule.base, spot.place, call.ground)
                for spot in _spots(subjects, and_reads=True)
            )
        case "WebFetch":
            domain = _domain(rule.spec)
            return any(
                hosts.domain_covers(domain, host)
                for url in _urls(subjects)
                for host in hosts.possible_hosts(url)
            )
        case _:
            return _argument_matches(rule, call)


def permits(rule: Rule, call: Examined, subject: Subject) -> bool:
    """Whether an allow rule covers one subject of a call, seen on its own."""
    if not covers_tool(rule.tool, call.tool):
        return False
    match subject:
        case Program(part):
            is_spelled = rule.tier != "session" or rule.spec is None or _is_spelled(rule.spec, call)
            return is_spelled and command_rules.allows(rule.spec or "*", part)
        case Reading(spot):
            return rule.tool in PATH_TOOLS and _path_permitted(rule, spot, call)
        case Writing(spot):
            return permits_writing(rule, spot, call)
        case Fetching(url):
            host = hosts.host_of(url)
            return host is not None and (rule.spec is None or hosts.domain_covers(_domain(rule.spec), host))
        case Acting():
            return rule.spec is None or _argument_matches(rule, call)
        case _:
            assert_never(subject)


def permits_writing(rule: Rule, spot: Spot, call: Examined) -> bool:
    """Whether an allow rule is about writing this file, by whatever tool."""
    return rule.tool in ("EditFile", "WriteFile") and _path_permitted(rule, spot, call)


def grants_line(rule: Rule, call: Examined) -> bool:
    """Whether a rule of the session names a call's whole shell line, byte for byte."""
    names_bash = rule.tool == "Bash" and rule.spec is not None
    return rule.tier == "session" and names_bash and call.touches.command == rule.spec


def covers_tool(wanted: str, tool: str) -> bool:
    """Whether a rule's tool is this one: by name, by `*`, by server (`mcp__server`), or by kind."""
    if wanted == tool or tool in _COVERED_BY.get(wanted, ()):
        return True
    if "*" in wanted:
        return like(wanted, tool)
    return wanted.startswith("mcp__") and "__" not in wanted[5:] and tool.startswith(wanted + "__")


def _is_spelled(pattern: str, call: Examined) -> bool:
    """Whether a line holds a pattern without stars byte for byte: what the session granted is exact."""
    return "*" in pattern or pattern in (call.touches.command or "")


def _path_permitted(rule: Rule, spot: Spot, call: Examined) -> bool:
    return rule.spec is None or path_rules.allows(rule.spec, rule.base, spot.place, call.ground)


def _spots(subjects: Iterable[Subject], *, and_reads: bool) -> Iterator[Spot]:
    for subject in subjects:
        yield from spots_of(subject) if and_reads else spots_written(subject)


def _restricts_any(rule: Rule, places: Iterable[Place], call: Examined) -> bool:
    spec = rule.spec or "**"
    return any(path_rules.restricts(spec, rule.base, where, call.ground) for where in places)


def _restricts_unnamed(rule: Rule, subjects: Iterable[Subject], call: Examined) -> bool:
    """Whether a rule is about a file that a command reaches without naming it plainly.

    It counts as such, too, where a directory holds more files than can be looked at.
    """
    cwds = (None, call.touches.cwd, call.analysis.final_cwd if call.analysis else None)
    for subject in subjects:
        if not isinstance(subject, Program):
            continue
        reads = rule.tool == "ReadFile"
        try:
            if _restricts_any(rule, holding.files_below(subject, call.ground, written=True), call):
                return True
            if reads and _restricts_any(rule, holding.files_below(subject, call.ground, written=False), call):
                return True
        except holding.TooMany:
            return True
        if reads and _restricts_any(rule, holding.operands(subject, cwds, call.ground), call):
            return True
    return False


def _urls(subjects: Iterable[Subject]) -> Iterator[str]:
    for subject in subjects:
        if isinstance(subject, Fetching):
            yield subject.url
        elif isinstance(subject, Program):
            yield from subject.part.urls


def _domain(spec: str) -> str:
    return spec.removeprefix("domain:").strip()


def _field_matches(spec: str, call: Examined) -> bool:
    wanted = parameter(spec)
    if wanted is None or wanted[0] not in call.arguments:
        return False
    value = call.arguments[wanted[0]]
    if isinstance(value, bool):
        value = "true" if value else "false"
    return isinstance(value, str | int | float) and like(wanted[1], str(value))


def _argument_matches(rule: Rule, call: Examined) -> bool:
    """`Agent(Explore)`, `LoadSkill(review)`: the pattern against the argument that names the thing."""
    if rule.spec is None or not covers_tool(rule.tool, call.tool):
        return False
    pattern = rule.spec.removesuffix(":*") + " *" if rule.spec.endswith(":*") else rule.spec
    names = (call.arguments.get(field) for field in NAMED_ARGUMENTS.get(rule.tool, ()))
    return any(
        isinstance(name, str) and (like(pattern, name) or like(pattern.removesuffix(" *"), name))
        for name in names
    )
