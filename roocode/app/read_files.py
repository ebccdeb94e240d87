"""What an agent has read outlives its run: kept in the log, and compared with the files when it goes on."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from roocode.memory.sessions.conversation import Conversation
from roocode.protocol.errors import HostError, RooCodeError
from roocode.protocol.frozen import frozen
from roocode.security.sandbox.files import SafeFiles
from roocode.tools.seen import Seen, from_json, to_json
from roocode.tools.textfile import LARGEST

NAMED: Final = 20
"""Files that are named; of more only the number is told."""
FOR_THE_MODEL: Final = (
    "This session was interrupted and goes on now. {files} Read such a file again before you edit it or rely "
    "on what it said."
)


@frozen
class Since:
    """Files that were read and are not what they were: other bytes, or gone."""

    changed: tuple[Path, ...] = ()
    gone: tuple[Path, ...] = ()

    def text(self, root: Path) -> str:
        """Both kinds in words; empty where nothing differs."""
        said = (
            f"Changed since the agent read them: {_names(self.changed, root)}." if self.changed else "",
            f"Gone since the agent read them: {_names(self.gone, root)}." if self.gone else "",
        )
        return " ".join(filter(None, said))

    def reminder(self, root: Path) -> str:
        """The same for the model."""
        said = self.text(root).replace("the agent", "you")
        return FOR_THE_MODEL.format(files=said) if said else ""


def keep(seen: Seen, conversation: Conversation) -> None:
    """What the log holds is known again, and what is seen goes into it from here on."""
    seen.sights = from_json(conversation.seen)
    seen.changed = lambda path, sight: conversation.saw(str(path), to_json(sight))


def differing(seen: Seen, files: SafeFiles) -> Since:
    """Compares what was seen with the files as they are. One that may not be read any more is forgotten."""
    changed, gone = [], []
    for path in sorted(seen.sights):
        try:
            kind = files.resolve(str(path)).kind
            if kind == "missing":
                gone.append(path)
            elif kind != "file" or not _is_as_seen(path, seen, files):
                changed.append(path)
        except (HostError, OSError):
            changed.append(path)
        except (RooCodeError, ValueError):
            del seen.sights[path]
    return Since(tuple(changed), tuple(gone))


def _is_as_seen(path: Path, seen: Seen, files: SafeFiles) -> bool:
    place = files.resolve(str(path))
    if Path(place.real) != path or files.stat(place).st_size > LARGEST:
        return False
    return seen.state(path, files.read(place)) != "changed"


def _names(paths: Iterable[Path], root: Path) -> str:
    names = [str(path.relative_to(root) if path.is_relative_to(root) else path) for path in paths]
    shown = [name if name.isprintable() else ascii(name) for name in names[:NAMED]]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(shown)}{more}"
