"""How a shell line reaches what is never touched: by naming it, by a link to it, or by working in it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from roocode.security.permissions.paths import Grounds, in_other_checkout, judge_write, place
from roocode.security.permissions.places import Place
from roocode.security.permissions.protected import never_written
from roocode.security.permissions.subjects import Examined, Program

if TYPE_CHECKING:
    from roocode.security.permissions.parts import Part

_LINKERS = frozenset({"ln", "link", "gln"})
_REDIRECTING = ("-C", "--git-dir", "--work-tree")


def refusal(program: Program, ground: Grounds) -> str:
    """Why a command is denied for the places that it would read or write, or ""."""
    spots = (*program.reads, *program.writes)
    denied = (spot.judgement.reason for spot in spots if spot.judgement.standing == "denied")
    linked = (judge_write(where, ground) for where in _linked_to(program, ground))
    through = (judgement.reason for judgement in linked if judgement.standing == "denied")
    return next(denied, "") or next(through, "") or _made_by_git(program.part) or _redirected(program, ground)


def refusal_of_directory(call: Examined) -> str:
    """Why a shell line that is not proven to read only may not work where it stands, or ""."""
    if call.analysis is None or all(program.part.read_only for program in call.programs):
        return ""
    directories = filter(None, (call.touches.cwd, call.analysis.final_cwd))
    found = (in_other_checkout(place(path, None, call.ground), call.ground) for path in directories)
    return next(filter(None, found), "")


def _linked_to(program: Program, ground: Grounds) -> Iterator[Place]:
    """What a link that is made here leads to: whoever writes to the link writes there.

    The text of a symbolic link starts from the link's own directory, all else from the line's.
    """
    if _name(program.part) not in _LINKERS:
        return
    operands = program.part.words[1:]
    if not any(map(_is_symbolic, operands)) or any(map(_is_relative, operands)):
        yield from (spot.place for spot in program.reads)
    for spot in program.writes:
        for directory in {spot.place.real, os.path.dirname(spot.place.real)} - {""}:
            yield from (place(operand, directory, ground) for operand in operands)


def _is_symbolic(word: str) -> bool:
    return "--symbolic".startswith(word) if word.startswith("--") else word.startswith("-") and "s" in word


def _is_relative(word: str) -> bool:
    return "--relative".startswith(word) if word.startswith("--") else word.startswith("-") and "r" in word


def _made_by_git(part: Part) -> str:
    """Why git does not make a tree or repository with a protected name (CVE-2026-55607), or ""."""
    words = [word for word in part.words[1:] if not word.startswith("-")] if _name(part) == "git" else []
    match words:
        case ["worktree", "add" | "move", *made] | ["init", *made] | ["clone", _, *made]:
            names = (never_written(word.split("/")) for word in made)
            name = next(filter(None, names), "")
            return f"{name} is protected in every mode" if name else ""
        case _:
            return ""


def _redirected(program: Program, ground: Grounds) -> str:
    """Why git is not sent into another working tree (`git -C ../other commit`), or ""."""
    part = program.part
    directories = tuple(_directories(part.words)) if _name(part) == "git" and not part.read_only else ()
    if not directories:
        return ""
    places = [spot.place for spot in program.reads] + [place(path, None, ground) for path in directories]
    return next(filter(None, (in_other_checkout(where, ground) for where in places)), "")


def _directories(words: Sequence[str]) -> Iterator[str]:
    """The values of options that tell git where to work."""
    for word, following in zip(words[1:], (*words[2:], ""), strict=True):
        option, separator, value = word.partition("=")
        if option in _REDIRECTING:
            yield value if separator else following


def _name(part: Part) -> str:
    return part.words[0].rpartition("/")[2] if part.words else ""
