"""Git that a model's shell line runs without a question: it reads with the person's own settings, and runs
no program that the repository names.

A line is let through as reading only under these pins (P25), and a teammate's commits in a directory that
nobody trusted. They go to the whole line in its environment,
after what the person's own environment already sets. Drivers have names that only the repository knows, so
its configuration is read before each line. `git-lfs` as it installs itself is no program of a repository.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from roocode.protocol.errors import HostError
from roocode.protocol.frozen import frozen
from roocode.security.sandbox import git_pins
from roocode.security.sandbox.git_pins import Settings
from roocode.security.sandbox.process import Completed, find_program, outermost_checkout, run

_READING: Settings = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.sshCommand", ""),
    ("core.askPass", ""),
    ("core.gitProxy", ""),
    ("core.editor", ":"),
    ("core.alternateRefsCommand", ":"),
    ("credential.helper", ""),
    ("protocol.allow", "never"),
    ("safe.bareRepository", "explicit"),
    *git_pins.SIGNERS,
    ("commit.gpgSign", "false"),
    ("log.showSignature", "false"),
    ("submodule.recurse", "false"),
    ("diff.submodule", "short"),
    ("diff.ignoreSubmodules", "dirty"),
    ("status.submoduleSummary", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
)
_VARIABLES: Mapping[str, str] = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_EDITOR": ":",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
}
_OF_THE_REPOSITORY = ("local", "worktree")
_LFS = frozenset(
    (
        "git-lfs clean -- %f",
        "git-lfs smudge -- %f",
        "git-lfs smudge --skip -- %f",
        "git-lfs filter-process",
        "git-lfs filter-process --skip",
    )
)
_LFS_RUNS = ("lfs.extension.", "lfs.customtransfer.")
_LFS_RUNS_ENDS = (".standalonetransferagent", ".customtransfer")
_TEXT = (
    'text() { if command -p grep -Iq "" "$1"; then command -p cat "$1"; '
    'else command -p sha256sum <"$1"; fi; }; text'
)
"""A text conversion that leaves text as it is and shows the digest of anything else."""
_DIFF = (
    'plain() { [ $# -lt 7 ] || { printf "diff --git a/%s b/%s\\n" "$1" "$1"; '
    'command -p diff -u -L "a/$1" -L "b/$1" "$2" "$5" || :; }; }; plain'
)
"""An external diff that shows what git's own would show; an empty one would end git."""


@frozen
class Reading:
    """What a line gets in its environment, and the programs of repositories that do not run for it.

    `past_filters` are changed files that would go through a filter that is withheld; only looked for where
    the line stores files.
    """

    variables: Mapping[str, str]
    withheld: tuple[str, ...] = ()
    past_filters: tuple[str, ...] = ()


def general(env: Mapping[str, str]) -> dict[str, str]:
    """The pins that need no look at a repository, for a line that names no git: a program may call it."""
    return {**_VARIABLES, **_numbered(dict(_READING), env)}


async def reading(directories: Iterable[str], env: Mapping[str, str], *, storing: bool = False) -> Reading:
    """The pins for a line whose git only reads in these directories. Raises HostError where git cannot run.

    `env` is what the line would get without them.
    """
    settings: dict[str, str] = dict(_READING)
    withheld: dict[str, None] = {}
    past: list[str] = []
    for folder in _distinct(directories):
        program = find_program("git", env, outside=outermost_checkout(folder))
        if program is None:
            break
        entries = await _entries(program, folder, env)
        found = neutral(entries, program)
        withheld.update(dict.fromkeys(key for key in found if key in {key for _, key, _ in entries}))
        settings |= found
        settings |= await _submodules(program, folder, env, entries)
        filters = {key.split(".", 1)[1].rpartition(".")[0] for key in found if key.startswith("filter.")}
        if storing and filters:
            past += await _changed_behind(
                program, filters, folder, {**env, **_VARIABLES, **_numbered(settings, env)}
            )
    pinned = {**_VARIABLES, **_numbered(settings, env)}
    return Reading(pinned, tuple(withheld), tuple(past))


