"""Reads one word: where it ends, and the pieces it is made of."""

from __future__ import annotations

from roocode.security.permissions.shell.cursor import (
    METACHARACTERS,
    Collector,
    Cursor,
    Unfinished,
    in_name,
    is_name,
)
from roocode.security.permissions.shell.quoting import ansi_c
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

_ENDS_RUN = frozenset("\\'\"$`?*+@!()<>")
_ENDS_QUOTED = frozenset('$`\\"')
_SPECIAL_NAMES = frozenset("@*#?-$!0123456789")
_EXTENDED_GLOB = frozenset("?*+@!")


def read_word(cursor: Cursor, *, negates: bool = False, stops: frozenset[str] = METACHARACTERS) -> Word:
    """Reads the word that begins at the cursor and leaves the cursor behind it.

    `negates`: a lone `!` before `(` is a negation here, not a pattern. Raises Unfinished or TooDeep.
    """
    start = cursor.at
    found = Collector()
    while cursor.here:
        if cursor.here in "<>" and cursor.text.startswith("(", cursor.at + 1) and cursor.here in stops:
            found.pieces.append(_process_substitution(cursor))
        elif cursor.here == "(" and _opens_array(found.pieces):
            found.pieces.append(_array(cursor))
        elif cursor.here == "(" and _opens_pattern(cursor, start, negates):
            _pattern(cursor, found)
        elif cursor.here in stops:
            break
        else:
            _unquoted(cursor, found, stops)
    return Word(cursor.text[start : cursor.at], tuple(found.pieces))


def read_quoted(cursor: Cursor, closing: str) -> tuple[Piece, ...]:
    """Reads as between double quotes, up to `closing` (or, where it is empty, up to the end)."""
    found = Collector()
    while cursor.here:
        if closing and cursor.here == closing:
            cursor.at += 1
            return tuple(found.pieces)
        if cursor.here == "\\":
            _quoted_escape(cursor, found, closing)
        elif not _expansion(cursor, found, quoted=True):
            found.text(_run(cursor, _ENDS_QUOTED), quoted=True)
    if closing:
        raise Unfinished("a double quote is not closed")
    return tuple(found.pieces)


def read_default(cursor: Cursor) -> tuple[Piece, ...]:
    r"""Reads the default in `"${name:-default}"`: as between double quotes, but that such quotes vanish.

    What `$'…'` stands for is expanded once more there: `"${u:-$'\x24(id)'}"` runs id (Bash 5.2).
    """
    found = Collector()
    while cursor.here:
        if cursor.here == '"':
            cursor.at += 1
        elif cursor.here == "\\":
            _quoted_escape(cursor, found, '"}')
        elif cursor.sees("$'"):
            text = _ansi_c(cursor)
            found.pieces.extend(read_default(Cursor(text, 0, cursor.script_end, cursor.depth + 1)))
        elif not _expansion(cursor, found, quoted=True):
            found.text(_run(cursor, _ENDS_QUOTED), quoted=True)
    return tuple(found.pieces)


def _unquoted(cursor: Cursor, found: Collector, stops: frozenset[str] = METACHARACTERS) -> None:
    here = cursor.here
    if here == "\\":
        escaped = cursor.text[cursor.at + 1 : cursor.at + 2]
        if escaped != "\n":
            found.text(escaped or "\\", quoted=True)
        cursor.at += 2
    elif here == "'":
        found.text(_single_quoted(cursor), quoted=True)
    elif here == '"':
        cursor.at += 1
        _double_quoted(cursor, found)
    elif not _expansion(cursor, found, quoted=False):
        found.text(_run(cursor, _ENDS_RUN | stops), quoted=False)


def _double_quoted(cursor: Cursor, found: Collector) -> None:
    """Quotes make a word even of nothing, but for those around `$@`, which is no word where it is empty."""
    pieces = read_quoted(cursor, '"')
    if not pieces or not all(isinstance(piece, Parameter) and _is_list(piece) for piece in pieces):
        found.text("", quoted=True)
    found.pieces.extend(pieces)


