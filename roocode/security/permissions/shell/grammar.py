"""The grammar of Bash: tree-sitter's, shown a line in which nothing stands that it is known to misread."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser


def parse(text: str, hidden: Sequence[tuple[int, int, str]]) -> Node:
    """The tree of a line. Its offsets are characters of `text`, since every character is shown as one byte.

    `hidden` stretches are blanked but for their line ends, and begin with what is to be seen instead.
    Characters outside ASCII are letters to Bash wherever they stand, so they are shown as one.
    """
    shown = [character if character.isascii() and character != "\0" else "x" for character in text]
    for start, end, instead in hidden:
        for at in range(start, end):
            if shown[at] != "\n":
                shown[at] = " "
        shown[start : start + len(instead)] = instead
    return _parser().parse("".join(shown).encode("ascii")).root_node


@cache
def _parser() -> Parser:
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
