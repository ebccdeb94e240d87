"""A place where a text breaks the syntax of its language."""

from __future__ import annotations

from roocode.protocol.frozen import frozen


@frozen
class Fault:
    """Lines `line` to `end`, counted from 1, and what is wrong there; `says` may be empty.

    `doubt` names what tells for sure, where the grammar often errs.
    """

    line: int
    end: int
    says: str = ""
    doubt: str = ""


def fault(line: int, says: str) -> Fault:
    """A fault of one line."""
    return Fault(line, line, says)
