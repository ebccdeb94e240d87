"""Whether a rule that a person wrote for one part of a call covers that part. Pure."""

from __future__ import annotations

from roocode.protocol.decisions import PermissionQuestion, RuleProposal
from roocode.security.permissions import command_rules, hosts, path_rules
from roocode.security.permissions.matching import covers_tool
from roocode.security.permissions.parts import Part
from roocode.security.permissions.paths import Grounds
from roocode.security.permissions.places import Place
from roocode.security.permissions.policy import Rule
from roocode.security.permissions.rules import PATH_TOOLS, never_matches, parse_rule


def misfit(text: str, about: RuleProposal, question: PermissionQuestion, *, base: str, home: str) -> str:
    """Why an allow rule cannot stand for a proposal of this question, or "".

    `base` is where a path beginning with `/` starts, `home` the person's home directory.
    """
    rule = parse_rule(text, "allow", "local", base=base)
    flaw = never_matches(rule, frozenset({question.tool}))
    if flaw:
        return flaw
    if not covers_tool(rule.tool, question.tool):
        return f"it is about {rule.tool}, and this call is {question.tool}"
    covers = rule.spec is None or _covers(rule, rule.spec, about.about, question, home)
    return "" if covers else f"it does not cover {about.about}"


def _covers(rule: Rule, spec: str, about: str, question: PermissionQuestion, home: str) -> bool:
    if question.tool == "Bash":
        return command_rules.allows(spec, Part(text=about, words=tuple(about.split(" "))))
    if rule.tool in PATH_TOOLS:
        ground = Grounds((question.root,), (), (), home)
        return path_rules.allows(spec, rule.base, Place(about, about, "file"), ground)
    if rule.tool == "WebFetch":
        host = hosts.host_of(about)
        return host is not None and hosts.domain_covers(spec.removeprefix("domain:").strip(), host)
    return False
