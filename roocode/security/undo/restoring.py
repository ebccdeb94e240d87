"""Carries out the plan of a rewind: through the path sandbox, and only where nothing changed meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from roocode.protocol.errors import HostError, RooCodeError
from roocode.protocol.frozen import frozen
from roocode.security.permissions.places import Place
from roocode.security.sandbox.files import SafeFiles
from roocode.security.undo.states import LINK, PROGRAM, FileState, Plan, Step, Unclear


@frozen
class Restored:
    """What a rewind did: paths as before, paths removed, and those that it left, each with the reason."""

    restored: tuple[str, ...]
    removed: tuple[str, ...]
    kept: Mapping[str, str]


def restore(
    plan: Plan,
    contents: Callable[[FileState], bytes],
    files: SafeFiles,
    now: Callable[[str], FileState | None],
) -> Restored:
    """Removes what was not there, the deepest first, then writes what was.

    A failure is named, and the rest goes on.
    """
    done: dict[str, list[str]] = {"restored": [], "removed": []}
    kept = dict(plan.kept)
    gone = sorted((s for s in plan.steps if s.target is None), key=lambda s: s.path.count("/"), reverse=True)
    back = sorted((s for s in plan.steps if s.target is not None), key=lambda s: s.path)
    for step in (*gone, *back):
        try:
            if now(step.path) != step.expected:
                raise HostError("it was changed since")
            _carry_out(step, contents, files)
        except (RooCodeError, Unclear) as error:
            kept[step.path] = f"left as it is: {getattr(error, 'what', error)}"
        except OSError as error:
            kept[step.path] = f"left as it is: {error.strerror}"
        else:
            done["removed" if step.target is None else "restored"].append(step.path)
    return Restored(tuple(done["restored"]), tuple(done["removed"]), kept)


def _carry_out(step: Step, contents: Callable[[FileState], bytes], files: SafeFiles) -> None:
    where = Place(step.path, os.path.normpath(step.path), "file" if step.expected else "missing")
    if step.target is None:
        files.remove(where)
    elif step.target.mode == LINK:
        files.restore_link(where, contents(step.target))
    else:
        files.restore(where, contents(step.target), executable=step.target.mode == PROGRAM)
