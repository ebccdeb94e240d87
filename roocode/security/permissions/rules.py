"""Reads rules, `Tool` or `Tool(pattern)`, as people's files spell them, and says which can never match."""

from __future__ import annotations

from roocode.protocol.decisions import Verdict
from roocode.security.permissions import command_rules, hosts, path_rules
from roocode.security.permissions.names import MAIN_FIELDS, canonical, is_known
from roocode.security.permissions.policy import Rule, Tier

PATH_TOOLS = frozenset({"ReadFile", "WriteFile", "EditFile", "Glob", "Grep"})
NAMED_ARGUMENTS = {"Agent": ("subagent_type", "name"), "LoadSkill": ("name",)}


def parse_rule(text: str, verdict: Verdict, tier: Tier, source: str = "", base: str = "") -> Rule:
    """Reads one line of a `permissions` list; never raises: what cannot be read becomes the rule's `flaw`.

    `base` is the directory that a path beginning with `/` starts from, empty for the workspace's root.
    """
    name, spec, flaw = _split(text.strip())
    tool = canonical(name)
    if not flaw:
        flaw = _flaw(verdict, tool, spec, tier)
    return Rule(verdict, tool, spec, tier, text, source, base, flaw)


def never_matches(rule: Rule, tools: frozenset[str] = frozenset()) -> str:
    """Why a rule can never match, or ""."""
    if rule.tool and not is_known(rule.tool, tools):
        return f"there is no tool called {rule.tool}"
    return rule.flaw


def parameter(spec: str) -> tuple[str, str] | None:
    """The field and value of `Tool(field:value)`, or None where the pattern is no such thing."""
    field, separator, value = spec.partition(":")
    names_field = bool(separator) and field.isidentifier() and field not in ("domain", *MAIN_FIELDS)
    return (field, value) if names_field and value not in ("", "*") else None


def _split(text: str) -> tuple[str, str | None, str]:
    name, opened, rest = text.partition("(")
    if not opened:
        return name, None, "" if name else "the rule is empty"
    if not name or not rest.endswith(")"):
        return name, None, "expected Tool or Tool(pattern)"
    spec = rest[:-1].strip()
    if not spec:
        return name, None, "the pattern in parentheses is empty"
    return name, None if spec == "*" else spec, ""


def _flaw(verdict: Verdict, tool: str, spec: str | None, tier: Tier) -> str:
    if tool.startswith("mcp__") and not tool[5:].partition("__")[0]:
        return "it names no server: write mcp__server or mcp__server__tool"
    if "*" in tool and verdict == "allow" and not _names_server(tool):
        return "an allow rule may use * only after mcp__server__"
    if spec is None:
        return ""
    if tool == "WebFetch" and not spec.startswith("prompt:"):
        return hosts.complaint(spec)
    field, separator, _ = spec.partition(":")
    if separator and field in MAIN_FIELDS:
        return f"{field} is what the pattern itself is about: write {tool}(pattern)"
    if parameter(spec) is not None and tool != "Bash":
        return "" if verdict != "allow" else "an allow rule cannot look at a single field"
    return _flaw_of_pattern(verdict, tool, spec, tier)


def _flaw_of_pattern(verdict: Verdict, tool: str, spec: str, tier: Tier) -> str:
    if tool == "Bash":
        if verdict == "allow" and tier != "session" and command_rules.spans_commands(spec):
            return "a line is judged command by command: write one rule for each"
        return ""
    if tool in PATH_TOOLS:
        return path_rules.complaint(spec)
    if tool in NAMED_ARGUMENTS:
        return ""
    return f"{tool} takes no pattern"


def _names_server(tool: str) -> bool:
    _, prefix, rest = tool.partition("mcp__")
    server, separator, _ = rest.partition("__")
    return bool(prefix and server and separator) and "*" not in server
