"""What the file tools overwrite, kept beside the session: for what lies outside of git's sight."""

from __future__ import annotations

from pathlib import Path

from roocode.protocol.errors import HostError
from roocode.security.isolation.private_paths import make_private
from roocode.security.sandbox.replacing import replace_path
from roocode.security.undo.states import FileState, blob_id, checked, read


class Preimages:
    """A directory of contents, each named by its id; files 0600, directories that are made 0700."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, path: str) -> FileState | None:
        """Stores what a path holds; None where there is no file. Raises Unclear, or HostError."""
        found = read(path)
        if found is None:
            return None
        mode, content = found
        state = FileState(mode, blob_id(content))
        target = self._folder / state.blob
        try:
            if not target.exists():
                make_private(self._folder)
                replace_path(target, content, mode=0o600)
        except OSError as error:
            raise HostError(f"cannot write {target}: {error.strerror}") from error
        return state

    def content(self, state: FileState) -> bytes | None:
        """A kept content, None where it is not here. Raises HostError where it is damaged."""
        try:
            return checked((self._folder / state.blob).read_bytes(), state)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise HostError(f"cannot read {self._folder / state.blob}: {error.strerror}") from error
