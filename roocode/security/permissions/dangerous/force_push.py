"""Rewriting or deleting a branch on the remote that nobody may rewrite."""

from __future__ import annotations

from roocode.security.permissions.dangerous.targets import Surroundings
from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.git_opened import parse_git
from roocode.security.permissions.shell.options import Parsed, parse_options
from roocode.security.permissions.shell.patterns import matches
from roocode.security.permissions.shell.programs import names
from roocode.security.permissions.shell.values import UNKNOWN

_VALUES = names("-o --push-option --repo --receive-pack --exec --recurse-submodules --signed")

_NAME_IT = "name it, so that it can be told from a protected one"


def force_push(call: Call, around: Surroundings) -> str:
    """Why a push is refused, or ""; a forced push that names no branch may hit any, so it is refused too."""
    if call.name not in ("git", "hub"):
        return ""
    git = parse_git(call.arguments)
    if git.command not in ("push", "send-pack", "http-push"):
        return ""
    parsed = parse_options(git.arguments, _VALUES)
    if _has(parsed, "--mirror", least=3):
        return "pushes a mirror, which rewrites and deletes every branch on the remote"
    forced = _has(parsed, "--force", least=4) or parsed.has("-f")
    leased = any(name.startswith("--force-w") for name, _ in parsed.options)
    deletes = _has(parsed, "--delete", least=4) or parsed.has("-d")
    prunes = _has(parsed, "--prune", least=5)
    references = [field.text for field in parsed.operands[0 if parsed.values("--repo") else 1 :]]
    for reference in references:
        if reason := _rewrites(
            reference, forced=forced, leased=leased, deletes=deletes, prunes=prunes, around=around
        ):
            return reason
    for value in parsed.values("--force-with-lease"):
        branch = value.text.partition(":")[0].removeprefix("refs/heads/")
        if branch in around.protected_branches:
            return f"force-pushes the protected branch {branch}"
    everything = _has(parsed, "--all", least=5) or _has(parsed, "--branches", least=5)
    if (forced or leased or prunes) and everything:
        return "force-pushes every branch"
    if forced and not references:
        return f"force-pushes a branch that it does not name: {_NAME_IT}"
    return ""


def _has(parsed: Parsed, option: str, *, least: int = 6) -> bool:
    """Whether an option is given, in full or shortened as git allows."""
    return any(option.startswith(name) and len(name) >= least for name, _ in parsed.options)


def _rewrites(
    reference: str, *, forced: bool, leased: bool, deletes: bool, prunes: bool, around: Surroundings
) -> str:
    plus = reference.startswith("+")
    source, colon, destination = reference.removeprefix("+").partition(":")
    branch = (destination if colon else source).removeprefix("refs/heads/").removeprefix("heads/")
    removes = deletes or (bool(colon) and not source)
    if not (forced or leased or plus or removes or prunes):
        return ""
    if UNKNOWN in branch or branch in ("HEAD", "@"):
        if not (forced or plus or removes):
            return ""
        named = f"a branch that cannot be known: {_NAME_IT}"
        return f"deletes {named}" if removes else f"force-pushes {named}"
    protected = any(
        name.casefold() == branch.casefold() or ("*" in branch and matches(name, branch))
        for name in around.protected_branches
    )
    if not protected or (branch.startswith("refs/") and not branch.startswith("refs/heads/")):
        return ""
    return (
        f"deletes the protected branch {branch}" if removes else f"force-pushes the protected branch {branch}"
    )