def _is_list(parameter: Parameter) -> bool:
    return parameter.expression == "@" or parameter.expression.endswith("[@]")


def _run(cursor: Cursor, stops: frozenset[str]) -> str:
    text, start = cursor.text, cursor.at
    end = start + 1
    while end < len(text) and text[end] not in stops:
        end += 1
    cursor.at = end
    return text[start:end]


def _single_quoted(cursor: Cursor) -> str:
    end = cursor.text.find("'", cursor.at + 1)
    if end < 0:
        raise Unfinished("a single quote is not closed")
    value = cursor.text[cursor.at + 1 : end]
    cursor.at = end + 1
    return value


def _quoted_escape(cursor: Cursor, found: Collector, closing: str) -> None:
    escaped = cursor.text[cursor.at + 1 : cursor.at + 2]
    cursor.at += 2
    if escaped == "\n":
        return
    taken = "$`\\" + closing
    found.text(escaped if escaped and escaped in taken else "\\" + escaped, quoted=True)


def _expansion(cursor: Cursor, found: Collector, *, quoted: bool) -> bool:
    """Reads an expansion if one begins here."""
    if cursor.here == "`":
        found.pieces.append(Substitution(_backticks(cursor, quoted), quoted))
        return True
    if cursor.here != "$":
        return False
    if cursor.sees("$'") and not quoted:
        found.text(_ansi_c(cursor), quoted=True)
    elif cursor.sees('$"') and not quoted:
        cursor.at += 2
        found.pieces.extend((Text("", quoted=True), *read_quoted(cursor, '"')))
    elif cursor.sees("$((") and (end := _arithmetic_end(cursor)):
        found.pieces.append(Arithmetic(_inner(cursor, cursor.at + 3, end), quoted))
        cursor.at = end + 2
    elif cursor.sees("$["):
        end = _closing(cursor.text, cursor.at + 2, "[", "]")
        found.pieces.append(Arithmetic(_inner(cursor, cursor.at + 2, end), quoted))
        cursor.at = end + 1
    elif cursor.sees("$("):
        found.pieces.append(Substitution(_script(cursor, cursor.at + 2), quoted))
    elif cursor.sees("${"):
        found.pieces.append(_braced(cursor, quoted))
    else:
        return _plain_parameter(cursor, found, quoted)
    return True


def _plain_parameter(cursor: Cursor, found: Collector, quoted: bool) -> bool:
    end = cursor.at + 1
    first = cursor.text[end : end + 1]
    if first and first in _SPECIAL_NAMES:
        end += 1
    else:
        while end < len(cursor.text) and in_name(cursor.text[end]):
            end += 1
    if end == cursor.at + 1:
        return False
    name = cursor.text[cursor.at + 1 : end]
    found.pieces.append(Parameter(name, quoted, bare=not quoted and is_name(name)))
    cursor.at = end
    return True


def _ansi_c(cursor: Cursor) -> str:
    end = cursor.at + 2
    while end < len(cursor.text) and cursor.text[end] != "'":
        end += 2 if cursor.text[end] == "\\" else 1
    if end >= len(cursor.text):
        raise Unfinished("a $' quote is not closed")
    value = ansi_c(cursor.text[cursor.at + 2 : end])
    cursor.at = end + 1
    return value


def _backticks(cursor: Cursor, quoted: bool) -> str:
    taken = '`\\$"' if quoted else "`\\$"
    script: list[str] = []
    at = cursor.at + 1
    while at < len(cursor.text) and cursor.text[at] != "`":
        if cursor.text[at] == "\\" and cursor.text[at + 1 : at + 2] in taken:
            at += 1
        script.append(cursor.text[at : at + 1])
        at += 1
    if at >= len(cursor.text):
        raise Unfinished("a backtick is not closed")
    cursor.at = at + 1
    return "".join(script)


def _script(cursor: Cursor, start: int) -> str:
    end = cursor.script_end(cursor.text, start, cursor.depth + 1)
    cursor.at = end + 1
    return cursor.text[start:end]


