"""A question that a rule answers which the person stored after its asker had started."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from roocode.app import assemble
from roocode.app.inspect.touching import ToolsOf
from roocode.app.options import AgentOptions
from roocode.app.teams.terms import OWN_RULES
from roocode.engine.team.open_questions import is_genuine
from roocode.engine.team.store.interface import TeamStore
from roocode.interaction.config.settings import RuleLine
from roocode.protocol.decisions import PermissionQuestion
from roocode.protocol.tools import Workspace
from roocode.security.permissions.decide import decide
from roocode.security.permissions.paths import pinned


def ruled_by(
    store: TeamStore, options: AgentOptions, learned: Sequence[RuleLine]
) -> Callable[[PermissionQuestion], str]:
    """A function that gives the reason for a yes, or "".

    The call is judged here anew, from its tool, input and directory, which its digest vouches for, and from
    the asker's worktree on the roster: nothing else that the question says counts.
    """

    def ruled(question: PermissionQuestion) -> str:
        member = store.team().member(question.agent)
        if not learned or member is None or not is_genuine(question):
            return ""
        workspace = pinned(Workspace(root=Path(member.worktree_path), agent=member.name))
        known = replace(options, rules=(*options.rules, *learned, *OWN_RULES), extra=())
        touches = ToolsOf(workspace, Path(options.home)).touches(question.tool, question.input)
        if touches.command is not None:
            touches = replace(touches, cwd=question.directory)
        decision = decide(question.tool, question.input, touches, assemble.policy(known, ()), workspace)
        return decision.reason if (decision.verdict, decision.layer) == ("allow", "rules") else ""

    return ruled
