"""Reads here-documents and finds where arithmetic and descriptors end."""

from __future__ import annotations

from roocode.security.permissions.shell.pieces import Cursor, is_name, read_quoted
from roocode.security.permissions.shell.reading import Redirection
from roocode.security.permissions.shell.syntax import Text, Word


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


def behind_descriptor(text: str, at: int) -> int:
    """The place behind the `2` of `2>` or the `{fd}` of `{fd}>`; `at` itself where there is none."""
    end = at
    while end < len(text) and text[end].isascii() and text[end].isdigit():
        end += 1
    if end == at and text.startswith("{", at):
        closing = text.find("}", at, at + 64)
        end = closing + 1 if closing > 0 and is_name(text[at + 1 : closing]) else at
    return end if text[end : end + 1] in ("<", ">") else at


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
