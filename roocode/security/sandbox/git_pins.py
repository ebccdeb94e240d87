"""What every git call of ours is pinned to, so that no repository can make it run a program.

A repository's own configuration may name programs: hooks, a file system monitor, pagers, external
diffs, filters, merge drivers, signers, transports. The pins win over it, since git reads the
configuration of its command last, and go to git in its environment (`GIT_CONFIG_COUNT`, git 2.31),
where a key may hold any character.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping

Settings = tuple[tuple[str, str], ...]

SIGNERS: Settings = (
    ("gpg.program", "false"),
    ("gpg.openpgp.program", "false"),
    ("gpg.x509.program", "false"),
    ("gpg.ssh.program", "false"),
)
"""What checks signatures, also where a repository's own format of a log asks for them."""

PINS: Settings = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.sshCommand", ""),
    ("core.askPass", ""),
    ("core.gitProxy", ""),
    ("core.editor", ":"),
    ("credential.helper", ""),
    ("diff.external", ""),
    ("protocol.allow", "never"),
    ("safe.bareRepository", "explicit"),
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    *SIGNERS,
    ("merge.verifySignatures", "false"),
    ("log.showSignature", "false"),
    ("merge.autoStash", "false"),
    ("merge.default", "text"),
    ("merge.log", "false"),
    ("merge.renormalize", "false"),
    ("merge.stat", "false"),
    ("rerere.enabled", "false"),
    ("submodule.recurse", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("color.ui", "false"),
    ("i18n.commitEncoding", "utf-8"),
    ("i18n.logOutputEncoding", "utf-8"),
)

VARIABLES: Mapping[str, str] = {
    "LC_ALL": "C",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_EDITOR": ":",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_MERGE_AUTOEDIT": "no",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
}

DRIVER_KEYS = (
    r"^(filter\..*\.(clean|smudge|process|required)"
    r"|merge\..*\.driver|branch\..*\.mergeoptions|hook\..*\.(command|event))$"
)

_INERT = frozenset(
    (
        "cat-file",
        "check-attr",
        "commit-tree",
        "config",
        "for-each-ref",
        "merge-base",
        "rev-list",
        "rev-parse",
        "version",
    )
)
_LITERAL_ANYHOW = frozenset(("check-ignore",))
_DIFFING = frozenset(("diff", "log", "show"))


def reads_content(command: str) -> bool:
    """Whether a git command may go through filters, merge drivers or hooks.

    Whatever writes the index may: git then compares files that changed in the second of the index itself.
    """
    return command not in _INERT


def lifted(command: str) -> tuple[str, ...]:
    """Variables that a git command refuses: check-ignore takes names only, and will not be told so."""
    return ("GIT_LITERAL_PATHSPECS",) if command in _LITERAL_ANYHOW else ()


def arguments(args: tuple[str, ...]) -> tuple[str, ...]:
    """The command line, without the programs that a diff could go through.

    A diff of a submodule's files would run the filters that its own configuration defines.
    """
    if args[0] in _DIFFING:
        return (args[0], "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", *args[1:])
    return args


def neutral(keys: Iterable[str], program: str) -> Settings:
    """Settings that take the effect from the drivers that a repository defines under these names.

    Filters pass content through unchanged. A merge driver becomes git's own text merge, which is also
    what git does for an unknown one; an empty one would take our side and drop theirs. The values that
    make a driver inert are read off git's convert.c, ll-merge.c and builtin/merge.c.
    """
    settings: dict[str, str] = {}
    text_merge = f"{shlex.quote(program)} merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B"
    for key in keys:
        section, _, variable = key.rpartition(".")
        if section.startswith("filter."):
            settings |= {f"{section}.{name}": "" for name in ("clean", "smudge", "process")}
            settings[f"{section}.required"] = "false"
        elif section.startswith("merge."):
            settings[key] = text_merge
        elif section.startswith("hook."):
            settings[f"{section}.enabled"] = "false"
        elif variable == "mergeoptions":
            settings[key] = ""
    return tuple(settings.items())


def variables(settings: Settings) -> dict[str, str]:
    """Settings as the environment variables that git reads them from."""
    numbered = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings):
        numbered |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return numbered
