"""One command of a line as rules and paths are judged on it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence

from roocode.protocol.frozen import frozen
from roocode.security.permissions.effects.spec import Effect
from roocode.security.permissions.obstacles import REDIRECTED, RUNS_OTHERS
from roocode.security.permissions.settings import sets_nothing_that_runs, sets_only_its_own
from roocode.security.permissions.shell.builtins import resolve
from roocode.security.permissions.shell.calls import Call, Target
from roocode.security.permissions.shell.programs import base_name, in_standard_place
from roocode.security.permissions.shell.values import UNKNOWN, Field
from roocode.security.permissions.shell.wrappers import is_wrapper

_NO_FILES = ("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr")
_MOVING = frozenset({"cd", "pushd", "popd"})
_SCHEMES = ("http://", "https://", "ftp://", "ws://", "wss://")


@frozen
class Part:
    """One simple command; `sudo rm x` gives a part for sudo and one for rm, with `inside` = ("sudo",).

    `text` is what rules see: decoded words joined by one blank, without assignments and redirections;
    `words` are those words, and one that holds an expansion keeps its spelling. `resolved` are further
    texts that a deny or ask rule is held against: with the values of variables, and with the program's name
    alone. `inside` names what is around it, outermost first. `opaque` says why no allow rule can cover it,
    "" where it is plain. `read_only` is proven of program and options; where its paths lie is not looked
    at. `reads` and `writes` are absolute, and wildcards stay in them; `paths_unknown` where one of them
    cannot be known. `doubt` says why it is not read-only.
    """

    text: str
    words: tuple[str, ...]
    inside: tuple[str, ...] = ()
    opaque: str = ""
    read_only: bool = False
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    paths_unknown: bool = False
    urls: tuple[str, ...] = ()
    resolved: tuple[str, ...] = ()
    doubt: str = ""


def part_of(judged: Sequence[tuple[Call, Effect]], *, runs_others: bool) -> Part:
    """The part that the ways in which one command may turn out make; the first is the most certain."""
    ways = [call for call, _ in judged]
    effects = [effect for _, effect in judged]
    first = ways[0]
    reads = _paths(zip(ways, (effect.reads for effect in effects), strict=True))
    writes = _paths(zip(ways, (effect.writes for effect in effects), strict=True))
    targets = [target for target in first.targets if target.path.text not in _NO_FILES]
    opened = [(first, [target.path for target in targets if not target.writes])]
    written = [(first, [target.path for target in targets if target.writes])]
    listed = [(call, [field for field in call.arguments if field.live]) for call in ways]
    reads, writes = reads | _paths(opened) | _paths(listed), writes | _paths(written)
    doubt = _doubt(ways, effects, targets)
    words = _words(first)
    return Part(
        text=" ".join(words),
        words=words,
        inside=first.inside,
        opaque=_opaque(first, targets, runs_others=runs_others),
        read_only=not doubt,
        reads=tuple(path for path in reads if path),
        writes=tuple(path for path in writes if path),
        paths_unknown="" in reads or "" in writes,
        urls=tuple(dict.fromkeys(text for call in ways for text in call.texts if text.startswith(_SCHEMES))),
        resolved=_resolved(ways, " ".join(words)),
        doubt=doubt,
    )


def _words(call: Call) -> tuple[str, ...]:
    if not call.argv:
        return ()
    program = call.spelled[0] if call.spelled else ""
    if program.startswith("/") and in_standard_place(program):
        program = program.rpartition("/")[2]
    return (program, *call.spelled[1:])


def _paths(found: Iterable[tuple[Call, Iterable[Field]]]) -> dict[str, None]:
    """Absolute paths in order, with "" for one that cannot be known."""
    paths: dict[str, None] = {}
    for call, fields in found:
        for field in fields:
            if field.text.startswith("/dev/fd/") or field.text in _NO_FILES:
                continue
            for cwd in call.cwds:
                unknown = UNKNOWN in field.text or field.endless
                paths["" if unknown else _absolute(field.text, cwd)] = None
    return paths


def _absolute(path: str, directory: str) -> str:
    """The path made absolute. `..` stays in it: where that leads depends on the links before it."""
    whole = resolve(path, directory)
    return posixpath.join(directory, path) if whole and ".." in path.split("/") else whole


def _resolved(ways: Sequence[Call], text: str) -> tuple[str, ...]:
    texts: dict[str, None] = {}
    for call in ways:
        words = [field.text for field in call.argv]
        if not words or UNKNOWN in words[0]:
            continue
        texts[" ".join([words[0].rpartition("/")[2], *words[1:]]).replace(UNKNOWN, "")] = None
    texts.pop(text, None)
    return tuple(texts)


def _opaque(call: Call, targets: Sequence[Target], *, runs_others: bool) -> str:
    if not call.argv:
        return "an assignment alone" if call.settings else "a redirection or substitution alone"
    if not call.plain or call.argv[0].live or len(call.argv) != len(call.spelled):
        return "an expansion"
    if call.settings:
        return "an assignment in front"
    if not in_standard_place(call.argv[0].text):
        return "a program outside the usual places"
    if any(target.writes for target in targets):
        return REDIRECTED
    return RUNS_OTHERS if runs_others else ""


def _doubt(ways: Sequence[Call], effects: Sequence[Effect], targets: Sequence[Target]) -> str:
    """Why the command cannot be proven only to read, or ""."""
    first = ways[0]
    if not first.quiet:
        return "a substitution or an expansion with an operator"
    if any(target.writes for target in targets):
        return "writes a file by redirection"
    if first.argv and not all(sets_nothing_that_runs(setting, first.name) for setting in first.settings):
        return f"sets {first.settings[0].name} for the command"
    if not first.argv:
        return "" if all(map(sets_only_its_own, first.settings)) else "sets a variable"
    for call, effect in zip(ways, effects, strict=True):
        if not all(field.known for field in call.argv):
            return "an expansion that cannot be known"
        if call.name in _MOVING and call.inside and is_wrapper(call.inside[-1]):
            return f"{call.name} behind {call.inside[-1]}"
        if not _is_named_plainly(call):
            return "a program outside the usual places"
        if effect.unproven:
            return effect.unproven
    return ""


def _is_named_plainly(call: Call) -> bool:
    program = call.argv[0]
    literal = bool(call.spelled) and call.spelled[0] == program.text and not program.live
    return (
        literal
        and in_standard_place(program.text)
        and base_name(program.text) == program.text.rpartition("/")[2]
    )