def neutral(entries: Sequence[tuple[str, str, str]], program: str) -> dict[str, str]:
    """Settings that take the effect from the programs that a repository's own configuration names.

    `entries` are scope, key and value in git's order. A command that newer versions of git call deprecated
    may be an alias (`whatchanged`).
    """
    own = [(key, value) for scope, key, value in entries if scope in _OF_THE_REPOSITORY]
    lfs_runs = any(key.startswith(_LFS_RUNS) or key.endswith(_LFS_RUNS_ENDS) for key, _ in own)
    found: dict[str, str] = {}
    for key, value in own:
        section, _, variable = key.rpartition(".")
        if section.startswith("filter.") and variable in ("clean", "smudge", "process"):
            if value not in _LFS:
                found |= _without_filter(section)
        elif key == "diff.external" or (section.startswith("diff.") and variable == "command"):
            found[key] = _DIFF
        elif section.startswith("diff.") and variable == "textconv":
            found |= {key: _TEXT, f"{section}.cachetextconv": "false"}
        elif section == "pager":
            found[key] = "cat"
        elif key == "alias.whatchanged":
            found[key] = "log --raw --no-merges"
        elif section.startswith("trailer.") and variable in ("command", "cmd"):
            found[key] = ":"
        else:
            found |= dict(git_pins.neutral([key], program) if section.startswith(("merge.", "hook.")) else ())
    if lfs_runs:
        found |= _without_filter("filter.lfs")
    return found


def _without_filter(section: str) -> dict[str, str]:
    return {
        **{f"{section}.{name}": "" for name in ("clean", "smudge", "process")},
        f"{section}.required": "false",
    }


def _distinct(directories: Iterable[str]) -> list[Path]:
    """One existing directory for each repository that git would find from these."""
    found: dict[Path, Path] = {}
    for directory in directories:
        folder = Path(os.path.realpath(directory))
        if folder.is_dir():
            found.setdefault(_top(folder), folder)
    return list(found.values())


async def _entries(program: str, folder: Path, env: Mapping[str, str]) -> list[tuple[str, str, str]]:
    args = ("config", "--list", "--includes", "--show-scope", "-z")
    listed = await _asked(program, args, folder, env)
    if listed.code:
        said = listed.err.decode(errors="replace").strip()
        raise HostError(f"git cannot read its configuration for {folder}, so nothing was run: {said}")
    fields = _text(listed).split("\0")
    pairs = zip(fields[::2], fields[1::2], strict=False)
    return [(scope, *entry.partition("\n")[::2]) for scope, entry in pairs]


async def _submodules(
    program: str, folder: Path, env: Mapping[str, str], entries: Sequence[tuple[str, str, str]]
) -> dict[str, str]:
    """Git looks into no submodule: there it would drop these pins and obey the submodule's configuration.

    A `.gitmodules` that git cannot read names none, and the general pin holds.
    """
    keys = [key for _, key, _ in entries]
    modules = _top(folder) / ".gitmodules"
    if modules.is_file():
        args = ("config", "-f", str(modules), "--list", "--name-only", "-z")
        keys += _text(await _asked(program, args, folder, env)).split("\0")
    sections = {key.rpartition(".")[0] for key in keys if key.startswith("submodule.")}
    return {f"{section}.ignore": "dirty" for section in sections if section != "submodule"}


async def _changed_behind(
    program: str, filters: Collection[str], folder: Path, pinned: Mapping[str, str]
) -> list[str]:
    """The files with changes, new ones too, whose content goes through one of these filters."""
    listing = ["ls-files", "-z", "--modified", "--others", "--exclude-standard", "--full-name", ":/"]
    changed = await run([program, *listing], cwd=folder, env=pinned)
    asking = ["check-attr", "-z", "--stdin", "filter"]
    told = await run([program, *asking], cwd=_top(folder), env=pinned, stdin=changed.out)
    if changed.code or told.code:
        raise HostError(f"git cannot tell which files of {folder} go through a filter, so nothing was run")
    fields = _text(told).split("\0")
    return [path for path, name in zip(fields[::3], fields[2::3], strict=False) if name in filters]


async def _asked(program: str, args: Sequence[str], folder: Path, env: Mapping[str, str]) -> Completed:
    return await run([program, *args], cwd=folder, env={**env, **general(env)})


def _text(done: Completed) -> str:
    return done.out.decode("utf-8", "surrogateescape")


def _top(folder: Path) -> Path:
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), folder)


def _numbered(settings: Mapping[str, str], env: Mapping[str, str]) -> dict[str, str]:
    """Settings as variables, behind those that the person's environment has."""
    given = env.get("GIT_CONFIG_COUNT", "")
    before = [
        (env.get(f"GIT_CONFIG_KEY_{number}", ""), env.get(f"GIT_CONFIG_VALUE_{number}", ""))
        for number in range(min(int(given), 1000) if given.isascii() and given.isdigit() else 0)
    ]
    return git_pins.variables((*((key, value) for key, value in before if key), *settings.items()))
