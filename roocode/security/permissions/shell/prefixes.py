"""Takes wrappers off the front of a line: what stands behind them may be a whole line to a hasty reader."""

from __future__ import annotations

from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.reader import read
from roocode.security.permissions.shell.reading import Span
from roocode.security.permissions.shell.values import EMPTY, UNKNOWN, Field
from roocode.security.permissions.shell.wrappers import behind_wrapper

_MOST = 16


def without_wrappers(text: str) -> str:
    """The line behind the wrappers that it begins with, or "" where it begins with none.

    `sudo cd / && rm -rf *` changes no directory and `nohup f() { …` is not even Bash, but neither is to be judged
    milder than without the first word. Raises TooDeep.
    """
    rest = text
    for _ in range(_MOST):
        start = _behind_wrapper(rest)
        if not start:
            break
        rest = rest[start:]
    return rest if rest != text else ""


def _behind_wrapper(text: str) -> int:
    groups = read(text).groups
    parts = groups[0].parts if groups else []
    behind = behind_wrapper(Call((), tuple(_field(part) for part in parts), (), (), ("",), EMPTY))
    return parts[len(parts) - len(behind)].start if behind else 0


def _field(part: Span) -> Field:
    literal = part.word.literal
    return Field(UNKNOWN if literal is None else literal)
