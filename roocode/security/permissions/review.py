"""What a person should know of their rules: which can never match, and which add nothing to the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roocode.protocol.frozen import frozen
from roocode.security.permissions import command_rules
from roocode.security.permissions.matching import covers_tool
from roocode.security.permissions.policy import Rule
from roocode.security.permissions.rules import never_matches

_EVERYTHING = ("**", "/**", "./**")


@frozen
class Remark:
    """What is the matter with a rule: in a word for a sentence (`never matches`), and why.

    With `is_fault` it does not do what it says; else it is only superfluous.
    """

    rule: Rule
    what: str
    why: str
    is_fault: bool = True

    def __str__(self) -> str:
        """The rule's place, the rule and the remark, in one line."""
        place = self.rule.source or self.rule.tier
        return f"{place}: {self.rule.verdict} rule {self.rule.text} {self.what}: {self.why}"


def review(rules: Sequence[Rule], tools: frozenset[str] = frozenset()) -> Iterator[Remark]:
    """At most one remark for each rule, in order; `tools` are names of tools beyond the built-in ones.

    Only what is certain is told: a rule that merely overlaps with others is none of its business.
    """
    sound = [rule for rule in rules if not never_matches(rule, tools)]
    denies = [rule for rule in sound if rule.verdict == "deny"]
    seen: dict[tuple[object, ...], Rule] = {}
    for rule in rules:
        if reason := never_matches(rule, tools):
            yield Remark(rule, "never matches", reason)
            continue
        same = seen.setdefault((rule.verdict, rule.tool, rule.spec, rule.tier), rule)
        deny = next((deny for deny in denies if rule.verdict != "deny" and _covers(deny, rule)), None)
        if deny is not None:
            place = deny.source or deny.tier
            why = f"deny rule {deny.text} ({place}) forbids all that it is about"
            yield Remark(rule, "has no effect", why)
        elif same is not rule:
            why = f"{same.source or same.tier} says the same"
            yield Remark(rule, "is superfluous", why, is_fault=False)


def _covers(deny: Rule, rule: Rule) -> bool:
    """Whether a deny rule is certain to match wherever another rule does."""
    if not covers_tool(deny.tool, rule.tool):
        return False
    if deny.spec is None or (deny.tool == rule.tool and deny.spec == rule.spec and deny.base == rule.base):
        return True
    if rule.spec is None:
        return False
    if deny.tool == "Bash":
        return command_rules.includes(deny.spec, rule.spec)
    return deny.tool in ("ReadFile", "EditFile", "WriteFile") and deny.spec in _EVERYTHING
