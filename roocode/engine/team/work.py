"""A member's own worktree: what is committed when it claims, completes and stops; what a claim brings in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

from roocode.engine.team.leftovers import Leftovers, commit_leftovers
from roocode.engine.team.merge import TakenIn, contains, merge_into
from roocode.engine.team.tasks import FinishedWork, TaskRefused
from roocode.protocol.messages import Message
from roocode.protocol.team import Task
from roocode.security.sandbox.git import Git
from roocode.security.sandbox.git_status import operation

CONCLUDE = "Edit the files, then `git add` and `git commit`."
WRITERS = frozenset({"WriteFile", "EditFile"})


class MemberWork:
    """The git work around one member's tasks; `written` gives the paths that its file tools wrote."""

    def __init__(self, git: Git, name: str, branch: str, written: Callable[[], Collection[Path]]) -> None:
        self._git = git
        self._name = name
        self._branch = branch
        self._written = written

    async def commit_left(self, about: str = "unfinished work") -> str:
        """Commits what is left; returns what a person or the lead should know of what stays, or ""."""
        return _told(await self._commit(about))

    async def before_claim(self, task: Task) -> str | None:
        """Commits what is left of other work, and gives the commit from which this task's work counts."""
        await self._commit(f"before task {task.id}")
        return (await self._git("rev-parse", "HEAD")).line

    async def after_claim(self, task: Task, blockers: Sequence[Task]) -> str:
        """Merges what other members committed for the blockers; a conflict is the claimant's first work."""
        under_way = await operation(self._git)
        if under_way:
            return f"A {under_way} is in progress in your worktree: resolve it first. {CONCLUDE}"
        wanted = [(b.owner or "?", b.completed_commit) for b in blockers if b.completed_commit]
        missing = [(who, commit) for who, commit in wanted if not await contains(self._git, "HEAD", commit)]
        return _taken_in(await merge_into(self._git, self._name, missing)) if missing else ""

    async def before_complete(self, task: Task) -> FinishedWork:
        """Commits what is left for the task. Raises TaskRefused while a conflict is not resolved."""
        left = await self._commit(f"task {task.id}: {task.subject}")
        if left.blocked:
            raise TaskRefused(f"Task {task.id} cannot be completed yet: {left.blocked}.")
        head = (await self._git("rev-parse", "HEAD")).line
        base = task.claim_base or head
        commits = (
            await self._git("rev-list", "--no-merges", "--author-date-order", head, f"^{base}")
        ).out.split()
        return FinishedWork(tuple(reversed(commits)), head, _told(left))

    async def _commit(self, about: str) -> Leftovers:
        message = f"{self._name}: {about}\n"
        return await commit_leftovers(
            self._git, branch=self._branch, message=message, written=self._written()
        )


def written_paths(messages: Iterable[Message]) -> frozenset[Path]:
    """The paths that file tools wrote in a conversation: of calls whose result is no error. Pure."""
    calls: dict[str, str] = {}
    paths: set[Path] = set()
    for message in messages:
        for call in message.calls:
            path = (call.arguments or {}).get("path") or (call.arguments or {}).get("file_path")
            if call.name in WRITERS and isinstance(path, str):
                calls[call.id] = path
        paths |= {Path(calls[r.call_id]) for r in message.results if r.call_id in calls and not r.is_error}
    return frozenset(paths)


def _told(left: Leftovers) -> str:
    lines = [f"Not committed: {left.blocked}."] if left.blocked else []
    if left.named:
        lines.append(f"Left uncommitted in the worktree: {', '.join(left.named)}.")
    return "\n".join(lines)


def _taken_in(taken: TakenIn) -> str:
    lines = [f"Merged into your worktree: the work of {', '.join(taken.merged)}."] if taken.merged else []
    if taken.conflict:
        lines.append(
            "A merge is in progress in your worktree and conflicts. This is your first work. "
            f"{CONCLUDE}\n{taken.conflict.describe()}"
        )
    if taken.waiting:
        lines.append(f"Claim the task again afterwards: the work of {', '.join(taken.waiting)} comes then.")
    return "\n".join(lines)
