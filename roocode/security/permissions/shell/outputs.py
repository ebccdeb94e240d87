"""What a program may write on its output: names of files, text from a network, text that is known."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

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
    laid_together,
)

_SPEAKS_OF_PATHS: Mapping[str, Callable[[str], str]] = {
    "dirname": lambda path: posixpath.dirname(path.rstrip("/")) or ("/" if path.startswith("/") else "."),
    "basename": lambda path: posixpath.basename(path.rstrip("/")) or "/",
    "realpath": posixpath.normpath,
    "readlink": posixpath.normpath,
    "which": str,
    "command": str,
}
_MOST_TEXTS = 50
_PRINTS_MORE = names("-printf -fprintf -ls -fls -exec -execdir -ok -okdir -fprint -fprint0")
_PLAIN_LS = names("-1 -a -A -d -t -r -R -S -U --all --almost-all --directory --reverse --recursive")
_SILENT = names(
    "touch mkdir rm rmdir mv cp ln chmod chown kill sleep wait exit return set unset export cd pushd popd"
)
_FD_VALUES = names("-t -d -e -E -S -j -c --type --extension --exclude --max-depth")
_GREP_VALUES = names(
    "-A -B -C -e -f -m -g -t --include --exclude --exclude-dir --glob --type --regexp --file"
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
    if name in _SPEAKS_OF_PATHS:
        return _path_text(call)
    files = input_files(name, call.arguments)
    stdin = read(files) if files else call.stdin
    known = filtered(name, call.arguments, stdin)
    return _perhaps(call, stdin) if known is None else known


def _perhaps(call: Call, stdin: Value) -> Value:
    """What a program that is not followed may write: its own texts and those in its code among others."""
    found = [inspect(code.text) for code in call.code]
    written = from_elsewhere((*call.argv, *stdin))
    if any(each.network for each in found):
        written = tuple(replace(field, network=True) for field in written)
    texts = [text for each in found for text in each.strings]
    spoken = [field.text for field in call.arguments if " " in field.text and field.known]
    texts += [
        each for text in spoken for each in (text.lstrip("+").strip("\"'"), text.partition("=")[2]) if each
    ]
    return either(written, tuple(Field(text, some=True) for text in texts[:_MOST_TEXTS]))


def _path_text(call: Call) -> Value:
    """`dirname`, `basename`, `realpath` and `which` of a path that is known."""
    operands = parse_options(call.arguments, names("-s --suffix --relative-to")).operands
    if call.name == "basename" and len(operands) == 2:
        operands = operands[:1]
    make = _SPEAKS_OF_PATHS[call.name]
    lines = [field.with_text(make(field.text) if field.known else UNKNOWN) for field in operands]
    return (laid_together([*lines, Field("")], "\n"),) if lines else EMPTY


def _names(call: Call) -> Value:
    """The names of files that a call lists, or () where it lists none."""
    match call.name:
        case "find" | "gfind":
            found = search(call.arguments)
            plain = _PRINTS_MORE.isdisjoint(field.text for field in found.expression)
            return found.hits if plain else either(_perhaps(call, ()), found.hits)
        case "ls" | "gls" | "dir":
            return _listed(call)
        case "fd" | "fdfind":
            return _found_below(parse_options(call.arguments, _FD_VALUES).operands[1:])
        case "rg" | "grep" | "egrep" | "fgrep":
            parsed = parse_options(call.arguments, _GREP_VALUES)
            listing = not _LISTS_NAMES.isdisjoint(name for name, _ in parsed.options)
            given = parsed.has("-e", "--regexp", "-f", "--file", "--files")
            return _found_below(parsed.operands[0 if given else 1 :]) if listing else ()
        case "git":
            git = parse_git(call.arguments)
            texts = [field.text for field in git.arguments]
            listing = git.command == "ls-files" or (
                git.command in ("diff", "show", "log", "grep", "diff-tree", "diff-index")
                and not _LISTS_NAMES.isdisjoint(texts)
            )
            plain = git.command in ("ls-files", "grep", "diff", "diff-tree", "diff-index")
            names_of = (Field("*", live=True, quoted=True, some=True),)
            return (names_of if plain else either(ANYTHING, names_of)) if listing else ()
        case _:
            return ()


def _found_below(directories: Sequence[Field]) -> Value:
    """Some of the files below directories; without one, names that may begin with anything."""
    if not directories:
        return (Field("*", live=True, quoted=True, some=True),)
    return tuple(below(directory, some=True) for directory in directories)


def _listed(call: Call) -> Value:
    parsed = parse_options(call.arguments)
    whole = parsed.has("-d", "--directory")
    if not parsed.operands and not whole:
        listed: Value = (Field("*", live=True, quoted=True),)
    else:
        inside = () if whole else tuple(below(operand) for operand in parsed.operands if not operand.live)
        listed = (*(replace(each, some=not whole) for each in parsed.operands or [Field(".")]), *inside)
    if parsed.has("-a", "-A", "--all", "--almost-all"):
        listed += tuple(
            replace(each, text=each.text[:-1] + ".*") for each in listed if each.text.endswith("*")
        )
    plain = all(name in _PLAIN_LS for name, _ in parsed.options)
    return listed if plain else either(ANYTHING, listed)
