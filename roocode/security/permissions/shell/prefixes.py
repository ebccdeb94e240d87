"""Takes wrappers off the front of a line: what stands behind them may be a whole line to a hasty reader."""

from __future__ import annotations

from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.flat import assigned
from roocode.security.permissions.shell.reader import read
from roocode.security.permissions.shell.reading import Span
from roocode.security.permissions.shell.values import EMPTY, UNKNOWN, Field
from roocode.security.permissions.shell.wrappers import behind_wrapper

_MOST = 16


def without_wrappers(text: str) -> tuple[str, ...]:
    """The line behind the wrappers that it begins with, with and without the assignments there.

    `sudo cd / && rm -rf *` changes no directory and `nohup f() { …` is not even Bash, but neither is to be
    judged milder than without the first word. Empty for other lines. Raises TooDeep.
    """
    rest, bare = text, text
    for _ in range(_MOST):
        behind = _behind_wrapper(bare)
        if not behind:
            break
        rest, bare = bare[behind[0] :], bare[behind[1] :]
    return tuple(dict.fromkeys(line for line in (rest, bare) if line != text))


def _behind_wrapper(text: str) -> tuple[int, int] | None:
    """Where the words behind a wrapper begin, and where those behind the assignments that stand there."""
    groups = read(text).groups
    parts = groups[0].parts if groups else []
    behind = behind_wrapper(Call((), tuple(_field(part) for part in parts), (), (), ("",), EMPTY))
    if not behind:
        return None
    first = len(parts) - len(behind)
    second = first
    while second + 1 < len(parts) and assigned(parts[second].word):
        second += 1
    return parts[first].start, parts[second].start


def _field(part: Span) -> Field:
    literal = part.word.literal
    return Field(UNKNOWN if literal is None else literal)
