"""`xargs`, `find -exec` and their like: programs that start another one for each thing that they find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

from roocode.protocol.frozen import frozen
from roocode.security.permissions.shell.calls import Call, Opened, Program
from roocode.security.permissions.shell.options import parse_options
from roocode.security.permissions.shell.programs import names
from roocode.security.permissions.shell.values import EMPTY, UNKNOWN, Field, Fields, Value

_XARGS_VALUES = names(
    "-a -d -E -I -L -n -P -s -J -R -S --arg-file --delimiter --max-lines --max-args --max-procs "
    "--max-chars --replace --process-slot-var"
)
_EXECUTING = names("-exec -execdir -ok -okdir")
_NARROWING = names("-name -iname -path -ipath -wholename -iwholename -regex -iregex -samefile -inum -newer")
_WIDENING = names("-o -or ! -not ,")


@frozen
class Search:
    """A `find`: where it starts, what it runs for each hit, and whether it takes only some."""

    starts: Fields
    commands: tuple[Fields, ...]
    narrow: bool
    expression: Fields

    @property
    def hits(self) -> Fields:
        """What it finds: all below each start, or some of it, and that by the names asked for, too."""
        named = [name.text for test, name in pairwise(self.expression) if test.text in ("-name", "-iname")]
        found = [below(start, some=self.narrow) for start in self.starts]
        if self.narrow:
            found += [replace(hit, text=hit.text[:-1] + name) for hit in found for name in named]
        return tuple(found)


def below(directory: Field, *, some: bool = False) -> Field:
    """The files in a directory as one argument."""
    path = directory.text.rstrip("/") + "/*"
    return replace(directory.with_text(path), live=True, some=directory.some or some, quoted=True)


def search(arguments: Fields) -> Search:
    """Reads the arguments of `find`."""
    at = 0
    while at < len(arguments) and arguments[at].text in ("-H", "-L", "-P", "-O0", "-O1", "-O2", "-O3"):
        at += 1
    start = at
    while at < len(arguments) and not _begins_expression(arguments[at].text):
        at += 1
    starts = arguments[start:at] or (Field("."),)
    expression = arguments[at:]
    return Search(starts, tuple(_commands(expression)), _is_narrow(expression), expression)


def _begins_expression(text: str) -> bool:
    return text.startswith("-") or text in ("(", ")", "!", ",")


def _commands(expression: Fields) -> list[Fields]:
    commands: list[Fields] = []
    at = 0
    while at < len(expression):
        if expression[at].text not in _EXECUTING:
            at += 1
            continue
        end = at + 1
        while end < len(expression) and expression[end].text not in (";", "+"):
            end += 1
        if end > at + 1:
            commands.append(expression[at + 1 : end])
        at = end + 1
    return commands


def _is_narrow(expression: Fields) -> bool:
    texts = [field.text for field in expression]
    if not _WIDENING.isdisjoint(texts):
        return False
    return any(test in _NARROWING and pattern.strip("*?./") for test, pattern in pairwise(texts))


def opened_repeatedly(call: Call, read: Callable[[Fields], Value]) -> list[Opened]:
    """The programs that a call starts for each item; empty where it is no such program."""
    match call.name:
        case "xargs" | "gxargs":
            return _xargs(call, read)
        case "parallel":
            return _parallel(call)
        case "find" | "gfind" | "bfs":
            return _find(call)
        case "fd" | "fdfind":
            return _fd(call)
        case _:
            return []


def _find(call: Call) -> list[Opened]:
    found = search(call.arguments)
    return [
        Program(_filled(command, "{}", hit), "find -exec", stdin=EMPTY)
        for command in found.commands
        for hit in found.hits
    ]


def _fd(call: Call) -> list[Opened]:
    texts = call.texts
    for option in ("-x", "--exec", "-X", "--exec-batch"):
        if option in texts:
            command = call.arguments[texts.index(option) + 1 :]
            end = next((at for at, field in enumerate(command) if field.text == ";"), len(command))
            hit = Field("./*", live=True, some=True)
            holes = any("{" in field.text for field in command)
            inner = _filled(command[:end], "{}", hit) if holes else (*command[:end], hit)
            return [Program(inner, "fd -x", stdin=EMPTY)] if command else []
    return []


def _xargs(call: Call, read: Callable[[Fields], Value]) -> list[Opened]:
    parsed = parse_options(call.arguments, _XARGS_VALUES, leading=True)
    command = tuple(parsed.operands) or (Field("echo"),)
    holes = [value.text or "{}" for value in parsed.values("-I", "--replace", "-J")]
    holes = holes or (["{}"] if parsed.has("-i", "--replace") else [])
    separators = "\0" if parsed.has("-0", "--null") else "".join(value.text for value in parsed.values("-d"))
    files = tuple(parsed.values("-a", "--arg-file"))
    source = read(files) if files else call.stdin
    programs: list[Opened] = []
    for content in source:
        items = _items(content, separators, lines=bool(holes))
        if holes:
            inners = [_filled(command, holes[-1], item) for item in items or (Field(UNKNOWN),)]
        else:
            inners = [(*command, *items)]
        programs.extend(Program(inner, "xargs", stdin=EMPTY) for inner in inners)
    return programs


def _parallel(call: Call) -> list[Opened]:
    """Each line of the input behind the command, or in its holes."""
    values = names("-j -P -n -N -L -a -I -S --jobs --delay --timeout --joblog --colsep --delimiter")
    command = tuple(parse_options(call.arguments, values, leading=True).operands)
    items = [item for content in call.stdin for item in _items(content, "", lines=True)]
    holes = any("{}" in field.text for field in command)
    ways = [_filled(command, "{}", item) if holes else (*command, item) for item in items if command]
    return [Program(way, "parallel", stdin=EMPTY, guess=True) for way in ways]


def _items(content: Field, separators: str, *, lines: bool) -> Fields:
    """What `xargs` makes of its input; NUL is both its separator and our mark for what is unknown."""
    if content.text == UNKNOWN:
        return (content,)
    text = content.text
    if separators == "\0":
        parts = text.split("\0")
    elif separators:
        parts = text.split({"\\n": "\n", "\\t": "\t", "\\0": "\0"}.get(separators, separators))
    else:
        parts = text.split("\n") if lines else text.translate({ord(mark): None for mark in "\"'\\"}).split()
    return tuple(content.with_text(part.strip("\n")) for part in parts if part.strip("\n"))


def _filled(command: Fields, hole: str, item: Field) -> Fields:
    """The command with each hole filled by the item."""
    return tuple(
        replace(
            item.joined(field.with_text("")).with_text(field.text.replace(hole, item.text)),
            spelling=field.spelling,
        )
        if hole and hole in field.text
        else field
        for field in command
    )
