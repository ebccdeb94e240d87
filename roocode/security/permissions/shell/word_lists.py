"""Programs that code in another language starts by a list of words, without a shell."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from roocode.security.permissions.shell.code_tokens import Token
from roocode.security.permissions.shell.programs import base_name, is_interpreter, is_shell


def is_list_of_words(arguments: Sequence[Token]) -> bool:
    """Whether a program is named by the first of a list of words: `(["git", "log", path])`."""
    start = [(token.kind, token.text) for token in arguments[:2]]
    return start == [("mark", "("), ("mark", "[")] and [each.kind for each in arguments[2:3]] == ["string"]


def names_no_shell(arguments: Sequence[Token]) -> bool:
    """Whether what is started is no shell or interpreter, to which a later text may be a script."""
    texts = [token.text for token in arguments]
    return "shell" not in texts and not any(
        is_shell(base_name(text)) or is_interpreter(text) for text in texts
    )


def started(own: Sequence[str], others: Sequence[str]) -> list[str]:
    """The line that a list of words stands for, alone and with each other text of the code as a last word."""
    lines = [shlex.join(own)]
    for text in dict.fromkeys(others):
        lines += [shlex.join([*own, text]), shlex.join([*own[:-1], own[-1] + text])]
    return lines
