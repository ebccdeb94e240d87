"""Opens a file as text, or says why it is none."""

from __future__ import annotations

import os
from difflib import get_close_matches
from pathlib import Path

from roocode.protocol.errors import ModelError
from roocode.protocol.frozen import frozen
from roocode.security.permissions.places import Place
from roocode.tools import text
from roocode.tools.services import Files

LARGEST = 32 * 1024 * 1024
_NAMES_SHOWN = 3


@frozen
class TextFile:
    """A file's bytes and what they say."""

    place: Place
    data: bytes
    decoded: text.Decoded

    @property
    def path(self) -> Path:
        """The real path."""
        return Path(self.place.real)


def load(files: Files, path: str) -> TextFile:
    """Reads a whole text file. Raises ModelError where there is none, or it is too large or binary."""
    place = files.resolve(path)
    if place.kind == "missing":
        raise ModelError(f"{path} does not exist.{_similar(files, place)}")
    if place.kind == "directory":
        raise ModelError(
            f"{path} is a directory.", f'List it with Glob: {{"path": "{path}", "pattern": "*"}}.'
        )
    size = files.stat(place).st_size
    if size > LARGEST:
        raise ModelError(
            f"{path} has {size:,} bytes; the limit is {LARGEST:,}.",
            "Search it with Grep, or take a part with `sed -n`, `head` or `tail` in Bash.",
        )
    data = files.read(place)
    decoded = text.decode(data)
    if decoded is None:
        kind = text.kind(data) or "binary file"
        raise ModelError(f"{path} is no text: {kind}, {len(data):,} bytes.", "Only text can be shown here.")
    return TextFile(place, data, decoded)


def encode(content: str, encoding: text.Encoding, path: str) -> bytes:
    """The bytes to be written. Raises ModelError where they could not be read back as the same text."""
    try:
        content.encode()
        return text.encode(content, encoding)
    except UnicodeEncodeError as error:
        character = error.object[error.start]
        line = error.object.count("\n", 0, error.start) + 1
        raise ModelError(
            f"{path} is {encoding}, which has no character {character!a} (line {line} of the new text). "
            "Nothing was written.",
            "Leave that character out, or convert the file first.",
        ) from error


def _similar(files: Files, place: Place) -> str:
    """Names beside a missing file that are like its name, as a question."""
    folder, name = os.path.split(place.real)
    try:
        names = [there for there in os.listdir(folder) if not files.is_hidden(os.path.join(folder, there))]
    except OSError:
        return f" Nor does its directory, {os.path.dirname(place.spelled)}."
    by_lower = {there.lower(): there for there in names}
    close = get_close_matches(name.lower(), by_lower, n=_NAMES_SHOWN)
    return f" Did you mean {' or '.join(by_lower[there] for there in close)}?" if close else ""
