"""What a shell line does that asks in every mode, beside the places that are asked about by their names.

It writes outside the allowed directories; it changes all of a directory that holds `.git`; it hands a
protected file to a program of which nobody knows what it does with it; it writes through a link that it makes
itself; it tells git to run a program.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from roocode.security.permissions.paths import Judgement, holds_protected, judge_write, place
from roocode.security.permissions.places import within
from roocode.security.permissions.shell.programs import names
from roocode.security.permissions.subjects import Examined, Program, removes

if TYPE_CHECKING:
    from roocode.security.permissions.parts import Part

_RECURSIVE = frozenset({"chmod", "chown", "chgrp", "chattr", "setfacl"})
_FIND = frozenset({"find", "gfind"})
_FIND_ACTS = ("-delete", "-exec", "-execdir", "-ok", "-okdir")
_FIND_CHOOSES = ("-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-prune", "-newer")
_LINKERS = frozenset({"ln", "gln"})

_RUNS = names(
    "core.hookspath core.fsmonitor core.sshcommand core.pager core.editor core.askpass core.gitproxy "
    "core.worktree core.attributesfile sequence.editor diff.external credential.helper gpg.program "
    "include.path init.templatedir commit.template protocol.allow web.browser"
)
_RUNS_ENDINGS = (
    ".textconv", ".command", ".clean", ".smudge", ".process", ".driver", ".program", ".cmd", ".helper",
    ".insteadof", ".pushinsteadof", ".uploadpack", ".receivepack", ".vcs", ".update",
)  # fmt: skip
_RUNS_SECTIONS = ("alias.", "pager.", "includeif.", "hook.", "filter.", "browser.", "man.")
_RUNS_NOTHING = frozenset({"", "cat", "less", "true", "false", "never", "/dev/null", ":", "off", "no", "0"})
_KEY = re.compile(r"[A-Za-z][\w-]*(?:\..*)?\.[A-Za-z][\w-]*", re.DOTALL)
_SHOWS = frozenset(
    {"--get", "--get-all", "--get-regexp", "--get-urlmatch", "-l", "--list", "--unset", "--unset-all"}
)


def reason(call: Examined) -> str:
    """Why a call asks whatever its mode, or ""."""
    return next(filter(None, (_of(program, call) for program in call.programs)), "")


def through_own_links(call: Examined) -> Iterator[Judgement]:
    """How the places stand that a line writes through links that it makes itself (`ln -s / r; echo >r/x`)."""
    made: dict[str, str] = {}
    for program in call.programs:
        for spot in program.writes:
            for link, target in made.items():
                if within(spot.place.spelled, link):
                    real = place(target + spot.place.spelled[len(link) :], None, call.ground)
                    yield judge_write(real, call.ground)
        made |= dict(_links(program))


def _of(program: Program, call: Examined) -> str:
    return (
        _writes_outside(program)
        or _changes_all(program)
        or _hands_over(program, call)
        or _lets_git_run(program.part.words)
    )


def _writes_outside(program: Program) -> str:
    outside = (spot for spot in program.writes if spot.judgement.standing == "outside")
    found = next((spot for spot in outside if not _is_temporary(spot.place.real)), None)
    return f"writes {found.place.spelled}, which is outside the allowed directories" if found else ""


@cache
def _temporary() -> tuple[str, ...]:
    everybodys = ("/tmp", "/var/tmp")  # noqa: S108
    return tuple(os.path.realpath(path) for path in (*everybodys, tempfile.gettempdir()))


def _is_temporary(real: str) -> bool:
    return any(within(real, path) and real != path for path in _temporary())


def _changes_all(program: Program) -> str:
    """Why a command changes what is protected along with all else in a directory."""
    part = program.part
    if removes(part) or (_name(part) in _RECURSIVE and _has_flag(part.words, "R", "--recursive")):
        spots = program.writes
    elif (
        _name(part) in _FIND
        and set(part.words) & set(_FIND_ACTS)
        and not set(part.words) & set(_FIND_CHOOSES)
    ):
        spots = () if part.read_only else program.reads
    else:
        return ""
    return next(filter(None, (holds_protected(spot.place) for spot in spots)), "")


def _hands_over(program: Program, call: Examined) -> str:
    """The protected file that is named to a program which is not known to leave it alone."""
    if program.part.read_only:
        return ""
    understood = not program.part.doubt.endswith("not known only to read")
    spots = (*program.writes, *(program.reads if understood else ()))
    known = {spot.place.real for spot in spots}
    for word in program.part.words[1:]:
        for spelled in dict.fromkeys((word, word.partition("=")[2])):
            if "/" not in spelled or set(spelled) & set("*?[{"):
                continue
            where = place(spelled, call.touches.cwd, call.ground)
            judgement = judge_write(where, call.ground)
            if judgement.standing == "denied" and where.real not in known:
                return f"names {spelled} to a program that may write it: {judgement.reason}"
    return ""


def _links(program: Program) -> Iterator[tuple[str, str]]:
    """Each symbolic link that a command makes, with what it leads to."""
    part = program.part
    if _name(part) not in _LINKERS or not _has_flag(part.words, "s", "--symbolic"):
        return
    operands = [word for word in part.words[1:] if not word.startswith("-")]
    for target in operands[:-1] or operands:
        for spot in program.writes:
            link = spot.place.spelled
            if spot.place.kind == "directory":
                link = os.path.join(link, os.path.basename(target))
            yield link, os.path.join(os.path.dirname(link), target)


def _lets_git_run(words: Sequence[str]) -> str:
    """The setting that this gives git, for once or for good, by which it runs a program or obeys a file."""
    if not words or words[0].rpartition("/")[2] != "git":
        return ""
    once = [value for option, value in pairwise(words) if option == "-c"]
    settings = [setting.partition("=")[::2] for setting in once]
    rest = list(words[1:])
    if "config" in rest and not set(rest) & _SHOWS:
        operands = [word for word in rest[rest.index("config") + 1 :] if not word.startswith("-")]
        operands = operands[1:] if operands[:1] == ["set"] else operands
        keys = [at for at, word in enumerate(operands) if _KEY.fullmatch(word)]
        settings += [(operands[at], operands[at + 1]) for at in keys[:1] if at + 1 < len(operands)]
    found = next((key for key, value in settings if _runs(key, value)), "")
    return f"git's {found} names what git runs or obeys later" if found else ""


def _runs(key: str, value: str) -> bool:
    plain = key.casefold()
    if value.casefold() in _RUNS_NOTHING:
        return False
    if plain.startswith("alias."):
        return value.startswith("!")
    return (
        plain in _RUNS
        or plain.startswith(_RUNS_SECTIONS)
        or (plain.count(".") >= 2 and plain.endswith(_RUNS_ENDINGS))
    )


def _has_flag(words: Sequence[str], letter: str, long: str) -> bool:
    return any(
        (word.startswith("-") and not word.startswith("--") and letter in word) or word == long
        for word in words[1:]
    )


def _name(part: Part) -> str:
    return part.words[0].rpartition("/")[2] if part.words else ""
