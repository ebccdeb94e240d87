"""What builtins do to the state: directories, variables, arguments."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from roocode.security.permissions.shell.filters import formatted
from roocode.security.permissions.shell.numbers import natural
from roocode.security.permissions.shell.options import parse_options
from roocode.security.permissions.shell.programs import names
from roocode.security.permissions.shell.state import State
from roocode.security.permissions.shell.values import ANYTHING, UNKNOWN, Field, Fields, Value, either

DECLARES = names("export declare typeset local readonly")


def apply_builtin(ways: Sequence[Fields], state: State, stdin: Value) -> None:
    """Does to the state what a builtin would do; `ways` are the ways in which its words may turn out."""
    first = ways[0]
    if not first:
        return
    name, arguments = first[0].text, first[1:]
    while name in ("command", "builtin") and arguments:
        name, arguments = arguments[0].text, arguments[1:]
        ways = [way[1:] for way in ways]
    match name:
        case "cd" | "pushd" | "popd":
            _change_directory(name, [way[1:] for way in ways], state)
        case "read" | "mapfile" | "readarray":
            _read(name, arguments, state, stdin)
        case "set":
            _set(arguments, state)
        case "shift":
            count = natural(arguments[0].text) if arguments else 1
            state.arguments = state.arguments[1 if count is None else count :]
        case "unset":
            for field in arguments:
                state.variables.pop(field.text, None)
                state.arrays.pop(field.text, None)
                state.functions.pop(field.text, None)
        case "printf" if arguments[:1] and arguments[0].text == "-v" and len(arguments) > 2:
            state.variables[arguments[1].text] = either(tuple(formatted(way[3:]) for way in ways))
        case _:
            pass


def resolve(path: str, directory: str) -> str:
    """The path made absolute and without dots, or "" where it or the directory is not known."""
    if UNKNOWN in path or not (path.startswith("/") or directory):
        return ""
    return "/" + posixpath.normpath(posixpath.join(directory, path)).lstrip("/")


def _change_directory(name: str, ways: Sequence[Fields], state: State) -> None:
    if name == "pushd":
        state.stack.append(state.cwd)
    bases = state.cwds
    targets = [_target(name, arguments, state, bases[0]) for arguments in ways]
    others = [_target(name, arguments, state, base) for arguments in ways for base in bases[1:]]
    state.change_directory(targets, others)


def _target(name: str, arguments: Fields, state: State, base: str) -> str:
    """Where `cd`, `pushd` or `popd` leads from a directory, or "" where that is not known."""
    operands = parse_options(arguments).operands
    text = operands[0].text if operands else ""
    if name == "popd":
        return state.stack.pop() if state.stack else ""
    if name == "cd" and not operands:
        home = state.value("HOME")[0]
        return home.text if home.known else ""
    if text == "-" or (name == "pushd" and not operands):
        return state.previous
    if operands[0].live:
        return ""
    return resolve(text, base) if text else base


def _read(name: str, arguments: Fields, state: State, stdin: Value) -> None:
    values = names("-a -d -i -n -N -p -t -u" if name == "read" else "-d -n -O -s -u -C -c")
    parsed = parse_options(arguments, values)
    variables = [operand.text for operand in parsed.operands] or ["REPLY"]
    array = [value.text for value in parsed.values("-a")]
    whole = parsed.has("-d")
    words: list[Field] = []
    lines: Value = ()
    for content in stdin:
        texts = [content.text] if whole or content.text == UNKNOWN else content.text.split("\n")
        lines = either(lines, tuple(content.with_text(text) for text in texts if text))
        words.extend(
            content.with_text(word) for text in texts for word in text.split(None, len(variables) - 1 or -1)
        )
    if name != "read" or array:
        key = array[0] if array else variables[0] if parsed.operands else "MAPFILE"
        state.arrays[key] = tuple(words) if array else lines
        return
    for variable in variables:
        state.variables[variable] = (lines or ANYTHING) if len(variables) == 1 else tuple(words) or ANYTHING


def _set(arguments: Fields, state: State) -> None:
    at = 0
    while at < len(arguments) and arguments[at].text[:1] in ("-", "+") and arguments[at].text != "--":
        at += 2 if arguments[at].text in ("-o", "+o") else 1
    if at < len(arguments):
        state.arguments = arguments[at + 1 :] if arguments[at].text == "--" else arguments[at:]