def _process_substitution(cursor: Cursor) -> ProcessSubstitution:
    reads = cursor.here == "<"
    return ProcessSubstitution(_script(cursor, cursor.at + 2), reads)


def _inner(cursor: Cursor, start: int, end: int) -> tuple[Piece, ...]:
    return read_quoted(Cursor(cursor.text[start:end], 0, cursor.script_end, cursor.depth + 1), "")


def _arithmetic_end(cursor: Cursor) -> int:
    """The place of the `))` that ends `$((`, or 0 where a subshell begins there instead."""
    try:
        end = _closing(cursor.text, cursor.at + 3, "(", ")")
    except Unfinished:
        return 0
    return end if cursor.text.startswith("))", end) else 0


def _closing(text: str, at: int, opening: str, closing: str) -> int:
    depth = 0
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == opening:
            depth += 1
        elif text[at] == closing:
            if not depth:
                return at
            depth -= 1
        at += 1
    raise Unfinished(f"a {opening} is not closed")


def _braced(cursor: Cursor, quoted: bool) -> Piece:
    """`${…}`; with a blank or `|` behind the brace it is a script (Bash 5.3)."""
    start = cursor.at + 2
    end = _brace_end(cursor.inside(start), quoted)
    cursor.at = end + 1
    body = cursor.text[start:end]
    if body[:1] in (" ", "\t", "\n", "|"):
        return Substitution(body.lstrip("|"), quoted)
    return Parameter(body, quoted)


def _brace_end(cursor: Cursor, quoted: bool) -> int:
    """The place of the `}`. Single quotes hide one even between double quotes, where they are kept."""
    while cursor.here:
        here = cursor.here
        if here == "}":
            return cursor.at
        if here == "\\":
            cursor.at += 2
        elif here == "'":
            _single_quoted(cursor)
        elif here == '"':
            cursor.at += 1
            read_quoted(cursor, '"')
        elif not _expansion(cursor, Collector(), quoted=quoted):
            cursor.at += 1
    raise Unfinished("a ${ is not closed")


def _opens_array(pieces: list[Piece]) -> bool:
    if len(pieces) != 1 or not isinstance(pieces[0], Text) or pieces[0].quoted:
        return False
    name = pieces[0].value.removesuffix("=").removesuffix("+")
    return pieces[0].value.endswith("=") and is_name(name)


def _array(cursor: Cursor) -> ArrayLiteral:
    words: list[Word] = []
    inner = cursor.inside(cursor.at + 1)
    while inner.here:
        if inner.here == ")":
            cursor.at = inner.at + 1
            return ArrayLiteral(tuple(words))
        if inner.here in " \t\n":
            inner.at += 1
        elif inner.here == "#":
            end = inner.text.find("\n", inner.at)
            inner.at = end if end >= 0 else len(inner.text)
        elif inner.here in METACHARACTERS and not inner.sees("<(") and not inner.sees(">("):
            raise Unfinished("an array is not closed")
        else:
            words.append(read_word(inner))
    raise Unfinished("an array is not closed")


def _opens_pattern(cursor: Cursor, start: int, negates: bool) -> bool:
    before = cursor.text[cursor.at - 1 : cursor.at] if cursor.at > start else ""
    if not before or before not in _EXTENDED_GLOB:
        return False
    return not (negates and cursor.at == start + 1 and before == "!")


def _pattern(cursor: Cursor, found: Collector) -> None:
    inner = cursor.inside(cursor.at + 1)
    found.text("(", quoted=False)
    while inner.here and inner.here != ")":
        if inner.here == "(":
            _pattern(inner, found)
        elif inner.here in METACHARACTERS:
            found.text(inner.here, quoted=False)
            inner.at += 1
        else:
            _unquoted(inner, found)
    if not inner.here:
        raise Unfinished("a pattern is not closed")
    found.text(")", quoted=False)
    cursor.at = inner.at + 1
