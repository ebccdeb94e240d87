"""Reads redirections and here-documents, and finds where arithmetic ends."""

from __future__ import annotations

from roocode.security.permissions.shell.cursor import Cursor
from roocode.security.permissions.shell.pieces import read_quoted, read_word
from roocode.security.permissions.shell.reading import Redirection, Span
from roocode.security.permissions.shell.syntax import Text, Word
from roocode.security.permissions.shell.tokens import behind_descriptor, operator_at, skip_blanks


def read_body(cursor: Cursor, document: Redirection) -> tuple[Word, bool]:
    """Reads the lines of a here-document at the cursor, and whether a line ended it.

    Bash takes the end of the text for that line too, with a warning.
    """
    delimiter = "".join(piece.value for piece in document.target.word.pieces if isinstance(piece, Text))
    quoted = delimiter != document.target.word.source
    lines: list[str] = []
    ended = False
    while cursor.at < len(cursor.text) and not ended:
        line = _line(cursor, joins=not quoted)
        line = line.lstrip("\t") if document.operator == "<<-" else line
        ended = line == delimiter
        lines.append(line + "\n")
    body = "".join(lines[:-1] if ended else lines)
    if quoted:
        return Word(body, (Text(body, quoted=True),)), ended
    return Word(body, read_quoted(Cursor(body, 0, cursor.script_end, cursor.depth + 1), "")), ended


def read_redirection(cursor: Cursor) -> Redirection | None:
    """Reads a redirection with its target; None where none follows the operator."""
    start = cursor.at
    at = cursor.at = behind_descriptor(cursor.text, start)
    operator = operator_at(cursor)
    cursor.at += len(operator)
    skip_blanks(cursor)
    while cursor.sees("\\\n"):
        cursor.at += 2
        skip_blanks(cursor)
    target_start = cursor.at
    target = read_word(cursor)
    if not target.source:
        return None
    span = Span(target_start, cursor.at, target)
    return Redirection(start, cursor.at, operator, cursor.text[start:at], span)


def arithmetic_end(text: str, at: int) -> int:
    """The place of the `))` that ends `((`, or -1 where two subshells begin there instead."""
    depth = 0
    for end in range(at, len(text)):
        if text[end] == "(":
            depth += 1
        elif text[end] == ")":
            if not depth:
                return end if text.startswith("))", end) else -1
            depth -= 1
    return -1


def _line(cursor: Cursor, *, joins: bool) -> str:
    """The next line without its end; with `joins`, a backslash at its end takes the next one in."""
    parts: list[str] = []
    while True:
        start = cursor.at
        end = cursor.text.find("\n", start)
        if end < 0:
            cursor.at = len(cursor.text)
            return "".join((*parts, cursor.text[start:]))
        cursor.at = end + 1
        if not (joins and _continues(cursor.text, start, end)):
            return "".join((*parts, cursor.text[start:end]))
        parts.append(cursor.text[start : end - 1])


def _continues(text: str, start: int, end: int) -> bool:
    backslashes = 0
    while end - 1 - backslashes >= start and text[end - 1 - backslashes] == "\\":
        backslashes += 1
    return backslashes % 2 == 1
