"""Cuts code of other languages into names, strings and marks; comments are left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from roocode.protocol.frozen import frozen

Kind = Literal["name", "string", "command", "mark"]


@frozen
class Token:
    """A name, a string without its quotes, a string in backticks, or one other character."""

    kind: Kind
    text: str


def code_tokens(code: str, backticks_run: bool) -> list[Token]:
    """The tokens of a piece of code; text in backticks is a command or, where it does not run, a string."""
    tokens: list[Token] = []
    at = 0
    while at < len(code):
        character = code[at]
        if character in "'\"`":
            token, at = _string(code, at, backticks_run)
            tokens.append(token)
        elif character.isalpha() or character == "_":
            end = at
            while end < len(code) and (code[end].isalnum() or code[end] == "_"):
                end += 1
            word = code[at:end]
            at = end
            if word in ("qx", "q", "qq", "x", "w") and _delimits(code, at, word, tokens):
                token, at = _delimited(code, at, word)
                tokens.append(token)
            else:
                tokens.append(Token("name", word))
        elif character == "#" and (at == 0 or code[at - 1] in " \t\n;"):
            end = code.find("\n", at)
            at = end if end >= 0 else len(code)
        else:
            if character not in " \t\r":
                tokens.append(Token("mark", character))
            at += 1
    return tokens


def _string(code: str, at: int, backticks_run: bool) -> tuple[Token, int]:
    quote = code[at]
    mark = quote * 3 if code.startswith(quote * 3, at) and quote != "`" else quote
    end = at + len(mark)
    while end < len(code) and not code.startswith(mark, end):
        end += 2 if code[end] == "\\" else 1
    body = code[at + len(mark) : end].replace("\\" + quote, quote).replace("\\n", "\n")
    return Token("command" if quote == "`" and backticks_run else "string", body), end + len(mark)


def _delimits(code: str, at: int, word: str, tokens: Sequence[Token]) -> bool:
    percent = bool(tokens) and tokens[-1] == Token("mark", "%")
    if word in ("x", "w"):
        return percent and code[at : at + 1] in tuple("{[(|!/")
    return code[at : at + 1] in tuple("{[(|!/")


def _delimited(code: str, at: int, word: str) -> tuple[Token, int]:
    closing = {"{": "}", "[": "]", "(": ")"}.get(code[at], code[at])
    end = code.find(closing, at + 1)
    end = end if end >= 0 else len(code)
    return Token("command" if word in ("qx", "x") else "string", code[at + 1 : end]), end + 1
