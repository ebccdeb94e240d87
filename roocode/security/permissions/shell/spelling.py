"""How the words of a command are spelled, and the argument lists that they may become."""

from __future__ import annotations

from collections.abc import Sequence

from roocode.security.permissions.shell.cursor import is_name
from roocode.security.permissions.shell.programs import names
from roocode.security.permissions.shell.syntax import Parameter, Simple, Text, Word
from roocode.security.permissions.shell.values import Fields, products

_EVALUATING = names("-eq -ne -lt -le -gt -ge -v -R")


def argument_lists(choices: Sequence[Sequence[Fields]]) -> list[tuple[Fields, bool]]:
    """The argument lists that the words may become, and whether each is a guess.

    Where they are too many, all arguments stand in one.
    """
    found = products(choices)
    if len(found) == 1 and any(field.endless for field in found[0]) and choices:
        everything = [field for ways in choices[1:] for way in ways for field in way]
        found = [(*program, *everything) for program in choices[0]]
    guesses = [any(field.guessed for field in way) for way in found]
    kept = [tuple(field for field in way if field.text or field.quoted) for way in found]
    return list(dict.fromkeys(zip(kept, guesses, strict=True))) or [((), False)]


def spelling(simple: Simple) -> tuple[tuple[str, ...], bool, bool]:
    """The words as spelled, whether all is literal, and whether nothing but variables is to be expanded."""
    spelled = tuple(word.source if word.literal is None else word.literal for word in simple.words)
    words = [
        *simple.words,
        *(redirect.target for redirect in simple.redirects),
        *(assignment.value for assignment in simple.assignments),
    ]
    plain = all(word.literal is not None for word in words)
    return spelled, plain, plain or all(map(is_quiet, words))


def is_arithmetic(word: Word) -> bool:
    """Whether a `((…))` or `[[…]]` evaluates something as a number or a name, which may run a subscript."""
    return not word.source.startswith("[[") or not _EVALUATING.isdisjoint(word.source.split())


def is_quiet(word: Word) -> bool:
    """Whether nothing but text and plain variables stands in a word, so that nothing runs for it."""
    return all(
        isinstance(piece, Text) or (isinstance(piece, Parameter) and _is_plain(piece.expression))
        for piece in word.pieces
    )


def _is_plain(expression: str) -> bool:
    return is_name(expression) or expression in set("?#$!0")
