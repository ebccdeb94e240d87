"""What a shell line would do, judged without running it: its level, and its parts for rules and paths."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from roocode.protocol.decisions import Level
from roocode.protocol.frozen import frozen
from roocode.security.permissions.dangerous.danger import danger
from roocode.security.permissions.dangerous.forging import drives
from roocode.security.permissions.dangerous.targets import Surroundings
from roocode.security.permissions.effects.effect_of import effect_of
from roocode.security.permissions.effects.spec import Effect
from roocode.security.permissions.parts import Part, part_of
from roocode.security.permissions.protected import READ_BY_ANYBODY, STREAMS
from roocode.security.permissions.secrets import secret_read
from roocode.security.permissions.severity import is_severe
from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.cursor import TooDeep
from roocode.security.permissions.shell.findings import Context, TooIntricate
from roocode.security.permissions.shell.lookalikes import as_read, hides, reorders
from roocode.security.permissions.shell.prefixes import without_wrappers
from roocode.security.permissions.shell.run import Follower
from roocode.security.permissions.shell.state import State
from roocode.security.permissions.shell.values import EMPTY, UNKNOWN

__all__ = ["Analysis", "Part", "analyse"]

LONGEST = 131_071
"""Bytes that one argument may have on Linux (MAX_ARG_STRLEN), and so a line given to `bash -c`."""


@frozen
class Analysis:
    """The judgement on a line.

    `level`: blocked (refused in every mode), danger and modify (asked), safe (only reads, inside the
    roots). `opaque` says why the line as a whole cannot be proven, "" where it can; `parsed` is false where
    it is not whole Bash. `final_cwd` is where a shell would stand behind it, None where that is not known.
    `insists` says why it asks in every mode, "" where the mode decides.
    """

    level: Level
    reason: str
    parts: tuple[Part, ...] = ()
    parsed: bool = True
    opaque: str = ""
    final_cwd: str | None = None
    insists: str = ""


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
        reason = f"the line is longer than Bash takes ({LONGEST} bytes): put it into a file"
        return Analysis("blocked", reason)
    if reorders(command):
        return Analysis("blocked", "the line holds characters that show it in another order than it runs")
    text = command.replace("\0", "")
    followed = _follow(text, cwd, around)
    opaque = followed.doubt or ("the line holds a NUL" if text != command else "")
    parsed = not opaque
    opaque = opaque or ("the line holds characters that are not shown" if hides(command) else "")
    reason = followed.refused or _refused_otherwise(text, cwd, around)
    parts = _parts(followed.judged)
    if reason:
        return Analysis("blocked", reason, parts, parsed, opaque, followed.cwd or None)
    level, reason = _level(parts, opaque, roots or (cwd,))
    if followed.insists:
        level, reason = "danger", followed.insists
    return Analysis(level, reason, parts, parsed, opaque, followed.cwd or None, followed.insists)


@frozen
class _Followed:
    """What following a line yields: its calls with their effects, and why it is in doubt or refused."""

    judged: tuple[tuple[Call, Effect], ...]
    doubt: str
    refused: str
    cwd: str
    insists: str


def _follow(text: str, cwd: str, around: Surroundings) -> _Followed:
    follower, state = Follower(), State(cwd, around.home)
    refused = ""
    try:
        follower.script(text, state, Context(stdin=EMPTY))
    except TooDeep:
        refused = "it nests too deep to be followed"
    except TooIntricate:
        refused = "it grows too much to be followed"
    judged = tuple((call, effect_of(call)) for call in follower.findings.calls)
    dangers = (danger(call, effect, around) or _hidden_name(call) for call, effect in judged)
    refused = refused or next(filter(None, dangers), "") or next(iter(follower.findings.alarms), "")
    insists = next(filter(None, (drives(call) for call, _ in judged)), "")
    return _Followed(judged, next(iter(follower.findings.doubts), ""), refused, state.cwd, insists)


def _hidden_name(call: Call) -> str:
    name = call.argv[0].text.replace(UNKNOWN, "") if call.argv else ""
    hidden = not call.guess and not name.startswith("-") and hides(name)
    return "the name of a program holds characters that are not shown" if hidden else ""


def _refused_otherwise(text: str, cwd: str, around: Surroundings) -> str:
    """Why the line is refused as somebody may take it: without disguises, without wrappers in front."""
    plain = as_read(text)
    if plain != text and (refused := _follow(plain, cwd, around).refused):
        return f"{refused} (written with look-alike or invisible characters)"
    refusals = (_follow(bare, cwd, around).refused for bare in without_wrappers(plain))
    return next(filter(None, refusals), "")


def _parts(judged: Sequence[tuple[Call, Effect]]) -> tuple[Part, ...]:
    groups: dict[tuple[object, ...], list[tuple[Call, Effect]]] = {}
    for call, effect in judged:
        if not call.guess or call.key in groups:
            groups.setdefault(call.key, []).append((call, effect))
    opening = {key[:length] for key in groups for length in range(1, len(key))}
    parts = [part_of(ways, runs_others=key in opening) for key, ways in groups.items()]
    return tuple(dict.fromkeys(part for part in parts if part.words or part.opaque))


def _level(parts: Sequence[Part], opaque: str, roots: Sequence[str]) -> tuple[Level, str]:
    if opaque:
        return "danger", opaque
    for part in parts:
        if is_severe(part):
            return "danger", part.doubt or part.text
        if secret := secret_read(part):
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
