"""Takes quotes away as Bash does: `$'…'` escapes and the backslash inside double quotes."""

from __future__ import annotations

_SINGLE = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_LENGTHS = {"x": 2, "u": 4, "U": 8}
_OCTAL = "01234567"
_HEXADECIMAL = "0123456789abcdefABCDEF"


def ansi_c(body: str) -> str:
    r"""What `$'body'` stands for (Bash manual 3.1.2.4). A NUL escape ends the text, as it does in Bash."""
    return escapes(body).partition("\0")[0]


def escapes(body: str, *, leading_zero: bool = False) -> str:
    r"""Replaces backslash escapes. `leading_zero` takes `\0nnn` as `echo -e` and `%b` do."""
    out = bytearray()
    at = 0
    while at < len(body):
        if body[at] != "\\" or at + 1 == len(body):
            out += _encoded(body[at])
            at += 1
            continue
        piece, at = _escape(body, at + 1, leading_zero)
        out += piece
    return out.decode("utf-8", "replace")


def _escape(body: str, at: int, leading_zero: bool) -> tuple[bytes, int]:
    mark = body[at]
    if mark in _SINGLE:
        return _encoded(_SINGLE[mark]), at + 1
    if mark in _OCTAL:
        most = 4 if leading_zero and mark == "0" else 3
        digits = _digits(body, at, most, _OCTAL)
        return bytes([int(digits, 8) & 0xFF]), at + len(digits)
    if mark in _LENGTHS:
        digits = _digits(body, at + 1, _LENGTHS[mark], _HEXADECIMAL)
        if not digits:
            return _encoded("\\" + mark), at + 1
        value = int(digits, 16)
        shown = bytes([value]) if mark == "x" else _encoded(chr(value) if value < 0x110000 else "\ufffd")
        return shown, at + 1 + len(digits)
    if mark == "c" and at + 1 < len(body):
        return bytes([ord(body[at + 1].upper()) & 0x1F]), at + 2
    return _encoded("\\" + mark), at + 1


def _digits(body: str, at: int, most: int, allowed: str) -> str:
    end = at
    while end < len(body) and end - at < most and body[end] in allowed:
        end += 1
    return body[at:end]


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
