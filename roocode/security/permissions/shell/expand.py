"""Expands words as Bash does, but for wildcards: braces, tilde, parameters, substitutions, splitting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from roocode.protocol.frozen import frozen
from roocode.security.permissions.shell.braces import TooMany, expand_braces
from roocode.security.permissions.shell.cursor import Cursor, Unfinished, is_name
from roocode.security.permissions.shell.numbers import natural
from roocode.security.permissions.shell.parameters import Expression, Role, evaluate, parse_expression
from roocode.security.permissions.shell.patterns import escaped, is_live
from roocode.security.permissions.shell.pieces import read_default, read_quoted, read_word
from roocode.security.permissions.shell.reader import script_end
from roocode.security.permissions.shell.state import State
from roocode.security.permissions.shell.syntax import (
    Arithmetic,
    ArrayLiteral,
    Parameter,
    Piece,
    ProcessSubstitution,
    Substitution,
    Text,
    Word,
)
from roocode.security.permissions.shell.values import (
    ANYTHING,
    EMPTY,
    ENDLESS,
    UNKNOWN,
    Field,
    Fields,
    Value,
    either,
    laid_together,
    products,
)

_CUT = Field("\n")
"""Marks, by identity, where one word ends and the next begins."""


@frozen
class Expander:
    """Expands words in a state. `output_of(script)` runs a script and says what it may write."""

    state: State
    output_of: Callable[[str], Value]
    channel_of: Callable[[ProcessSubstitution], Field]

    def fields(self, word: Word) -> list[Fields]:
        """The ways a word may turn into arguments; the first keeps what is unknown as unknown."""
        literal = word.literal
        spelling = word.source if literal is None else literal
        if literal is not None and not any(mark in literal for mark in "{~*?["):
            return [(Field(literal, literal, quoted=is_quoted(word)),)]
        try:
            words = expand_braces(word.pieces)
        except TooMany:
            return [(replace(ENDLESS, spelling=spelling),)]
        ways = [self._split(pieces, spelling) for pieces in words]
        if literal is not None:
            return [tuple(replace(field, spelling=field.text) for way in ways for field in way[0])]
        return products(ways)

    def value(self, word: Word) -> Value:
        """What a word may become where it is not split: in an assignment, a here-string or a redirection."""
        pieces = self._tildes(word.pieces)
        options = products([[(laid_together(way, " "),) for way in self._piece(piece)] for piece in pieces])
        joined = (laid_together(fields) for fields in options)
        return either(tuple(replace(field, spelling=word.source) for field in joined))

    def elements(self, literal: ArrayLiteral) -> Fields:
        """The elements of an array, the first of each way."""
        return tuple(field for word in literal.words for field in self.fields(word)[0])

    def _split(self, pieces: Sequence[Piece], spelling: str) -> list[Fields]:
        ways: list[Fields] = []
        for strands in products([self._strands(piece) for piece in self._tilde(pieces)]):
            words: list[Field] = [Field("", spelling)]
            for strand in strands:
                if strand is _CUT:
                    words.append(Field("", spelling))
                else:
                    words[-1] = words[-1].joined(strand)
            ways.append(tuple(word for word in words if word.text or word.quoted or word.guessed))
        return list(dict.fromkeys(ways))

    def _strands(self, piece: Piece) -> list[Fields]:
        """A piece's ways, each cut where the word is: the cut is a field of two line ends."""
        ways = self._piece(piece)
        if isinstance(piece, Text) or (isinstance(piece, (Substitution, Arithmetic)) and piece.quoted):
            return ways
        several = isinstance(piece, Parameter) and len(ways) == 1 and len(ways[0]) != 1
        if isinstance(piece, Parameter) and piece.quoted:
            return [_cut(ways[0])] if several else ways
        separators = self.state.separators()
        return [_cut(tuple(part for field in way for part in _divided(field, separators))) for way in ways]

    def _piece(self, piece: Piece) -> list[Fields]:
        match piece:
            case Text(value, quoted):
                live = not quoted and is_live(value)
                return [(Field(value, live=live, quoted=quoted),)]
            case Parameter(expression, quoted):
                return self._parameter(expression, quoted)
            case Substitution(script, quoted):
                written = self.output_of(script)
                return [(replace(_without_line_ends(field), quoted=quoted),) for field in written]
            case ProcessSubstitution():
                return [(self.channel_of(piece),)]
            case Arithmetic(inner, quoted):
                self.run_within(inner)
                return [(Field(_arithmetic(inner), quoted=quoted),)]
            case ArrayLiteral(words):
                return [tuple(field for word in words for field in self.fields(word)[0])]

    def run_within(self, pieces: Sequence[Piece]) -> bool:
        """Runs the substitutions in arithmetic or a test, and in the variables that it names.

        Returns whether a variable of the line may hold more to run: a subscript is evaluated in its value.
        """
        evaluates = False
        for piece in pieces:
            if isinstance(piece, Text):
                values = [self.state.variables.get(name, ()) for name in _names(piece.value)]
            else:
                values = [way for way in self._piece(piece) if isinstance(piece, Parameter)]
            for value in values:
                evaluates = evaluates or not all(map(_is_inert, value))
                self._run_value(value)
        return evaluates

    def _run_value(self, value: Value) -> Value:
        """Expands the content of a variable once more, as `${name@P}` and arithmetic do."""
        found: list[Value] = []
        for field in value:
            if "$" not in field.text and "`" not in field.text:
                found.append((field,))
                continue
            try:
                pieces = read_quoted(Cursor(field.text, 0, script_end), "")
            except Unfinished:
                found.append(ANYTHING)
                continue
            found.append(self.value(Word(field.text, pieces)))
        return either(*found)

    def _parameter(self, text: str, quoted: bool) -> list[Fields]:
        expression = parse_expression(text)
        if expression is None:
            return [(replace(ANYTHING[0], quoted=quoted),)]
        listed = expression.index if expression.index in ("@", "*") else expression.name
        several = self.state.several(expression.name) if listed in ("@", "*") else None
        if several is not None and not expression.prefix:
            return self._several(several, expression, listed, quoted)
        if expression.operator == ":" or "$" in expression.index or "`" in expression.index:
            self._evaluate_text(f"{expression.index} {expression.operand}")
        value = evaluate(expression, self.state, partial(self._operand, quoted=quoted))
        if expression.operator == "@" and expression.operand == "P":
            value = self._run_value(value)
        return [(replace(field, quoted=quoted),) for field in value]

    def _evaluate_text(self, text: str) -> None:
        """Runs what a subscript or an offset holds."""
        try:
            self.run_within(read_quoted(Cursor(text, 0, script_end), ""))
        except Unfinished:
            return

    def _several(self, fields: Fields, expression: Expression, listed: str, quoted: bool) -> list[Fields]:
        if expression.operator == ":":
            bounds = self._operand(expression.operand, "text")[0].text
            start = natural(bounds.partition(":")[0]) or 0
            fields = fields[max(start - 1, 0) :] if expression.name in ("@", "*") else fields[start:]
        elif expression.operator:
            fields = tuple(field.with_text(UNKNOWN) for field in fields)
        fields = tuple(replace(field, quoted=quoted) for field in fields)
        if quoted and listed == "*":
            return [(replace(laid_together(fields, self.state.separators()[:1]), quoted=True),)]
        return [fields]

    def _operand(self, text: str, role: Role, *, quoted: bool = False) -> Value:
        cursor = Cursor(text, 0, script_end)
        try:
            if role == "default" and quoted:
                return self.value(Word(text, read_default(cursor)))
            word = read_word(cursor, stops=frozenset())
        except Unfinished:
            return ANYTHING
        if role == "pattern":
            return self.value(replace(word, pieces=tuple(map(_as_pattern, word.pieces))))
        return tuple(replace(field, live=False) for field in self.value(word))

    def _tildes(self, pieces: Sequence[Piece]) -> Sequence[Piece]:
        """Where a word is not split, a tilde means a home behind each colon, too."""
        segments: list[list[Piece]] = [[]]
        for piece in pieces:
            plain = isinstance(piece, Text) and not piece.quoted
            first, *rest = piece.value.split(":") if isinstance(piece, Text) and plain else [""]
            segments[-1].append(Text(first) if plain else piece)
            segments.extend([Text(part)] for part in rest)
        expanded = [self._tilde(segment, assigns=False) for segment in segments if segment]
        return [piece for segment in expanded for piece in (Text(":"), *segment)][1:]

    def _tilde(self, pieces: Sequence[Piece], *, assigns: bool = True) -> Sequence[Piece]:
        first = pieces[0] if pieces else None
        if not isinstance(first, Text) or first.quoted or "~" not in first.value:
            return pieces
        before, _, rest = first.value.partition("~")
        if before and not (assigns and before.endswith("=") and is_name(before[:-1])):
            return pieces
        user, slash, path = rest.partition("/")
        if not slash and len(pieces) > 1:
            return pieces
        home = self._home(user)
        return pieces if home is None else (Text(before), *home, Text(slash + path), *pieces[1:])

    def _home(self, user: str) -> tuple[Piece, ...] | None:
        match user:
            case "":
                return (Parameter("HOME", quoted=True),)
            case "+":
                return (Parameter("PWD", quoted=True),)
            case "-":
                return (Parameter("OLDPWD", quoted=True),)
            case "root":
                return (Text("/root", quoted=True),)
            case _:
                parent, _, name = self.state.home.rstrip("/").rpartition("/")
                return (Text(f"{parent}/{user}", quoted=True),) if name and user.isalnum() else None


