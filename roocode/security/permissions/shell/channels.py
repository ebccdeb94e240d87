"""Redirections: what a command reads on its input, and which files it writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from roocode.protocol.frozen import frozen
from roocode.security.permissions.shell.builtins import resolve
from roocode.security.permissions.shell.calls import Call, Target
from roocode.security.permissions.shell.state import State
from roocode.security.permissions.shell.syntax import Redirect, Word
from roocode.security.permissions.shell.values import ANYTHING, Field, Value

_CONNECTIONS = ("/dev/tcp/", "/dev/udp/")


@frozen
class Channels:
    """The input, None where it is the shell's own, the files that are opened, and whether a network is.

    `known`: nothing that is not known stands in a here-document or here-string.
    """

    stdin: Value | None
    targets: tuple[Target, ...]
    network: bool
    known: bool


def open_channels(redirects: Sequence[Redirect], state: State, value_of: Callable[[Word], Value]) -> Channels:
    """Follows redirections in their order."""
    stdin: Value | None = None
    targets: list[Target] = []
    network, known = False, True
    for redirect in redirects:
        value = value_of(redirect.target)
        operator = redirect.operator
        if operator in ("<<", "<<-", "<<<"):
            known = known and all(field.known for field in value)
            end = Field("\n" if operator == "<<<" else "")
            stdin = tuple(field.joined(end) for field in value)
            continue
        network = network or any(field.text.startswith(_CONNECTIONS) for field in value)
        if operator in ("<&", ">&") and all(_is_descriptor(field.text) for field in value):
            if operator == "<&" or redirect.descriptor == "0":
                stdin = state.files.get("&" + value[0].text, ANYTHING)
            continue
        writes = operator not in ("<", "<&")
        targets.extend(Target(field, writes, appends=operator in (">>", "&>>", "<>")) for field in value)
        if operator in ("<", "<&", "<>"):
            stdin = read_file(value, state)
            if redirect.descriptor not in ("", "0"):
                state.files["&" + redirect.descriptor.strip("{}")] = stdin
                stdin = None
        if operator == "<>" or (network and writes):
            state.files["&" + (redirect.descriptor or "1")] = read_file(value, state)
    return Channels(stdin, tuple(targets), network, known)


def read_file(paths: Sequence[Field], state: State) -> Value:
    """What may be in one of the files: known where the line wrote it, from the network behind /dev/tcp."""
    found: dict[Field, None] = {}
    for path in paths:
        if path.text.startswith(_CONNECTIONS):
            found[Field("\0", network=True)] = None
            continue
        for content in state.files.get(_key(path.text, state), (Field("\0", network=path.network),)):
            found[content] = None
    return tuple(found) or ANYTHING


def _key(path: str, state: State) -> str:
    """Under what the state knows a file: its path, or the number of a descriptor."""
    for directory in ("/dev/fd/", "/proc/self/fd/"):
        if path.startswith(directory) and path[len(directory) :].isdigit():
            return "&" + path[len(directory) :]
    return path if path.startswith("/dev/fd/") else resolve(path, state.cwd)


def write_files(targets: Sequence[Target], written: Value, state: State) -> None:
    """Remembers what the line puts into files, unless it came from elsewhere."""
    content = tuple(field if not field.network else ANYTHING[0] for field in written)
    for target in targets:
        path = resolve(target.path.text, state.cwd) if target.writes else ""
        if path and not path.startswith("/dev/"):
            before = state.files.get(path, ()) if target.appends else ()
            state.files[path] = (*before, *content)


def copy_files(call: Call, state: State) -> None:
    """Remembers what `tee`, `cp` and `mv` make of texts that the line wrote."""
    operands = [field for field in call.arguments if not field.text.startswith("-")]
    if call.name in ("tee", "sponge"):
        appends = not {"-a", "--append"}.isdisjoint(call.texts)
        write_files([Target(field, writes=True, appends=appends) for field in operands], call.stdin, state)
    elif call.name in ("cp", "mv", "install", "ln") and len(operands) == 2:
        source = resolve(operands[0].text, state.cwd)
        if source in state.files:
            write_files([Target(operands[1], writes=True)], state.files[source], state)


def written_program(call: Call, state: State) -> Field | None:
    """The path by which a call starts a file that the line itself wrote, or None."""
    program = call.argv[0] if call.argv else None
    if program is None or "/" not in program.text or resolve(program.text, state.cwd) not in state.files:
        return None
    return program


def _is_descriptor(text: str) -> bool:
    return text.rstrip("-").isdigit() or text == "-"
