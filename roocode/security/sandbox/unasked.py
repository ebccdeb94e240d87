"""What the environment of a shell line is pinned to when it runs without a question, as only reading."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from roocode.protocol.frozen import frozen
from roocode.security.sandbox.git_reading import general, reading
from roocode.security.sandbox.process import outermost_checkout, outside_folders

_ITSELF: Mapping[str, str] = {"GOTOOLCHAIN": "local", "COREPACK_ENABLE_PROJECT_SPEC": "0"}
"""Programs that would fetch and run the version of themselves that a project names, even for `--version`."""
_NO_VERSIONS_FILE = {
    f"{manager}_TOOL_VERSIONS_FILENAME": ".tool-versions-that-names-no-path"
    for manager in ("ASDF", "ASDF_DEFAULT", "MISE_DEFAULT")
}
_MOST_BYTES = 64 * 1024


@frozen
class Pinned:
    """Variables for the line, and what the model should know of them, in words.

    `past_filters` names changed files that a withheld filter of the repository is for.
    """

    variables: Mapping[str, str]
    notes: tuple[str, ...] = ()
    past_filters: tuple[str, ...] = ()


def system_programs_only(env: Mapping[str, str], root: Path, words: Iterable[str]) -> Pinned:
    """PATH without the project: a name that is known only to read must mean the system's program (P29).

    A note says which of the line's `words` the project has a program for.
    """
    folders = outside_folders(env, outermost_checkout(root))
    given = env.get("PATH", os.defpath).split(os.pathsep)
    if len(folders) == len(given):
        return Pinned({})
    left_out = [folder for folder in given if folder not in folders]
    planted = list(dict.fromkeys(_planted(left_out, words)))
    notes = (
        (f"[run without a question, and so with the system's programs, not with {', '.join(planted)}]",)
        if planted
        else ()
    )
    return Pinned({"PATH": os.pathsep.join(folders) or os.defpath}, notes)


def own_versions_only(cwd: Path) -> Pinned:
    """Version managers and toolchains that run no program of the project (P15).

    A `.tool-versions` may name a folder of the project as the place of `node`.
    """
    files = (folder / ".tool-versions" for folder in (cwd, *cwd.parents))
    if any(b"path:" in _begin(file) for file in files if file.is_file()):
        return Pinned({**_ITSELF, **_NO_VERSIONS_FILE})
    return Pinned(_ITSELF)


def _begin(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(_MOST_BYTES)
    except OSError:
        return b"path:"


def _planted(folders: Iterable[str], words: Iterable[str]) -> Iterator[str]:
    known = [word for word in words if word and "/" not in word]
    for folder in folders:
        for word in known:
            path = os.path.join(folder, word)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                yield path


async def reading_git_only(
    env: Mapping[str, str], directories: Iterable[str], *, storing: bool = False
) -> Pinned:
    """Git that obeys no repository (`git_reading`). Raises HostError where its configuration is broken."""
    found = await reading(directories, env, storing=storing)
    told = f"[git ran without the programs that this repository names: {', '.join(found.withheld)}]"
    return Pinned(found.variables, (told,) if found.withheld else (), found.past_filters)


def git_in_passing(env: Mapping[str, str]) -> Pinned:
    """The same as far as it goes without a look at a repository, for a line that does not name git."""
    return Pinned(general(env))
