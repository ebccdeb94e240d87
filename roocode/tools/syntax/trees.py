"""What tree-sitter's grammars find wrong with a text."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

from roocode.tools.syntax.fault import Fault, fault
from roocode.tools.syntax.languages import Language

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_CHUNK = 256
"""Bytes between two looks at the clock: the parser looks up only when it reads."""
_SECONDS = 1.0
_FAULTS = 50
_BRACKETS: Final = {"(": ")", "[": "]", "{": "}"}


class Unknown(Exception):
    """The grammar is not installed, or it takes too long over this text."""


def tree_faults(text: str, language: Language) -> tuple[Fault, ...]:
    """The first errors and missing parts of the tree. Raises Unknown."""
    faults = []
    for node in _errors(_parse(text, language)):
        faults.append(_fault(node))
        if len(faults) == _FAULTS:
            break
    return tuple(faults)


def bracket_faults(text: str, language: Language) -> tuple[Fault, ...]:
    """Brackets in code that have no partner; none where the grammar is content. Raises Unknown."""
    root = _parse(text, language)
    if not root.has_error:
        return ()
    faults: list[Fault] = []
    open_brackets: list[Node] = []
    for node in _leaves(root):
        if node.type in _BRACKETS and not node.is_missing:
            open_brackets.append(node)
        elif node.type in _BRACKETS.values() and not node.is_missing:
            if open_brackets and _BRACKETS[open_brackets[-1].type] == node.type:
                open_brackets.pop()
            else:
                faults.append(fault(_line(node), f"`{node.type}` closes nothing"))
    faults += [fault(_line(node), f"`{node.type}` is not closed") for node in open_brackets]
    return tuple(faults)


def _parse(text: str, language: Language) -> Node:
    data = text.encode("utf-8", "surrogateescape")
    started = time.monotonic()
    late = False

    def read(offset: int, _: object) -> bytes:
        nonlocal late
        late = late or time.monotonic() - started > _SECONDS
        return b"" if late else data[offset : offset + _CHUNK]

    tree = _parser(language).parse(read)
    if late:
        raise Unknown
    return tree.root_node


@cache
def _parser(language: Language) -> Parser:
    from tree_sitter import Language as Grammar
    from tree_sitter import Parser

    try:
        return Parser(Grammar(getattr(import_module(language.module), language.function)()))
    except ImportError as error:
        raise Unknown from error


def _errors(root: Node) -> Iterator[Node]:
    """The outermost errors, in the order of the text."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            yield node
        elif node.has_error:
            waiting.extend(reversed(node.children))


def _leaves(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.child_count:
            waiting.extend(reversed(node.children))
        else:
            yield node


def _fault(node: Node) -> Fault:
    if node.is_missing:
        return fault(_line(node), f"`{node.type}` is missing" if not node.type.isidentifier() else "")
    return Fault(_line(node), node.end_point.row + 1)


def _line(node: Node) -> int:
    return node.start_point.row + 1
