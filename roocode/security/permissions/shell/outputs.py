"""What a program may write on its output: names of files, text from a network, text that is known."""

from __future__ import annotations

from collections.abc import Callable

from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.filters import filtered, input_files
from roocode.security.permissions.shell.git_opened import parse_git
from roocode.security.permissions.shell.inline import inspect
from roocode.security.permissions.shell.options import parse_options
from roocode.security.permissions.shell.programs import NETWORK, names
from roocode.security.permissions.shell.repeated import below, search
from roocode.security.permissions.shell.values import (
    ANYTHING,
    EMPTY,
    UNKNOWN,
    Field,
    Fields,
    Value,
    either,
    from_elsewhere,
)

_PRINTS_MORE = names("-printf -fprintf -ls -fls -exec -execdir -ok -okdir -fprint -fprint0")
_PLAIN_LS = names("-1 -a -A -d -t -r -R -S -U --all --almost-all --directory --reverse --recursive")
_SILENT = names(
    "touch mkdir rm rmdir mv cp ln chmod chown kill sleep wait exit return set unset export cd pushd popd"
)
_LISTS_NAMES = names("-l -L --files-with-matches --files-without-match --files --name-only")


def written_by(call: Call, read: Callable[[Fields], Value]) -> Value:
    """What a call may write; `read(paths)` says what may be in files."""
    name = call.name
    if name in NETWORK and call.texts[:1] != ["completion"]:
        return (Field(UNKNOWN, network=True),)
    if name == "pwd" and call.cwds[0]:
        return (Field(call.cwds[0] + "\n"),)
    if name in _SILENT:
        return EMPTY
    hits = _names(call)
    if hits:
        return hits
    files = input_files(name, call.arguments)
    stdin = read(files) if files else call.stdin
    known = filtered(name, call.arguments, stdin)
    if known is not None:
        return known
    written = from_elsewhere((*call.argv, *stdin))
    if any(inspect(code.text).network for code in call.code):
        written = tuple(Field(field.text, network=True) for field in written)
    return written


def _names(call: Call) -> Value:
    """The names of files that a call lists, or () where it lists none."""
    match call.name:
        case "find" | "gfind":
            found = search(call.arguments)
            plain = _PRINTS_MORE.isdisjoint(field.text for field in found.expression)
            return found.hits if plain else either(ANYTHING, found.hits)
        case "ls" | "gls" | "dir":
            return _listed(call)
        case "fd" | "fdfind":
            return (below(Field("."), some=True),)
        case "rg" | "grep" | "egrep" | "fgrep":
            listing = not _LISTS_NAMES.isdisjoint(name for name, _ in parse_options(call.arguments).options)
            return (below(Field("."), some=True),) if listing else ()
        case "git":
            git = parse_git(call.arguments)
            texts = [field.text for field in git.arguments]
            listing = git.command == "ls-files" or (
                git.command in ("diff", "show", "log", "grep", "diff-tree", "diff-index")
                and not _LISTS_NAMES.isdisjoint(texts)
            )
            return either(ANYTHING, (below(Field("."), some=True),)) if listing else ()
        case _:
            return ()


def _listed(call: Call) -> Value:
    parsed = parse_options(call.arguments)
    whole = parsed.has("-d", "--directory")
    operands = parsed.operands or [Field(".")]
    listed = tuple(operand if operand.live or whole else below(operand) for operand in operands)
    plain = all(name in _PLAIN_LS for name, _ in parsed.options)
    return listed if plain else either(ANYTHING, listed)
