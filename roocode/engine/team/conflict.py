"""Where two commits conflict, found without touching any worktree."""

from __future__ import annotations

from roocode.protocol.frozen import frozen
from roocode.security.sandbox.git import Git

COMMITS_SHOWN = 10


@frozen
class Side:
    """One side of a conflict: whose it is, at which commit, and its commits that touch the conflict.

    `commits` are lines of short id and subject, the newest first.
    """

    name: str
    commit: str
    commits: tuple[str, ...]


@frozen
class Conflict:
    """`paths` conflict between `ours` and `theirs`; `messages` are git's, as `CONFLICT (content): …`."""

    ours: Side
    theirs: Side
    paths: tuple[str, ...]
    messages: tuple[str, ...]

    def describe(self) -> str:
        """Both sides named, for the one who is to resolve it."""
        lines = [
            f"{self.theirs.name} conflicts with {self.ours.name} in {', '.join(self.paths)}",
            *self.messages,
        ]
        for side in (self.ours, self.theirs):
            lines += [f"Commits of {side.name}:", *(f"  {commit}" for commit in side.commits)]
        return "\n".join(lines)


@frozen
class TreeMerge:
    """What `git merge-tree` made: the merged tree, with conflict marks where `paths` conflict."""

    tree: str
    paths: tuple[str, ...]
    messages: tuple[str, ...]


async def merge_trees(git: Git, ours: str, theirs: str) -> TreeMerge:
    """Merges two commits into a tree. Raises HostError where they share no history."""
    options = ("--write-tree", "--name-only", "--messages", "-z")
    return parse_merge_tree((await git("merge-tree", *options, ours, theirs, ok=(0, 1))).out)


async def find_conflict(git: Git, ours: tuple[str, str], theirs: tuple[str, str]) -> Conflict | None:
    """The conflict between two sides, each a name and a commit id, or None."""
    merged = await merge_trees(git, ours[1], theirs[1])
    if not merged.paths:
        return None
    return Conflict(
        ours=Side(*ours, await _commits(git, ours[1], theirs[1], merged.paths)),
        theirs=Side(*theirs, await _commits(git, theirs[1], ours[1], merged.paths)),
        paths=merged.paths,
        messages=merged.messages,
    )


def parse_merge_tree(text: str) -> TreeMerge:
    """Reads `git merge-tree --write-tree --name-only --messages -z`; see git-merge-tree(1), OUTPUT."""
    tree, *fields = text.split("\0")[:-1]
    end = fields.index("") if "" in fields else len(fields)
    notes = fields[end + 1 :]
    messages: list[str] = []
    while notes:
        count = int(notes[0])
        kind, message = notes[count + 1 : count + 3]
        if kind.startswith("CONFLICT"):
            messages.append(message.strip())
        notes = notes[count + 3 :]
    return TreeMerge(tree, tuple(dict.fromkeys(fields[:end])), tuple(messages))


async def _commits(git: Git, side: str, other: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    """Those that touch the paths; all of the side where none does, as after a rename of a folder."""
    log = ("log", "--format=%h %s", f"--max-count={COMMITS_SHOWN}", side, f"^{other}")
    touching = (await git(*log, "--no-merges", "--", *paths)).out or (await git(*log)).out
    return tuple(touching.splitlines())
