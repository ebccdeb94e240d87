"""What the settings of a directory tell the guard."""

from __future__ import annotations

from collections.abc import Iterable

from roocode.interaction.config.settings import RuleLine, Settings
from roocode.protocol.decisions import Mode
from roocode.security.permissions.policy import Policy, Rule
from roocode.security.permissions.review import review
from roocode.security.permissions.rules import parse_rule


def policy_of(settings: Settings, mode: Mode | None = None) -> Policy:
    """The policy for an agent in this directory, in another mode than the configured one if it is given.

    The settings hold only rules that count (an untrusted directory's denies, and the local rules that
    RooCode wrote there for the person), so the guard need not leave out any.
    """
    return Policy(
        home=settings.places.person,
        mode=mode or settings.mode,
        rules=tuple(rules_of(settings.rules, base=str(settings.places.root))),
        trusted=True,
        config_errors=settings.rule_errors,
        protected=(settings.places.home,),
    )


def rules_of(lines: Iterable[RuleLine], *, base: str) -> Iterable[Rule]:
    """The rules as the guard reads them; `base` is where a path that begins with `/` starts."""
    return (parse_rule(line.text, line.verdict, line.tier, line.source, base) for line in lines)


def rule_notes(settings: Settings) -> tuple[str, ...]:
    """The rules that can never match, in words for standard error: a tool that does not exist, above all."""
    remarks = review(tuple(rules_of(settings.rules, base=str(settings.places.root))))
    return tuple(str(remark) for remark in remarks if remark.is_fault)
