"""Adds members to a team and prepares each of their lives: roster, worktree, handshake, command."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from roocode.engine.team import handshake, naming
from roocode.engine.team.backends.backend import Launch
from roocode.engine.team.codec import timestamp
from roocode.engine.team.keyring import Keyring
from roocode.engine.team.repository import Located
from roocode.engine.team.stopping import Sender
from roocode.engine.team.store.interface import TeamStore
from roocode.engine.team.supervisor import Supervisor
from roocode.memory.sessions.log import records
from roocode.protocol.errors import ModelError
from roocode.protocol.frozen import frozen
from roocode.protocol.team import LEAD, BackendName, Member, Task, Team, valid_name
from roocode.security.isolation.worktree import Worktrees
from roocode.security.sandbox.git import Git
from roocode.security.sandbox.git_status import read_status

COLORS = ("cyan", "magenta", "yellow", "green", "blue", "red")


@frozen
class Terms:
    """What every member of this team gets.

    `argv` starts a teammate's process; the handshake's path is appended. `options` gives what the
    application needs to build a member's agent. `runtime` is a private directory for handshakes.
    """

    team: str
    argv: tuple[str, ...]
    process_env: Mapping[str, str]
    agent_env: Mapping[str, str]
    options: Callable[[Member], Mapping[str, Any]]
    runtime: Path
    backend: BackendName
    max_members: int
    agent_types: tuple[str, ...]
    lead_model: str


class Crew:
    """The lead's hiring office, behind the Agent and TaskStop tools; it also prepares further lives."""

    def __init__(
        self,
        store: TeamStore,
        root: Path,
        place: Located,
        worktrees: Worktrees,
        terms: Terms,
        keys: Keyring,
    ) -> None:
        self._store = store
        self._root = root
        self._place = place
        self._worktrees = worktrees
        self._terms = terms
        self._keys = keys
        self._supervisor: Supervisor | None = None
        self._sender: Sender | None = None

    def attach(self, supervisor: Supervisor, sender: Sender) -> None:
        """Connects the office with the supervisor, which needs it to start members again."""
        self._supervisor = supervisor
        self._sender = sender

    def key_of(self, name: str) -> bytes | None:
        """The key that signs the lead's words to a member."""
        return self._keys.of(name)

    async def spawn(
        self, *, name: str, team_name: str, prompt: str, subagent_type: str | None, model: str | None
    ) -> str:
        """Adds a member and starts it; returns when it is ready. Raises ModelError or HostError."""
        team = await asyncio.to_thread(self._store.team)
        agent_type = subagent_type or "teammate"
        self._check(name, team_name, agent_type)
        member = team.member(name)
        if member is None:
            member = await self._hire(team, name, agent_type, model)
        elif self.has_begun(name):
            raise ModelError(f"{name} is a member already: wake it with SendMessage.")
        await self._supervised().start(member, prompt)
        return f"{name} is ready and works on {member.branch}."

    async def _hire(self, team: Team, name: str, agent_type: str, model: str | None) -> Member:
        if len(team.members) >= self._terms.max_members:
            raise ModelError(f"The team is full ({self._terms.max_members}): use the members that there are.")
        place = naming.member_place(self._place.main_root, team.name, name)
        reason = f"roocode team {team.name}: {name}"
        await self._worktrees.add(place, base=team.base_commit, reason=reason)
        member = Member(
            name=name,
            agent_id=f"a-{team.name}-{name}",
            agent_type=agent_type,
            model=model or self._terms.lead_model,
            color=COLORS[len(team.members) % len(COLORS)],
            worktree_path=str(place.path),
            branch=place.branch,
            backend_type=self._terms.backend,
            session_id=f"{team.name}-{name}",
            spawned_at=timestamp(),
        )
        await asyncio.to_thread(self._store.add_member, member)
        return member

    def has_begun(self, name: str) -> bool:
        """Whether a member of the roster ever heard its prompt: a start that failed can be tried again."""
        transcript = self._root / "transcripts" / f"{name}.jsonl"
        heard = transcript.exists() and any(r and r["type"] == "prompt" for r in records(transcript))
        return heard or self._supervised().lives(name)

    async def stop(self, target: str) -> str:
        """Stops a member, named by itself, its agent id or a task that it has in progress."""
        team = await asyncio.to_thread(self._store.team)
        tasks = await asyncio.to_thread(self._store.tasks)
        owner = next((t.owner for t in tasks if t.id == target and t.status == "in_progress"), None)
        member = team.member(owner or target)
        if member is None or self._sender is None:
            raise ModelError(f"Nothing runs under {target!r}: give a member's name or a task in progress.")
        if not self._supervised().lives(member.name):
            return f"{member.name} is not running."
        refusal = await self._supervised().stop(member.name, self._sender, reason="the lead stops you")
        if refusal is not None:
            return f"{member.name} refuses to stop: {refusal}"
        return f"{member.name} has stopped. A message to it starts it again with its whole context."

    async def prepare(self, member: Member, prompt: str, *, resumed: bool) -> Launch:
        """Makes sure of the worktree and writes the handshake."""
        git = await self._worktree_of(member)
        key = await asyncio.to_thread(self._keys.ensure, member.name)
        path = handshake.write(
            handshake.Handshake(
                team_dir=str(self._root),
                member=member.name,
                key=key.hex(),
                prompt=prompt,
                env=self._terms.agent_env,
                options=self._terms.options(member),
                resumed=resumed,
            ),
            self._terms.runtime,
        )
        return Launch(
            member=member.name,
            argv=(*self._terms.argv, str(path)),
            cwd=git.cwd,
            handshake=path,
            env=self._terms.process_env,
        )

    async def condition(self, member: Member, freed: tuple[Task, ...], reason: str) -> str:
        """The first message of a life after one that was cut off: why, tasks, worktree, commits."""
        there = Path(member.worktree_path).is_dir()
        git = await self._worktree_of(member)
        team = await asyncio.to_thread(self._store.team)
        commits = (
            await git("log", "--oneline", "--max-count=10", "HEAD", f"^{team.base_commit}")
        ).out.splitlines()
        status = await read_status(git)
        tasks = ", ".join(f"{task.id} ({task.subject})" for task in freed) or "none"
        changed = ", ".join((*status.tracked, *status.untracked)) or "nothing"
        lines = [
            f"Your process was cut off ({reason}), and you were started again with your whole conversation.",
            f"Tasks that you held and that are free again: {tasks}. Claim them again to go on.",
            "" if there else "Your worktree was gone. It was made again from your branch.",
            f"Uncommitted in your worktree: {changed}.",
            f"Commits on your branch: {'; '.join(commits) or 'none'}.",
            "A call that was cut off may have had an effect: look before you repeat it.",
        ]
        return "\n".join(line for line in lines if line)

    async def _worktree_of(self, member: Member) -> Git:
        """Git in the member's worktree, which is made again from its branch where it is gone."""
        place = naming.member_place(self._place.main_root, self._terms.team, member.name)
        base = (await asyncio.to_thread(self._store.team)).base_commit
        reason = f"roocode team {self._terms.team}: {member.name}"
        tip = await self._worktrees.tip(place.branch)
        return await self._worktrees.add(place, base=base, reason=reason, recorded_tip=tip)

    def _check(self, name: str, team_name: str, agent_type: str) -> None:
        terms = self._terms
        if team_name != terms.team:
            raise ModelError(f"team_name must be {terms.team!r}, the team that you lead.")
        if not valid_name(name) or name == LEAD:
            raise ModelError(f"{name!r} cannot name a member: use a-z, 0-9 and -, at most 32 of them.")
        if agent_type not in terms.agent_types:
            raise ModelError(f"There is no agent {agent_type!r}; there are {', '.join(terms.agent_types)}.")

    def _supervised(self) -> Supervisor:
        if self._supervisor is None:
            raise ModelError("The team has not started yet.")
        return self._supervisor
