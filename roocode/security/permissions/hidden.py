"""Files that a deny rule hides, and our own keys: searches leave them out, and no file tool opens them."""

from __future__ import annotations

from collections.abc import Callable

from roocode.protocol.tools import Workspace
from roocode.security.permissions import path_rules
from roocode.security.permissions.paths import grounds, holds_keys, place
from roocode.security.permissions.policy import Policy


def hides(policy: Policy, workspace: Workspace) -> Callable[[str], bool]:
    """Returns a test that says whether an absolute path is hidden by a `ReadFile(pattern)` deny rule.

    Frozen with the policy: ask again after it changes.
    """
    ground = grounds(workspace, policy.home, policy.plan_file, policy.protected)
    rules = [
        (rule.spec, rule.base)
        for rule in policy.rules
        if rule.verdict == "deny" and rule.tool == "ReadFile" and rule.spec and policy.counts(rule)
    ]

    def is_hidden(path: str) -> bool:
        if holds_keys(path, ground.protected):
            return True
        if not rules:
            return False
        where = place(path, None, ground)
        return any(path_rules.restricts(spec, base, where, ground) for spec, base in rules)

    return is_hidden
