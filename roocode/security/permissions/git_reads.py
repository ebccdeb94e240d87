"""Where the git of a shell line only reads, so that it runs under pins and obeys no repository."""

from __future__ import annotations

from roocode.security.permissions.analysis import Analysis
from roocode.security.permissions.parts import Part
from roocode.security.permissions.shell.programs import base_name, names

_STARTS_NOTHING = names("cd pushd popd rm rmdir unlink cp mv ln mkdir touch truncate tee chmod chown chgrp")


def read_by_git(analysis: Analysis, cwd: str, *, committing: bool = False) -> tuple[str, ...]:
    """Directories in which the line's git may look for a repository; empty where it is not to be pinned.

    Pinned is a line that starts nothing beside what is proven to read, and with `committing` adds and
    commits: what a person let through, such as `git push` or `npm install`, runs as it does for them.
    """
    parts = [part for part in analysis.parts if part.words]
    quiet = all(_is_quiet(part) or (committing and _stores(part)) for part in parts)
    if not quiet or not any(_is_git(part) for part in parts):
        return ()
    named = [path for part in parts if _is_git(part) for path in part.reads]
    return tuple(dict.fromkeys((cwd, *named)))


def stores(analysis: Analysis) -> bool:
    """Whether the line's git takes files into the index."""
    return any(_stores(part) for part in analysis.parts if part.words)


def _stores(part: Part) -> bool:
    return _is_git(part) and part.words[1:2] in (("add",), ("commit",))


def _is_git(part: Part) -> bool:
    return base_name(part.words[0]) == "git"


def _is_quiet(part: Part) -> bool:
    return part.read_only or base_name(part.words[0]) in _STARTS_NOTHING