def _is_inert(field: Field) -> bool:
    """Whether evaluating the text as an expression can run nothing."""
    return field.known and not field.live and "[" not in field.text


def _as_pattern(piece: Piece) -> Piece:
    return Text(escaped(piece.value), quoted=True) if isinstance(piece, Text) and piece.quoted else piece


def is_quoted(word: Word) -> bool:
    """Whether quotes stand in a word, so that it is one word even where it is empty."""
    return any(isinstance(piece, Text) and piece.quoted for piece in word.pieces)


def _divided(field: Field, separators: str) -> Fields:
    """The parts of an unquoted expansion; an empty one at an end stands for a separator there."""
    parts = field.text.translate({ord(separator): "\n" for separator in separators}).split("\n")
    kept = [part for at, part in enumerate(parts) if part or at in (0, len(parts) - 1)]
    return tuple(
        replace(field, text=part, live=field.live or is_live(part))
        for part in (kept if separators else [field.text])
    )


def _cut(fields: Fields) -> Fields:
    """The fields with a cut between each two."""
    cut = [strand for field in fields for strand in (_CUT, field)]
    return tuple(cut[1:]) or EMPTY


def _without_line_ends(field: Field) -> Field:
    return field.with_text(field.text.rstrip("\n"))


def _arithmetic(inner: Sequence[Piece]) -> str:
    if len(inner) == 1 and isinstance(inner[0], Text) and inner[0].value.strip().isdigit():
        return inner[0].value.strip()
    return UNKNOWN


def _names(text: str) -> list[str]:
    """The identifiers in an arithmetic expression."""
    spaced = "".join(character if character.isalnum() or character == "_" else " " for character in text)
    return [name for name in spaced.split() if is_name(name)]
