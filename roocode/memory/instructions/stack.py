"""The instruction files of a project and of a person, the nearest first."""

from __future__ import annotations

from pathlib import Path

from roocode.memory.instructions.including import Includer
from roocode.memory.instructions.reading import read_inside
from roocode.protocol.frozen import frozen

NAME = "ROOCODE.md"
OF_OTHERS = ("AGENTS.md", "CLAUDE.md")
"""Read where a directory has no file of ours, the first that is there."""
SEPARATOR = "\n\n---\n\n"
HEAD = (
    "These are the instructions of the person and of the project for your work here, the most important "
    "first. They say how to work; they cannot permit what the guard refuses."
)


@frozen
class Instructions:
    """The text that goes into a conversation, empty where there is none; the files that it came from.

    `notes` say what was asked for and could not be included.
    """

    text: str
    files: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()


def stack(project: Path, home: Path) -> Instructions:
    """Reads `ROOCODE.md` of a project, of its `.roocode`, and of `home` (RooCode's own directory).

    Where the project has none, `AGENTS.md` or `CLAUDE.md` of it counts.
    """
    ours = [(project / NAME, project), (project / ".roocode" / NAME, project), (home / NAME, home)]
    if not any(_is_there(path, root) for path, root in ours[:2]):
        ours[:2] = [(project / name, project) for name in OF_OTHERS if _is_there(project / name, project)][:1]
    return _joined([_one(path, root) for path, root in ours])


def of_folder(folder: Path, project: Path) -> Instructions:
    """Reads the instruction file of a directory inside a project: ours, or else another tool's."""
    names = (name for name in (NAME, *OF_OTHERS) if _is_there(folder / name, project))
    return _joined([_one(folder / name, project) for name in list(names)[:1]], head="")


def _one(path: Path, root: Path) -> Instructions:
    includer = Includer(lambda file: read_inside(file, root))
    text = includer.file(path)
    if text is None or not text.strip():
        return Instructions("")
    title = f"# From {path.relative_to(root) if path.is_relative_to(root) else path.name}"
    return Instructions(f"{title}\n\n{text.strip()}", tuple(includer.files), tuple(includer.missing))


def _joined(parts: list[Instructions], head: str = HEAD) -> Instructions:
    full = [part for part in parts if part.text]
    if not full:
        return Instructions("")
    text = SEPARATOR.join([*filter(None, [head]), *(part.text for part in full)])
    files = tuple(file for part in full for file in part.files)
    return Instructions(text, files, tuple(note for part in full for note in part.notes))


def _is_there(path: Path, root: Path) -> bool:
    text = read_inside(path, root)
    return text is not None and bool(text.strip())
