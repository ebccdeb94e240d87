"""What each mode says of a call that no rule decided."""

from __future__ import annotations

from typing import assert_never

from roocode.protocol.decisions import Mode, Verdict
from roocode.protocol.frozen import frozen


@frozen
class Effect:
    """What a call would do, in the terms that modes distinguish.

    `reads_only`: it changes nothing and shows nothing secret. `edits_inside`: all it does is write files in
    the allowed directories. `own_files`: all it writes are the agent's own files, `plan_file`: the plan.
    """

    reads_only: bool = False
    edits_inside: bool = False
    own_files: bool = False
    plan_file: bool = False


def by_mode(mode: Mode, effect: Effect) -> Verdict:
    """The mode's verdict where no rule matched.

    default: reading goes, the rest asks. acceptEdits: edits in the allowed directories go too. plan: reading
    and the plan file go. dontAsk: what would ask is denied. bypassPermissions: nothing asks.
    """
    if effect.reads_only or effect.plan_file:
        return "allow"
    match mode:
        case "default":
            return "allow" if effect.own_files else "ask"
        case "acceptEdits":
            return "allow" if effect.own_files or effect.edits_inside else "ask"
        case "plan":
            return "ask"
        case "dontAsk":
            return "allow" if effect.own_files else "deny"
        case "bypassPermissions":
            return "allow"
        case _:
            assert_never(mode)
