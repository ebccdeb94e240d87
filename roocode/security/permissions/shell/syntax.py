"""The shape of a Bash line: words in pieces, simple commands, and what joins them."""

from __future__ import annotations

from typing import Literal, TypeAlias

from roocode.protocol.frozen import frozen


@frozen
class Text:
    """Literal characters after quote removal; wildcards, braces and a tilde are live unless `quoted`."""

    value: str
    quoted: bool = False


@frozen
class Parameter:
    """`$name` or `${expression}`: `expression` is what stands between the braces.

    `bare` is a name without braces and quotes, which what follows in a brace expansion may make longer.
    """

    expression: str
    quoted: bool = False
    bare: bool = False


@frozen
class Substitution:
    """A script whose output stands in the word: `$(script)` or backticks."""

    script: str
    quoted: bool = False


@frozen
class ProcessSubstitution:
    """`<(script)`, a file to read its output from, or `>(script)`, a file that feeds it."""

    script: str
    reads: bool


@frozen
class Arithmetic:
    """`$((expression))`; the substitutions in it run."""

    inner: tuple[Piece, ...]
    quoted: bool = False


@frozen
class ArrayLiteral:
    """`(a b c)` on the right of an assignment."""

    words: tuple[Word, ...]


Piece: TypeAlias = Text | Parameter | Substitution | ProcessSubstitution | Arithmetic | ArrayLiteral


@frozen
class Word:
    """One word: its spelling in the line and the pieces it is made of."""

    source: str
    pieces: tuple[Piece, ...]

    @property
    def literal(self) -> str | None:
        """The word without its quotes, or None where an expansion makes it depend on more."""
        if len(self.pieces) == 1 and isinstance(self.pieces[0], Text):
            return self.pieces[0].value
        if all(isinstance(piece, Text) for piece in self.pieces):
            return "".join(piece.value for piece in self.pieces if isinstance(piece, Text))
        return None


@frozen
class Assignment:
    """`name=value`, `name+=value` or `name[index]=value`."""

    name: str
    value: Word
    appends: bool = False
    index: str = ""


@frozen
class Redirect:
    """A redirection. `operator` as written (`>`, `<<<`, `&>` …); `target` is the body of a here-document."""

    operator: str
    descriptor: str
    target: Word


@frozen
class Simple:
    """Assignments, words and redirections that run as one command."""

    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]


@frozen
class Pipeline:
    """Commands joined by `|`; each reads what the one before it writes."""

    stages: tuple[Node, ...]


@frozen
class Background:
    """A command that the line does not wait for: `a &`."""

    body: Node


@frozen
class Sequence:
    """Commands that run one after another; `joins` are the operators in front of them, "" for none."""

    items: tuple[Node, ...]
    joins: tuple[str, ...] = ()


@frozen
class Block:
    """`{ … }` or `( … )`, or any compound command with redirections behind it."""

    body: Node
    redirects: tuple[Redirect, ...] = ()
    subshell: bool = False


@frozen
class Choice:
    """`if` or `case`: `tested` are words that are expanded first; one of the branches may run."""

    tested: tuple[Word, ...]
    condition: Node
    branches: tuple[Node, ...]


@frozen
class Loop:
    """`while`, `until`, `for` and `select`. `variable` takes the value of each of `items`."""

    kind: Literal["while", "until", "for", "arithmetic"]
    variable: str
    items: tuple[Word, ...]
    condition: Node
    body: Node


@frozen
class Function:
    """A function's definition; nothing runs until it is called."""

    name: str
    body: Node


@frozen
class Test:
    """`[[ … ]]` or `(( … ))`: no program runs but what the substitutions in it start."""

    word: Word


Node: TypeAlias = Simple | Pipeline | Background | Sequence | Block | Choice | Loop | Function | Test

NOTHING = Sequence(())
