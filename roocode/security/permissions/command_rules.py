"""Whether the pattern of a rule such as `Bash(git log *)` covers one simple command.

`*` stands for any text, blanks too; ` *` at the end needs a word boundary and also covers the bare command;
`:*` at the end means the same; `\\*` is a star. Blanks count once. Patterns are matched on decoded words, by
a plain scan: no regular expression decides on a command.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from roocode.security.permissions.obstacles import REDIRECTED, RUNNERS, RUNS_OTHERS, TRANSPARENT
from roocode.security.permissions.wildcard import like

if TYPE_CHECKING:
    from roocode.security.permissions.parts import Part

_OPERATORS = frozenset({"|", "|&", "||", "&&", "&", ";"})
_LONGEST_CLUSTER = 5

_ACTING_FIND = frozenset(
    {"-delete", "-exec", "-execdir", "-ok", "-okdir", "-fls", "-fprint", "-fprint0", "-fprintf"}
)
_FINDERS = frozenset({"find", "gfind"})

_LETTERS = {
    "--recursive": "r", "--force": "f", "--delete": "d", "--interactive": "i", "--all": "a", "--quiet": "q",
    "--no-verify": "n", "--output": "o", "--request": "X", "--data": "d", "--global": "g",
}  # fmt: skip
"""The letters that options with long names mostly go by."""
_CAPITALS = {"R": "r"}
"""`chmod -R` and `rm -R` are `--recursive` too."""


def allows(pattern: str, part: Part) -> bool:
    """Whether an allow rule covers a command: as it is spelled, case and program path included.

    It must be plain; targets of its output are judged as writes, by others. What a `find` does to what it
    finds must stand in the rule.
    """
    wanted = _normal(pattern)
    return _is_coverable(part) and _names_acts(wanted, part) and _covers(wanted, part.text)


def restricts(pattern: str, parts: Sequence[Part]) -> bool:
    """Whether a deny or ask rule is about one of these commands, or about a row of them (`curl * | sh`).

    It looks past wrappers (they are parts too), the program's directory and case, options before a
    sub-command (`git -C x push`), and the order, clustering and long names of options (`rm -fr`).
    """
    steps = _steps(pattern)
    rows = (parts[start : start + len(steps)] for start in range(len(parts) - len(steps) + 1))
    return any(all(_concerns(step, part) for step, part in zip(steps, row, strict=True)) for row in rows)


def _is_coverable(part: Part) -> bool:
    around = frozenset(part.inside)
    if part.opaque == RUNS_OTHERS:
        return around <= TRANSPARENT | RUNNERS and part.words[0] in RUNNERS
    return part.opaque in ("", REDIRECTED) and around <= TRANSPARENT


def _names_acts(pattern: str, part: Part) -> bool:
    if not part.words or part.words[0] not in _FINDERS:
        return True
    return _ACTING_FIND.intersection(part.words) <= set(pattern.split(" "))


def includes(wide: str, narrow: str) -> bool:
    """Whether every command that one pattern covers is covered by another, as far as spelling shows it."""
    return _covers(_normal(wide), _normal(narrow))


def spans_commands(pattern: str) -> bool:
    """Whether a pattern holds an operator, so that no single command can ever match it."""
    return len(_steps(pattern)) > 1


@lru_cache(maxsize=1024)
def _steps(pattern: str) -> tuple[str, ...]:
    steps: list[list[str]] = [[]]
    for word in _normal(pattern).split(" "):
        if word in _OPERATORS:
            steps.append([])
        else:
            steps[-1].append(word)
    return tuple(" ".join(step) for step in steps if step) or ("",)


@lru_cache(maxsize=1024)
def _normal(pattern: str) -> str:
    if pattern.endswith(":*"):
        pattern = pattern.removesuffix(":*") + " *"
    if "'" in pattern or '"' in pattern:
        try:
            return " ".join(shlex.split(pattern.replace("\\", "\\\\")))
        except ValueError:
            pass
    return " ".join(pattern.split())


def _covers(pattern: str, text: str) -> bool:
    if pattern in ("", "*"):
        return pattern == "*"
    return like(pattern, text) or (pattern.endswith(" *") and like(pattern[:-2], text))


def _concerns(pattern: str, part: Part) -> bool:
    if _covers(pattern, part.text):
        return True
    commands = (part.words, *(tuple(text.split(" ")) for text in part.resolved))
    return any(
        _covers(pattern, " ".join(words)) or _same_but_for_order(pattern.split(" "), words)
        for command in commands
        for words in _spellings(command)
    )


def _spellings(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """A command with its program named plainly, and with the options before a sub-command left out."""
    if not words:
        return
    program = words[0].rpartition("/")[2]
    starts, reached = [1], {1}
    for start in starts:
        if start < len(words) and words[start].startswith("-"):
            further = {start + 1, start + 2} - reached
            starts.extend(sorted(further))
            reached |= further
    for name in dict.fromkeys((program, program.casefold())):
        for start in starts:
            yield (name, *words[start:])


def _same_but_for_order(pattern: Sequence[str], words: Sequence[str]) -> bool:
    """Whether a command has the pattern's program, its operands first, and its options anywhere."""
    open_ended = pattern[-1] == "*"
    wanted = pattern[:-1] if open_ended else pattern
    if not wanted or any("*" in word for word in wanted) or wanted[0] != words[0]:
        return False
    options, operands = _split(wanted[1:])
    given, rest = _split(words[1:])
    if open_ended:
        return options <= given and list(rest[: len(operands)]) == list(operands)
    return options == given and list(rest) == list(operands)


def _split(words: Sequence[str]) -> tuple[frozenset[str], Sequence[str]]:
    options: set[str] = set()
    operands: list[str] = []
    for index, word in enumerate(words):
        if word == "--":
            operands.extend(words[index + 1 :])
            break
        if word.startswith("--"):
            options.update(_letters(word.partition("=")[0]))
        elif word.startswith("-") and 1 < len(word) <= _LONGEST_CLUSTER:
            options.update(_CAPITALS.get(letter, letter) for letter in word[1:])
        elif word.startswith("-") and len(word) > 1:
            options.add(word)
        else:
            operands.append(word)
    return frozenset(options), operands


def _letters(option: str) -> frozenset[str]:
    """The letters of an option's long name, which may be abbreviated; the name itself where none is known."""
    known = (letter for name, letter in _LETTERS.items() if name.startswith(option))
    return frozenset(known) or frozenset({option})
