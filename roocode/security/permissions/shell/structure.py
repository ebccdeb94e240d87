"""A Bash line as nested commands: the words as read here, the nesting as the grammar has it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from roocode.protocol.frozen import frozen
from roocode.security.permissions.shell.cursor import DEEPEST, TooDeep
from roocode.security.permissions.shell.flat import flat, longest_pipeline, redirects, simple
from roocode.security.permissions.shell.grammar import parse
from roocode.security.permissions.shell.programs import names
from roocode.security.permissions.shell.reader import read
from roocode.security.permissions.shell.reading import Group, Reading, Span
from roocode.security.permissions.shell.syntax import (
    NOTHING,
    Background,
    Block,
    Choice,
    Function,
    Loop,
    Node,
    Parameter,
    Pipeline,
    Sequence,
    Simple,
    Test,
    Word,
)

if TYPE_CHECKING:
    from tree_sitter import Node as Tree

LONGEST_PIPELINE = 200
"""Longer ones are not shown to the grammar, whose memory grows with the square (650 MB at 8,000 stages)."""

_ARGUMENTS = (Word('"$@"', (Parameter("@", quoted=True),)),)
_COMMANDS = names(
    "command declaration_command unset_command variable_assignment variable_assignments test_command"
)
_LEAVES = names(
    "word string raw_string ansi_c_string translated_string concatenation number simple_expansion expansion "
    "command_substitution process_substitution arithmetic_expansion brace_expression variable_assignment"
)


@frozen
class Script:
    """What a line runs. Where `doubt` says why it was not understood, `node` is the most that can be said."""

    node: Node
    doubt: str = ""


def understand(text: str) -> Script:
    """Reads a script; never raises but TooDeep."""
    reading = read(text)
    if reading.broken:
        return Script(flat(reading), reading.broken)
    if longest_pipeline(reading) > LONGEST_PIPELINE:
        return Script(flat(reading), "a pipeline is too long to be followed")
    tree = parse(text, reading.hidden)
    if tree.has_error:
        return Script(flat(reading), "the line is not whole Bash")
    builder = _Builder(reading)
    try:
        node = builder.build(tree, 0)
        builder.expect_all_used()
    except _Disagreement as error:
        return Script(flat(reading), str(error))
    return Script(node)


class _Disagreement(ValueError):
    """The grammar and the reader see different commands."""


class _Builder:
    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.groups = {group.start: group for group in reading.groups}
        self.used: set[int] = set()

    def expect_all_used(self) -> None:
        """Raises where the reader saw a command that the grammar did not."""
        if len(self.used) != len(self.reading.groups):
            raise _Disagreement("a part of the line can be read in two ways")

    def build(self, tree: Tree, depth: int) -> Node:
        """The command that a node of the grammar stands for."""
        if depth > DEEPEST:
            raise TooDeep
        kind = tree.type
        if kind in _COMMANDS:
            return self._simple(tree)
        match kind:
            case "redirected_statement":
                return self._redirected(tree, depth)
            case "pipeline":
                return Pipeline(tuple(self.build(part, depth + 1) for part in _flattened(tree, "pipeline")))
            case "program" | "do_group" | "list":
                return self._statements(_flattened_all(tree), depth)
            case "subshell" | "compound_statement":
                return Block(self._statements(tree.children, depth), subshell=kind == "subshell")
            case "negated_command":
                return self._statements(tree.children, depth)
            case "if_statement":
                return self._choice(tree, depth)
            case "case_statement":
                return self._case(tree, depth)
            case "while_statement" | "for_statement" | "c_style_for_statement":
                return self._loop(tree, depth)
            case "function_definition":
                return self._function(tree, depth)
            case _:
                raise _Disagreement(f"the grammar has a {kind.replace('_', ' ')} here")

    def _statements(self, trees: Iterable[Tree], depth: int) -> Node:
        items: list[Node] = []
        joins: list[str] = []
        join = ""
        for tree in trees:
            if tree.type == "&" and items:
                items[-1] = Background(items[-1])
            elif tree.is_named and tree.type not in ("comment", "heredoc_body"):
                items.append(self.build(tree, depth + 1))
                joins.append(join)
                join = ""
            else:
                join = tree.type
        return items[0] if len(items) == 1 else Sequence(tuple(items), tuple(joins))

    def _simple(self, tree: Tree) -> Node:
        test = self.reading.tests.get(tree.start_byte)
        if test and test.end == tree.end_byte:
            return Test(test.word)
        return self._group(tree.start_byte, tree)

    def _group(self, start: int, tree: Tree) -> Simple:
        group = self.groups.get(start)
        if group is None or start in self.used:
            raise _Disagreement("a command can be read in two ways")
        if tree.type == "command" and not _same_words(group, tree):
            raise _Disagreement("words can be told apart in two ways")
        self.used.add(start)
        return simple(group)

    def _redirected(self, tree: Tree, depth: int) -> Node:
        body = tree.child_by_field_name("body")
        if body is None:
            return self._group(tree.start_byte, tree)
        node = self.build(body, depth + 1)
        behind = next(
            (
                start
                for start in self.groups
                if body.end_byte <= start < tree.end_byte and start not in self.used
            ),
            None,
        )
        if behind is None:
            return node
        group = self.groups[behind]
        if group.parts or isinstance(node, Simple):
            raise _Disagreement("a redirection can be read in two ways")
        self.used.add(behind)
        return Block(node, redirects(group))

    def _choice(self, tree: Tree, depth: int) -> Node:
        conditions: list[Node] = []
        branches: list[Node] = []
        for part in (
            tree,
            *(child for child in tree.children if child.type in ("elif_clause", "else_clause")),
        ):
            before, after = _parted(part)
            if part.type == "else_clause":
                before, after = [], before
            conditions.append(self._statements(before, depth))
            branches.append(self._statements(after, depth))
        return Choice((), Sequence(tuple(conditions)), tuple(branches))

    def _case(self, tree: Tree, depth: int) -> Node:
        words = tuple(span.word for span in self._listed(tree))
        items = [child for child in tree.children if child.type == "case_item"]
        branches = tuple(self._statements(_behind(item, ")"), depth) for item in items)
        return Choice(words, NOTHING, branches)

    def _listed(self, tree: Tree) -> list[Span]:
        words = self.reading.lists.get(tree.start_byte)
        if words is None:
            raise _Disagreement("a loop or case can be read in two ways")
        return words

    def _loop(self, tree: Tree, depth: int) -> Node:
        body = self._statements([child for child in tree.children if _is_body(child)], depth)
        keyword = tree.children[0].type
        if tree.type == "while_statement":
            before = [child for child in tree.children if not _is_body(child)]
            condition = self._statements(before, depth)
            return Loop("until" if keyword == "until" else "while", "", (), condition, body)
        if tree.type == "c_style_for_statement":
            heads = [start for start in self.reading.tests if tree.start_byte < start < tree.end_byte]
            head = self.reading.tests[min(heads)].word if heads else Word("", ())
            return Loop("arithmetic", "", (), Test(head), body)
        words = [span.word for span in self._listed(tree)]
        name = words[0].source if words else ""
        listed = any(child.type == "in" for child in tree.children)
        return Loop("for", name, tuple(words[1:]) if listed else _ARGUMENTS, NOTHING, body)

    def _function(self, tree: Tree, depth: int) -> Node:
        name = tree.child_by_field_name("name")
        body = tree.child_by_field_name("body")
        if name is None or body is None:
            raise _Disagreement("a function can be read in two ways")
        node = self.build(body, depth + 1)
        behind = [start for start in self.groups if body.end_byte <= start < tree.end_byte]
        for start in behind:
            node = Block(node, redirects(self.groups[start]))
            self.used.add(start)
        text = name.text.decode() if name.text else ""
        return Function(text, node)


def _same_words(group: Group, tree: Tree) -> bool:
    spans = {(part.start, part.end) for part in group.parts}
    for child in tree.children:
        word = child.children[0] if child.type == "command_name" and child.child_count else child
        if word.type in _LEAVES and (word.start_byte, word.end_byte) not in spans:
            return False
    return True


def _flattened_all(tree: Tree) -> Iterator[Tree]:
    """The children, with those of a list within the list in its place: the grammar nests `a && b && c`."""
    pending = list(reversed(tree.children))
    while pending:
        child = pending.pop()
        if child.type == "list" and tree.type == "list":
            pending.extend(reversed(child.children))
        else:
            yield child


def _flattened(tree: Tree, kind: str) -> Iterator[Tree]:
    pending = list(reversed(tree.children))
    while pending:
        child = pending.pop()
        if child.type == kind:
            pending.extend(reversed(child.children))
        elif child.is_named and child.type != "comment":
            yield child


def _parted(tree: Tree) -> tuple[list[Tree], list[Tree]]:
    """The children before and behind `then`, without the clauses that follow."""
    before: list[Tree] = []
    after: list[Tree] = []
    side = before
    for child in tree.children:
        if child.type == "then":
            side = after
        elif child.type not in ("elif_clause", "else_clause"):
            side.append(child)
    return before, after


def _behind(tree: Tree, token: str) -> list[Tree]:
    at = next((index for index, child in enumerate(tree.children) if child.type == token), -1)
    return list(tree.children[at + 1 :])


def _is_body(tree: Tree) -> bool:
    return tree.type in ("do_group", "compound_statement")
