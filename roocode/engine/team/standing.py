"""How each member stands: by its lock first, by what its process says of itself second."""

from __future__ import annotations

from collections.abc import Collection

from roocode.engine.team.store.interface import TeamStore
from roocode.protocol.team import MemberState


def member_states(store: TeamStore, starting: Collection[str] = ()) -> dict[str, MemberState]:
    """The state of each member of the roster; those in `starting` are being started by the caller."""
    found: dict[str, MemberState] = {}
    for member in store.team().members:
        report = store.report(member.name)
        if member.name in starting:
            found[member.name] = "starting"
        elif store.member_lock(member.name).is_held():
            found[member.name] = report.state if report else "starting"
        else:
            found[member.name] = "stopped" if report is None or report.exit else "dead"
    return found
