"""Brings the branches together: merges in order, the check of the whole, the person's branch at the end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from roocode.engine.team import mail, schedule
from roocode.engine.team.codec import timestamp
from roocode.engine.team.conflict import Conflict
from roocode.engine.team.landing import Landed, Result, land
from roocode.engine.team.lead import Verification
from roocode.engine.team.leftovers import commit_leftovers
from roocode.engine.team.merge import Integrator, Merged, NothingToMerge, contains, merge_into
from roocode.engine.team.post import TeamPost
from roocode.engine.team.store.interface import TeamStore
from roocode.engine.team.verify import run_verify
from roocode.protocol.errors import ModelError
from roocode.protocol.frozen import frozen
from roocode.protocol.team import AT_WORK, LEAD, Member, MemberState, Team, TextMail
from roocode.security.isolation.worktree import Worktrees
from roocode.security.sandbox.git_status import operation

PATIENCE_S = 30.0
LOOK_EVERY_S = 0.1
CONFLICT = (
    "Your branch conflicts with what is merged already. The merge is in progress in your worktree: resolve "
    "it with what you know of both sides, run the tests, `git add` the files and `git commit`. Then stop, "
    "and the lead merges again.\n{conflict}"
)


@frozen
class Check:
    """The verify command, or why there is none that may run (with the mend), and what it runs with."""

    command: str | None
    why_not: str
    env: Mapping[str, str]
    log: Path


class TeamIntegration:
    """The integration worktree of a running team, for the lead's tools and for code."""

    def __init__(
        self,
        store: TeamStore,
        integrator: Integrator,
        worktrees: Worktrees,
        post: TeamPost,
        states: Callable[[], Mapping[str, MemberState]],
        check: Check,
        *,
        checkout: Path,
    ) -> None:
        self._store = store
        self._integrator = integrator
        self._worktrees = worktrees
        self._post = post
        self._states = states
        self._check = check
        self._checkout = checkout
        self._one_at_a_time = asyncio.Lock()

    async def merge(self, name: str, preview: bool) -> str:
        """Merges a member's branch, or says what would come of it. Raises ModelError or HostError."""
        team = await asyncio.to_thread(self._store.team)
        member = team.member(name)
        if member is None:
            names = ", ".join(m.name for m in team.members) or "nobody yet"
            raise ModelError(f"There is no member {name}; the members are {names}.")
        if preview:
            return await self._preview(team, member)
        await self._until_it_stops(member.name)
        async with self._one_at_a_time:
            before = [team.member(other) for other in await self._built_on(team, member.name)]
            lines = [await self._merge(each) for each in (*before, member) if each is not None]
            return "\n".join(lines)

    async def merged(self) -> tuple[str, ...]:
        """Members whose branches are contained as they stand now, in the roster's order."""
        team = await asyncio.to_thread(self._store.team)
        found = await self._integrator.merged({m.name: m.branch for m in team.members})
        return tuple(m.name for m in team.members if m.name in found)

    async def merge_open(self) -> tuple[str, ...]:
        """Merges what is open, in the order of tasks and forecast; conflicts are left out and described."""
        team = await asyncio.to_thread(self._store.team)
        tasks = await asyncio.to_thread(self._store.tasks)
        branches = {member.name: member.branch for member in team.members}
        clashes = await self._integrator.forecast(branches)
        order = schedule.merge_order(tuple(branches), tasks, {clash.pair for clash in clashes})
        conflicts: list[str] = []
        async with self._one_at_a_time:
            for name in order:
                for other in (*await self._built_on(team, name), name):
                    conflicts += await self._merge_by_code(other, branches[other])
        return tuple(conflicts)

    async def verify(self) -> Verification | str:
        """Runs the check in the integration worktree; what it writes there is taken away again."""
        if self._check.command is None:
            return self._check.why_not
        async with self._one_at_a_time, self._integrator.scratch():
            done = await run_verify(
                self._check.command,
                self._integrator.git.cwd,
                env=self._check.env,
                log=self._check.log,
                mask=self._store.mask,
            )
        code = done.exit_code if done.exit_code or done.green else 1
        tail = "\n".join(part for part in (done.output, done.wrong_tree) if part)
        if done.timed_out:
            tail += "\nIt took too long and was ended."
        await self._record("verified", "", {"command": done.command, "exitCode": code})
        return Verification(done.command, code, tail)

    async def land(self) -> tuple[bool, str]:
        """Moves the person's branch to the result; where it cannot, nothing is touched and it says how to."""
        team = await asyncio.to_thread(self._store.team)
        result = Result(await self._integrator.head(), team.integration_branch, self._integrator.git)
        landing = await land(self._worktrees, result, branch=team.base_branch, checkout=self._checkout)
        if isinstance(landing, Landed):
            await self._record("landed", "", {"branch": landing.branch, "commit": landing.commit[:12]})
            return True, f"{landing.branch} is at {landing.commit[:12]}"
        if landing.kind == "detached":
            return True, f"The result is on {team.integration_branch}. Take it with: {landing.command}"
        where = f": {', '.join(landing.paths)}" if landing.paths else ""
        return (
            False,
            f"The result is on {team.integration_branch}, but {landing.reason}{where}. {landing.command}",
        )

    async def _merge(self, member: Member) -> str:
        await self._save_what_a_dead_one_left(member)
        outcome = await self._integrator.merge(member.name, member.branch)
        if isinstance(outcome, NothingToMerge):
            return f"{member.name}: {outcome.note}; it counts as merged."
        if isinstance(outcome, Merged):
            await self._record("merged", member.name, {"commit": outcome.commit[:12]})
            return f"Merged {member.name} into the integration branch: {outcome.commit[:12]}."
        await self._record("conflict", member.name, {"paths": ", ".join(outcome.paths)})
        return await self._give_back(member, outcome)

    async def _merge_by_code(self, name: str, branch: str) -> list[str]:
        outcome = await self._integrator.merge(name, branch)
        if isinstance(outcome, Conflict):
            await self._record("conflict", name, {"paths": ", ".join(outcome.paths)})
            return [outcome.describe()]
        if isinstance(outcome, Merged):
            await self._record("merged", name, {"commit": outcome.commit[:12]})
        return []

    async def _built_on(self, team: Team, name: str) -> list[str]:
        """Members whose whole work stands in this one's branch and is not merged yet, the oldest first.

        They are merged before it, so that each gets a merge commit of its own.
        """
        refs = {member.name: f"refs/heads/{member.branch}" for member in team.members}
        merged = await self.merged()
        sizes: list[tuple[int, str]] = []
        for other, ref in refs.items():
            if other == name or other in merged or not await contains(self._integrator.git, refs[name], ref):
                continue
            sizes.append((int((await self._integrator.git("rev-list", "--count", ref)).line), other))
        return [other for _, other in sorted(sizes)]

    async def _give_back(self, member: Member, conflict: Conflict) -> str:
        """The conflict goes to its author, whose worktree gets the merge to resolve."""
        git = self._integrator.git.at(Path(member.worktree_path))
        if await operation(git) is None:
            await merge_into(git, member.name, [("the integration branch", await self._integrator.head())])
        letter = TextMail(
            id=mail.new_id(),
            from_=LEAD,
            to=member.name,
            timestamp=timestamp(),
            summary="your branch conflicts",
            text=CONFLICT.format(conflict=conflict.describe()),
        )
        told = await self._post.deliver(letter)
        again = f"Merge again when {member.name} has stopped."
        return f"Conflict, nothing was merged. {conflict.describe()}\n{told} {again}"

    async def _save_what_a_dead_one_left(self, member: Member) -> None:
        if not Path(member.worktree_path).is_dir() or self._store.member_lock(member.name).is_held():
            return
        git = self._integrator.git.at(Path(member.worktree_path))
        message = f"{member.name}: what it left when it ended\n"
        await commit_leftovers(git, branch=member.branch, message=message, written=())

    async def _until_it_stops(self, name: str) -> None:
        ends = time.monotonic() + PATIENCE_S
        while (state := (await asyncio.to_thread(self._states)).get(name, "stopped")) in AT_WORK:
            if time.monotonic() >= ends:
                raise ModelError(f"{name} is {state}: merge it when it has stopped.")
            await asyncio.sleep(LOOK_EVERY_S)

    async def _preview(self, team: Team, member: Member) -> str:
        branches = {m.name: m.branch for m in team.members}
        clashes = [c for c in await self._integrator.forecast(branches) if member.name in c.pair]
        lines = [f"{' and '.join(sorted(c.pair))} conflict in {', '.join(c.paths)}" for c in clashes]
        return "\n".join(lines) or f"{member.branch} conflicts with no other member's branch."

    async def _record(self, kind: str, member: str, detail: Mapping[str, object]) -> None:
        await asyncio.to_thread(self._store.record, kind, member, detail)
