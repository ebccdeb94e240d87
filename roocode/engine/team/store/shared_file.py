"""A JSON file that many processes read and change: never half a file, never a lost change."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

from filelock import FileLock, Timeout

from roocode.engine.team.codec import Malformed
from roocode.engine.team.durable import sync_directory, write_synced
from roocode.protocol.errors import HostError

SCHEMA = 1
LOCK_TIMEOUT_S = 10.0
LOCK_POLL_S = 0.005

T = TypeVar("T")
A = TypeVar("A")


class SharedFile(Generic[T]):
    """One file with a value of type T; its `schema` number is written and checked here.

    Readers take no lock. A missing file reads as `empty`, or is an error where that is None. A broken file
    and one of a newer schema are errors, and stay as they are.
    """

    def __init__(
        self,
        path: Path,
        parse: Callable[[Mapping[str, Any]], T],
        dump: Callable[[T], Mapping[str, Any]],
        empty: T | None = None,
    ) -> None:
        self.path = path
        self._parse = parse
        self._dump = dump
        self._empty = empty

    def read(self) -> T:
        """The value as last written. Raises HostError."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError as error:
            if self._empty is not None:
                return self._empty
            raise HostError(
                f"{self.path} is missing", "The team was cleaned up, or never created."
            ) from error
        except OSError as error:
            raise HostError(f"cannot read {self.path}: {error.strerror}") from error
        return self._understand(content)

    def change(self, change: Callable[[T], tuple[T, A]]) -> A:
        """Replaces the value by what the pure `change` makes of it, under the lock; gives its answer.

        What `change` raises passes through, and nothing is written. Raises HostError.
        """
        with locked(self.path):
            before = self.read()
            after, answer = change(before)
            if after is not before:
                replace_file(self.path, self._text(after))
        return answer

    def create(self, value: T) -> bool:
        """Writes the first value; False, and nothing is written, where there is one already."""
        with locked(self.path):
            if self.path.exists():
                return False
            replace_file(self.path, self._text(value))
        return True

    def write(self, value: T) -> None:
        """Replaces the value, whatever it was."""
        with locked(self.path):
            replace_file(self.path, self._text(value))

    def _text(self, value: T) -> str:
        return one_item_a_line({"schema": SCHEMA, **self._dump(value)})

    def _understand(self, content: bytes) -> T:
        mend = "Repair the file by hand or put a good copy in its place; it was left as it is."
        try:
            data = json.loads(content)
            if not isinstance(data, dict):
                raise Malformed("expected an object")
            schema = data.get("schema", SCHEMA)
            if not isinstance(schema, int):
                raise Malformed("schema: expected a number")
            if schema > SCHEMA:
                raise HostError(
                    f"{self.path} was written by a newer RooCode (schema {schema}, this one knows {SCHEMA})",
                    "Use that version of RooCode for this team.",
                )
            return self._parse(data)
        except (ValueError, RecursionError) as error:
            raise HostError(f"{self.path} is broken: {error}", mend) from error


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds the lock of a shared file: a kernel lock on `<file>.lock`, which stays. Raises HostError.

    The poll interval is TEAM.md's: filelock's own of 50 ms gives waits over a second at 16 processes.
    """
    if not path.parent.is_dir():
        raise HostError(f"{path.parent} is missing", "The team was cleaned up, or never created.")
    lock = FileLock(
        f"{path}.lock",
        timeout=LOCK_TIMEOUT_S,
        poll_interval=LOCK_POLL_S,
        fallback_to_soft=False,
        preserve_lock_file=True,
    )
    try:
        lock.acquire()
    except Timeout as error:
        raise HostError(
            f"{path} was locked by another process for {LOCK_TIMEOUT_S:.0f} s",
            "Look for a RooCode process of this team that is stopped or hangs.",
        ) from error
    except OSError as error:
        raise HostError(f"cannot lock {path}: {error.strerror or error}") from error
    try:
        yield
    finally:
        lock.release()


def replace_file(path: Path, text: str) -> None:
    """Puts `text` in the place of a file whose lock is held: old or new content, whatever happens.

    The temporary name is fixed, since the lock admits one writer: a crash leaves nothing that adds up. What
    stands there is never written into, since it may be a link to another file.
    Raises HostError, with the old content in place.
    """
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        temporary.unlink(missing_ok=True)
        write_synced(temporary, text.encode())
        os.replace(temporary, path)
        sync_directory(path.parent)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise HostError(
            f"cannot write {path}: {error.strerror}", "The file has its old content. Free the disk and go on."
        ) from error


def one_item_a_line(data: Mapping[str, Any]) -> str:
    """JSON with a line for each item of its lists: quick to write under a lock, and a person can read it."""
    return "{" + ",\n".join(f"{json.dumps(key)}: {_text(value)}" for key, value in data.items()) + "}\n"


def _text(value: Any) -> str:
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(map(json.dumps, value)) + "\n]"
    return json.dumps(value)
