"""Operators, reserved words and redirections, told apart at a place in a line."""

from __future__ import annotations

from roocode.security.permissions.shell.cursor import Cursor, is_name
from roocode.security.permissions.shell.pieces import read_word

KEYWORDS = frozenset(
    ["if", "then", "else", "elif", "do", "while", "until", "{", "!", "fi", "done", "esac", "}"]
)
BETWEEN_CASES = frozenset({";;", ";&", ";;&"})
SHOWN_AS = {"<<": "<", "<<-": "<", "<<<": "<", "<>": ">"}
"""Redirections that the grammar misreads, with what it is shown instead."""

_OPERATORS = (
    ";;&", "&>>", "<<<", "<<-", "&&", "||", "|&", ";;", ";&", "&>", "<<", ">>", "<&", ">&", ">|", "<>",
    "\n", ";", "&", "|", "(", ")", "<", ">",
)  # fmt: skip
_BY_FIRST = {first: [each for each in _OPERATORS if each[0] == first] for first in "\n;&|()<>"}
_REDIRECTS = frozenset({"<", ">", ">>", ">|", "<>", "<&", ">&", "&>", "&>>", "<<", "<<-", "<<<"})
_COMPOUND = frozenset({"{", "(", "if", "while", "until", "for", "case", "select", "[[", "(("})


def operator_at(cursor: Cursor) -> str:
    """The operator that comes next, or ""."""
    return next((operator for operator in _BY_FIRST.get(cursor.here, ()) if cursor.sees(operator)), "")


def at_process_substitution(cursor: Cursor) -> bool:
    """Whether `<(` or `>(` comes next."""
    return cursor.sees("<(") or cursor.sees(">(")


def at_redirection(cursor: Cursor) -> bool:
    """Whether a redirection comes next, with or without a descriptor in front of it."""
    if behind_descriptor(cursor.text, cursor.at) > cursor.at:
        return True
    return operator_at(cursor) in _REDIRECTS and not at_process_substitution(cursor)


def behind_descriptor(text: str, at: int) -> int:
    """The place behind the `2` of `2>` or the `{fd}` of `{fd}>`; `at` itself where there is none."""
    end = at
    while end < len(text) and text[end].isascii() and text[end].isdigit():
        end += 1
    if end == at and text.startswith("{", at):
        closing = text.find("}", at, at + 64)
        end = closing + 1 if closing > 0 and is_name(text[at + 1 : closing]) else at
    return end if text[end : end + 1] in ("<", ">") else at


def skip_blanks(cursor: Cursor, blanks: str = " \t") -> None:
    """Leaves the cursor at the next character that is none of these."""
    while cursor.here and cursor.here in blanks:
        cursor.at += 1


def behind_prefix(keyword: str, cursor: Cursor) -> int:
    """Where the command of `time` or `coproc` begins: behind an option or the coprocess's name."""
    skip_blanks(cursor)
    start = cursor.at
    source = read_word(cursor).source if cursor.here else ""
    if keyword == "time":
        return cursor.at if source in ("-p", "--") else start
    end = cursor.at
    skip_blanks(cursor, " \t\n")
    compound = cursor.here == "(" or (bool(cursor.here) and read_word(cursor).source in _COMPOUND)
    return end if compound and is_name(source) and source not in _COMPOUND else start
