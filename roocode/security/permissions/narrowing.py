"""A shorter list of tools for a while: what runs under it can call less than before, and never more.

A skill with `allowed-tools` and a sub-agent that shares its parent's tool list are held by it: the list that
the model was sent stays as it is, and the guard refuses the rest.
"""

from __future__ import annotations

from dataclasses import replace

from roocode.protocol.decisions import Decision
from roocode.security.permissions import outlook
from roocode.security.permissions.matching import covers_tool, permits
from roocode.security.permissions.policy import Narrowing, Policy
from roocode.security.permissions.rules import parse_rule
from roocode.security.permissions.subjects import Examined


def narrowing(by: str, tools: tuple[str, ...]) -> Narrowing:
    """The narrowing to these tools, written as rules are: `Tool` or `Tool(pattern)`; `by` says whose it is.

    What cannot be read as a rule lets nothing through.
    """
    rules = (parse_rule(text, "allow", "user", by) for text in tools)
    return Narrowing(by, tuple(rule for rule in rules if not rule.flaw))


def with_servers(held: Narrowing) -> Narrowing:
    """The same, and the tools of all MCP servers as well, whichever there are at the time."""
    servers = replace(parse_rule("mcp__*", "allow", "user", held.by), flaw="")
    return replace(held, rules=(*held.rules, servers))


def outside(call: Examined, policy: Policy) -> Decision | None:
    """The denial of a call that one of the narrowings leaves out."""
    for each in policy.narrowings:
        if not _within(call, each):
            listed = ", ".join(rule.text for rule in each.rules) or "none"
            reason = f"{each.by} may use these tools only: {listed}"
            return Decision("deny", "rules", reason, source=each.by)
    return None


def leaves_out(tool: str, policy: Policy) -> bool:
    """Whether one of the narrowings has no word about a tool, whatever it is called with."""
    return any(not any(covers_tool(rule.tool, tool) for rule in each.rules) for each in policy.narrowings)


def _within(call: Examined, narrowed: Narrowing) -> bool:
    if any(rule.spec is None and covers_tool(rule.tool, call.tool) for rule in narrowed.rules):
        return True
    rules = [rule for rule in narrowed.rules if rule.spec is not None]
    left = [subject for subject in call.subjects if not any(permits(rule, call, subject) for rule in rules)]
    if len(left) == len(call.subjects) or outlook.is_unproven(call):
        return False
    return all(outlook.is_harmless(subject, call) or outlook.is_carried(subject) for subject in left)
