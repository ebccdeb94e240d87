"""Reads `sed` scripts: which commands stand in them, and so what they run, read and write."""

from __future__ import annotations

from dataclasses import dataclass, field

from roocode.security.permissions.shell.calls import Call, Code, Opened
from roocode.security.permissions.shell.options import parse_options
from roocode.security.permissions.shell.programs import names
from roocode.security.permissions.shell.values import Field

SED_VALUES = names("-e -f -l -E --expression --file --line-length") - names("-E")
_NAMES = names("sed gsed")
_PLAIN = frozenset("=dDgGhHnNpPx")
_TEXT = frozenset("aic")
_FLAGS = frozenset("gpiIMm0123456789")


class NotSed(ValueError):
    """A script that is not understood."""


@dataclass(slots=True)
class SedScript:
    """What a script does beside changing text; `makes` are the replacements in it."""

    runs: list[str] = field(default_factory=list)
    makes: list[str] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    runs_pattern_space: bool = False


def sed_scripts(call: Call) -> list[Field]:
    """The scripts that a call of `sed` is given in its arguments."""
    parsed = parse_options(call.arguments, SED_VALUES)
    given = parsed.values("-e", "--expression")
    return given if given or parsed.has("-f", "--file") else parsed.operands[:1]


def executed_by_sed(call: Call) -> list[Opened]:
    """The shell lines in the `e` commands of a script; empty for other programs."""
    if call.name not in _NAMES:
        return []
    found: list[Opened] = []
    for script in sed_scripts(call):
        try:
            read = read_sed(script.text)
        except NotSed:
            continue
        lines = read.runs + (read.makes if read.runs_pattern_space else [])
        found.extend(Code((Field(line),), "sed e", guess=True) for line in lines)
        if read.runs_pattern_space:
            found.append(Code(call.stdin, "sed e"))
    return found


def read_sed(text: str) -> SedScript:
    """Reads a script (GNU sed manual, section 3 and 6). Raises NotSed."""
    reader = _Reader(text)
    while reader.at < len(text):
        reader.command()
    if reader.depth:
        raise NotSed("a { is not closed")
    return reader.found


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.found = SedScript()

    @property
    def here(self) -> str:
        return self.text[self.at : self.at + 1]

    def command(self) -> None:
        """Reads one command with its addresses."""
        self._skip(" \t\n;")
        if not self.here:
            return
        if self.here == "#":
            self._line()
            return
        if self._address():
            self._skip(" \t")
            if self.here == ",":
                self.at += 1
                self._skip(" \t")
                if not self._address():
                    raise NotSed("an address is missing")
        self._skip(" \t!")
        letter = self.here
        self.at += 1
        self._function(letter)

    def _function(self, letter: str) -> None:
        if letter in _PLAIN and letter:
            self._end()
        elif letter == "{":
            self.depth += 1
        elif letter == "}" and self.depth:
            self.depth -= 1
            self._end()
        elif letter in ("s", "y"):
            self._substitute(letter)
        elif letter in _TEXT and letter:
            self._text()
        elif letter in ("b", "t", "T", ":", "l", "q", "Q", "L"):
            self._label()
        elif letter in ("r", "R"):
            self.found.reads.append(self._line().strip())
        elif letter in ("w", "W"):
            self.found.writes.append(self._line().strip())
        elif letter == "e":
            command = self._line().strip()
            self.found.runs.append(command)
            self.found.runs_pattern_space = self.found.runs_pattern_space or not command
        elif letter in ("z", "F"):
            self._end()
        else:
            raise NotSed(f"{letter!r} is no command of sed")

    def _skip(self, characters: str) -> None:
        while self.here and self.here in characters:
            self.at += 1

    def _line(self) -> str:
        end = self.text.find("\n", self.at)
        end = end if end >= 0 else len(self.text)
        line = self.text[self.at : end]
        self.at = end
        return line

    def _end(self) -> None:
        self._skip(" \t")
        if self.here and self.here not in ";\n}#":
            raise NotSed("something stands behind a command")

    def _label(self) -> None:
        while self.here and self.here not in ";\n}":
            self.at += 1

    def _text(self) -> None:
        line = self._line()
        while line.endswith("\\") and self.here:
            self.at += 1
            line = self._line()

    def _address(self) -> bool:
        start = self.at
        if self.here in ("/", "\\"):
            if self.here == "\\":
                self.at += 1
            self._delimited(self.here)
            self._skip("IM")
        elif self.here == "$":
            self.at += 1
        else:
            self._skip("+~0123456789")
        return self.at > start

    def _delimited(self, delimiter: str) -> str:
        """Reads from one delimiter up to before the next; brackets hide it in a pattern."""
        self.at += 1
        start = self.at
        while self.here and self.here not in (delimiter, "\n"):
            self.at += 2 if self.here == "\\" else 1
        if self.here != delimiter:
            raise NotSed("a pattern is not closed")
        body = self.text[start : self.at]
        if "[" in body and "]" not in body[body.rindex("[") + 2 :]:
            raise NotSed("seds differ on where a pattern ends")
        self.at += 1
        return body

    def _substitute(self, letter: str) -> None:
        delimiter = self.here
        if not delimiter or delimiter in "\\\n":
            raise NotSed("a pattern is missing")
        self._delimited(delimiter)
        self.at -= 1
        self.found.makes.append(self._delimited(delimiter).replace(f"\\{delimiter}", delimiter))
        if letter == "s":
            self._flags()
        self._end()

    def _flags(self) -> None:
        while self.here:
            if self.here == "e":
                self.found.runs_pattern_space = True
            elif self.here == "w":
                self.at += 1
                self.found.writes.append(self._line().strip())
                return
            elif self.here not in _FLAGS:
                return
            self.at += 1
