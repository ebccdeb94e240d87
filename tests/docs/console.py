"""Console examples in Markdown: blocks of commands with the output that a reader is told to expect. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

ANYTHING = "…"
_FENCE = re.compile(r"^```(.*)$", re.MULTILINE)
_PROMPT, _MORE = "$ ", "> "


@dataclass(frozen=True)
class Step:
    """A command, and the lines that it should print; an ellipsis stands for anything."""

    command: str
    expected: tuple[str, ...]


@dataclass(frozen=True)
class Block:
    """The steps of one fenced block; `info` is what its first line says behind `console`."""

    line: int
    info: tuple[str, ...]
    steps: tuple[Step, ...]

    def option(self, name: str) -> str:
        """The value of `name=value` in the info string, "" where it is not there."""
        return next((word.partition("=")[2] for word in self.info if word.startswith(f"{name}=")), "")


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks whose language is `console`, in order."""
    fences = list(_FENCE.finditer(text))
    for opening, closing in zip(fences[::2], fences[1::2], strict=True):
        language, *info = opening[1].split() or [""]
        if language == "console":
            body = text[opening.end() + 1 : closing.start()].splitlines()
            yield Block(text.count("\n", 0, opening.start()) + 1, tuple(info), tuple(_steps(body)))


def fits(expected: Sequence[str], printed: str) -> bool:
    """Whether output is as expected; blanks at line ends and empty lines at the end do not count.

    An ellipsis alone on its line stands for any lines, none too; inside a line for any characters.
    """
    pattern = "".join(map(_line_pattern, expected))
    lines = [line.rstrip() for line in printed.rstrip().splitlines()]
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in lines)) is not None


def _line_pattern(line: str) -> str:
    if line.strip() == ANYTHING:
        return r"(?:.*\n)*?"
    return ".*".join(re.escape(part) for part in line.rstrip().split(ANYTHING)) + r"\n"


def _steps(lines: Sequence[str]) -> Iterator[Step]:
    assert "".join(lines[:1]).startswith(_PROMPT), f"a console block begins with `$ `: {lines[:1]}"
    commands = [number for number, line in enumerate(lines) if line.startswith(_PROMPT)]
    for start, end in zip(commands, [*commands[1:], len(lines)], strict=True):
        rest = start + 1
        while rest < end and lines[rest].startswith(_MORE):
            rest += 1
        command = "\n".join(line[len(_PROMPT) :] for line in lines[start:rest])
        yield Step(command, tuple(lines[rest:end]))
