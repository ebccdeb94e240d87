"""`/rewind`: the turns as a person tells them apart, and what a rewind did, in words."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from roocode.app.undoing import Rewound, Undo
from roocode.interaction.ui.safe_text import visible, well_formed
from roocode.memory.sessions.turns import Turn
from roocode.protocol.brevity import shortened
from roocode.protocol.commands import RewindPart

WIDTH = 60
MOST = 20
"""Files that are named; the rest is counted."""


def turns_text(undo: Undo, unclear: str = "") -> str:
    """The turns that can be gone back to, the newest last; first, that nobody can read what was asked."""
    if unclear:
        expected = "expected a number, and code, conversation or both"
        return f"/rewind {visible(unclear)}: {expected}\n{turns_text(undo)}"
    shown = undo.turns.shown
    if not shown:
        return "There is no prompt to go back to yet."
    head = "Go back to before one of these: /rewind N, or /rewind N code, or /rewind N conversation"
    return "\n".join([head, *(_line(turn, undo.unfinished) for turn in shown)])


def rewound_text(rewound: Rewound, part: RewindPart, root: Path) -> str:
    """What was done, what was left and why, and how to take it back."""
    return "\n".join(_told(rewound, part, root))


def _told(rewound: Rewound, part: RewindPart, root: Path) -> Iterator[str]:
    if part != "code":
        yield "The conversation is back at that prompt."
    if part != "conversation":
        if not (rewound.restored or rewound.removed or rewound.kept or rewound.notes):
            yield "No file had to be changed."
        yield from _named("As before again", rewound.restored, root)
        yield from _named("Removed, since the agent made them", rewound.removed, root)
        yield from (f"{_shown(path, root)} is {why}" for path, why in rewound.kept.items())
        yield from (visible(well_formed(note)) for note in rewound.notes)
    yield f"/rewind {rewound.number} takes this back."


def _named(what: str, paths: Sequence[str], root: Path) -> Iterator[str]:
    if paths:
        rest = f" and {len(paths) - MOST} more" if len(paths) > MOST else ""
        yield f"{what}: {', '.join(_shown(path, root) for path in paths[:MOST])}{rest}"


def _shown(path: str, root: Path) -> str:
    inside = path.startswith(f"{root}/")
    return visible(well_formed(os.path.relpath(path, root) if inside else path)).replace("\n", "\\n")


def _line(turn: Turn, unfinished: int) -> str:
    words = shortened(turn.words, WIDTH)
    files = "" if turn.number == unfinished else _files(turn)
    return f"{turn.number:>4}  {visible(well_formed(words)):<{WIDTH}}  {files}".rstrip()


def _files(turn: Turn) -> str:
    if turn.before is None:
        return ""
    if turn.before.get("fault") or turn.after is None or turn.after.get("fault"):
        return "files not kept"
    count = turn.after.get("count", 0)
    return f"{count} file{'' if count == 1 else 's'}" if count else ""
