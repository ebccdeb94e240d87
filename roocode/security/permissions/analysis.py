"""What a shell line would do, judged without running it: its level, and its parts for rules and paths."""

from __future__ import annotations

import posixpath
import posixpath
from collections.abc import Sequence
from dataclasses import dataclass

from roocode.protocol.decisions import Level
from roocode.security.permissions.dangerous.danger import danger
from roocode.security.permissions.dangerous.targets import Surroundings
from roocode.security.permissions.effects.effect_of import effect_of
from roocode.security.permissions.parts import Part, part_of
from roocode.security.permissions.protected import READ_BY_ANYBODY, STREAMS, holds_secrets
from roocode.security.permissions.severity import is_severe
from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.lookalikes import as_read, hides, reorders
from roocode.security.permissions.shell.pieces import TooDeep
from roocode.security.permissions.shell.prefixes import without_wrappers
from roocode.security.permissions.shell.run import Context, Follower, TooIntricate
from roocode.security.permissions.shell.state import State
from roocode.security.permissions.shell.values import EMPTY

__all__ = ["Analysis", "Part", "analyse"]

LONGEST = 131_071
"""Bytes that one argument of a program may have on Linux (MAX_ARG_STRLEN), and so a line given to `bash -c`."""

@dataclass(frozen=True, slots=True)
class Analysis:
    """The judgement on a line.

    `level`: blocked (refused in every mode), danger and modify (asked), safe (only reads, inside the roots).
    `opaque` says why the line as a whole cannot be proven, "" where it can; `parsed` is false where it is not whole
    Bash. `final_cwd` is where a shell would stand behind it, None where that is not known.
    """

    level: Level
    reason: str
    parts: tuple[Part, ...] = ()
    parsed: bool = True
    opaque: str = ""
    final_cwd: str | None = None


def analyse(
    command: str,
    *,
    cwd: str,
    home: str,
    protected_branches: tuple[str, ...] = ("main", "master"),
    roots: tuple[str, ...] = (),
) -> Analysis:
    """Judges a line of Bash that would run in `cwd`. Pure: looks at no file, and never raises.

    `roots` are the directories in which reading needs no question, `cwd` where none is named.
    """
    around = Surroundings(home.rstrip("/") or "/", protected_branches)
    if len(command.encode("utf-8", "surrogatepass")) > LONGEST:
        return Analysis(
            "blocked", f"the line is longer than Bash takes ({LONGEST} bytes): put it into a file"
        )
    if reorders(command):
        return Analysis("blocked", "the line holds characters that show it in another order than it runs")
    text = command.replace("\0", "")
    followed, state, refused = _follow(text, cwd, around)
    reason = refused or _hidden_names(followed.calls) or _refused_otherwise(text, cwd, around)
    parts = _parts(followed.calls)
    doubts = [*followed.doubts, *(["the line holds a NUL"] if text != command else [])]
    opaque = doubts[0] if doubts else "it holds characters that are not shown" if hides(command) else ""
    final = state.cwd or None
    if reason:
        return Analysis("blocked", reason, parts, not doubts, opaque, final)
    level, reason = _level(parts, opaque, (roots or (cwd,)))
    return Analysis(level, reason, parts, not doubts, opaque, final)


def _follow(text: str, cwd: str, around: Surroundings) -> tuple[Follower, State, str]:
    """Follows a line; the last is why it is refused, or ""."""
    follower, state = Follower(), State(cwd, around.home)
    try:
        follower.script(text, state, Context(stdin=EMPTY))
    except TooDeep:
        return follower, state, "it nests too deep to be followed"
    except TooIntricate:
        return follower, state, "it grows too much to be followed"
    for call in follower.calls:
        if reason := danger(call, effect_of(call), around):
            return follower, state, reason
    return follower, state, follower.alarms[0] if follower.alarms else ""


def _refused_otherwise(text: str, cwd: str, around: Surroundings) -> str:
    """Why the line is refused as somebody may take it: without disguises, and without wrappers in front of it."""
    plain = as_read(text)
    if plain != text and (refused := _follow(plain, cwd, around)[2]):
        return f"{refused} (written with look-alike or invisible characters)"
    refusals = (_follow(bare, cwd, around)[2] for bare in without_wrappers(plain))
    return next((refused for refused in refusals if refused), "")


def _hidden_names(calls: Sequence[Call]) -> str:
    if any(call.argv and not call.guess and hides(call.argv[0].text.replace("\0", "")) for call in calls):
        return "the name of a program holds characters that are not shown"
    return ""


def _parts(calls: Sequence[Call]) -> tuple[Part, ...]:
    groups: dict[tuple[object, ...], list[Call]] = {}
    for call in calls:
        if not call.guess or call.key in groups:
            groups.setdefault(call.key, []).append(call)
    opening = {key[:length] for key in groups for length in range(1, len(key))}
    parts = [part_of(ways, runs_others=key in opening) for key, ways in groups.items()]
    return tuple(dict.fromkeys(part for part in parts if part.words or part.opaque))


def _level(parts: Sequence[Part], opaque: str, roots: Sequence[str]) -> tuple[Level, str]:
    if opaque:
        return "danger", opaque
    for part in parts:
        if is_severe(part):
            return "danger", part.doubt or part.text
        if secret := next((path for path in part.reads if holds_secrets(path.rpartition("/")[2])), ""):
            return "danger", f"{secret} may hold secrets"
    doubts = [part.doubt or _paths_in_doubt(part, roots) for part in parts]
    doubt = next((doubt for doubt in doubts if doubt), "")
    return ("modify", doubt) if doubt else ("safe", "only reads")


def _paths_in_doubt(part: Part, roots: Sequence[str]) -> str:
    if part.paths_unknown:
        return "a path that cannot be known"
    for path in part.reads:
        plain = posixpath.normpath(path)
        inside = any(plain == root or plain.startswith(root.rstrip("/") + "/") for root in roots)
        if not inside and plain not in STREAMS | READ_BY_ANYBODY:
            return f"{plain} is outside the project"
    return ""
