"""An inbox as a directory: one file a message, moved into place whole, so that senders need no lock.

The layout is Maildir's: `tmp/` while it is written, `new/` until it is acknowledged, then `cur/`.
"""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import stat
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from roocode.engine.team import mail
from roocode.engine.team.codec import Malformed
from roocode.engine.team.durable import sync_directory, write_synced
from roocode.engine.team.mail import MailRefused
from roocode.protocol.errors import HostError
from roocode.protocol.team import TeamMessage

MAX_BYTES = 64 * 1024 * 1024
STALE_S = 36 * 3600.0

Objection = Callable[[TeamMessage], str]


class Mailbox:
    """The inbox of the member that its directory is named after; `quarantined` hears of refused files.

    Any number of senders, one reader. The calls are short and do not wait for anyone.
    """

    def __init__(self, directory: Path, quarantined: Callable[[str, str], None] | None = None) -> None:
        self.directory = directory
        self.owner = directory.name
        self.new = directory / "new"
        self._quarantined = quarantined or (lambda _name, _reason: None)
        self._files: dict[str, list[str]] = {}
        self._quiet: set[str] = set()

    def create(self) -> None:
        """Makes the directories; an existing inbox keeps its mail."""
        try:
            for part in ("tmp", "new", "cur"):
                (self.directory / part).mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise HostError(f"cannot create {self.directory}: {error.strerror}") from error

    def deliver(self, message: TeamMessage) -> None:
        """Puts a message in: on disk, whole and in its sender's order when this returns.

        Raises MailRefused where it is too big to be read, and HostError where it could not be written.
        """
        content = json.dumps(mail.encode(message)).encode()
        if len(content) > MAX_BYTES:
            raise MailRefused(f"The message has {len(content)} bytes: at most {MAX_BYTES} can be sent.")
        name = f"{_stamp():020d}-{message.id}.json"
        temporary = self.directory / "tmp" / name
        try:
            write_synced(temporary, content)
            os.rename(temporary, self.new / name)
            sync_directory(self.new)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise HostError(
                f"cannot write to the inbox of {self.owner}: {error.strerror}; nothing was sent"
            ) from error

    def unread(self, objection: Objection = lambda _message: "") -> tuple[TeamMessage, ...]:
        """What was not acknowledged yet, oldest first; again after a crash, so see `Seen`.

        Files that are no message to this owner, or to which `objection` gives a reason, are quarantined.
        Raises HostError.
        """
        messages = []
        self._files.clear()
        for name in self._names():
            try:
                message = self._read(name)
            except Malformed as error:
                self._quarantine(name, str(error))
                continue
            if message is None:
                continue
            if reason := objection(message):
                self._quarantine(name, reason)
                continue
            self._files.setdefault(message.id, []).append(name)
            messages.append(message)
        return tuple(messages)

    def acknowledge(self, message: TeamMessage) -> None:
        """Moves a message to `cur/`; once it is in the transcript, and not before."""
        ending = f"-{message.id}.json"
        names = self._files.pop(message.id, None) or [n for n in self._names() if n.endswith(ending)]
        for name in names:
            self._move(name, "cur")

    def waking(self) -> bool:
        """Whether something unread wakes its receiver; a file that cannot be read does, to be reported."""
        names = self._names()
        self._quiet.intersection_update(names)
        for name in names:
            if name not in self._quiet:
                if self._wakes(name):
                    return True
                self._quiet.add(name)
        return False

    def waiting(self, until: float = math.inf) -> frozenset[str]:
        """The names of the files that wait to be read and were written by `until`, in seconds since 1970."""
        return frozenset(name for name in self._names() if _written_at(name) <= until)

    def tidy(self, older_than_s: float = STALE_S) -> None:
        """Removes what crashed senders left in `tmp/`; 36 hours is what Maildir readers wait."""
        limit = time.time() - older_than_s
        for entry in os.scandir(self.directory / "tmp"):
            with contextlib.suppress(FileNotFoundError):
                if entry.stat(follow_symlinks=False).st_mtime < limit:
                    os.unlink(entry)

    def _names(self) -> Sequence[str]:
        try:
            return sorted(name for name in os.listdir(self.new) if not name.startswith("."))
        except FileNotFoundError as error:
            raise HostError(
                f"there is no inbox {self.directory}", "The team was cleaned up, or never created."
            ) from error

    def _read(self, name: str) -> TeamMessage | None:
        """The message in a file of `new/`, None where the file is gone. Raises Malformed."""
        try:
            content = _read_regular(self.new / name)
            message = mail.decode(json.loads(content))
        except FileNotFoundError:
            return None
        except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Malformed(f"not JSON: {error}") from error
        except OSError as error:
            raise HostError(f"cannot read {self.new / name}: {error.strerror}") from error
        if message.to != self.owner:
            raise Malformed(f"to: a message to {message.to} in the inbox of {self.owner}")
        return message

    def _wakes(self, name: str) -> bool:
        try:
            message = self._read(name)
        except Malformed:
            return True
        return message is not None and mail.wakes(message)

    def _quarantine(self, name: str, reason: str) -> None:
        (self.directory / "quarantine").mkdir(mode=0o700, exist_ok=True)
        self._move(name, "quarantine")
        self._quarantined(name, reason)

    def _move(self, name: str, part: str) -> None:
        try:
            os.rename(self.new / name, self.directory / part / name)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise HostError(f"cannot move {self.new / name} to {part}: {error.strerror}") from error


class Seen:
    """The ids of messages that are in a transcript already: makes a second delivery harmless."""

    def __init__(self, ids: Iterable[str] = ()) -> None:
        self._ids = set(ids)

    def first_time(self, message: TeamMessage) -> bool:
        """Whether this message was not seen before; from now on it was."""
        if message.id in self._ids:
            return False
        self._ids.add(message.id)
        return True


class _Clock:
    """Nanoseconds that only grow, also where the wall clock steps back while the process lives."""

    def __init__(self) -> None:
        self._last = 0
        self._lock = threading.Lock()

    def __call__(self) -> int:
        with self._lock:
            self._last = max(self._last + 1, time.time_ns())
            return self._last


_stamp = _Clock()


def _written_at(name: str) -> float:
    """The time in a file's name; 0 for one that we did not write."""
    stamp = name.partition("-")[0]
    return int(stamp) / 1e9 if stamp.isdecimal() else 0.0


def _read_regular(path: Path) -> bytes:
    """The content of a plain file that another agent put there: no link, no pipe, no flood."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.ELOOP, errno.ENXIO):
            raise Malformed(f"not readable: {error.strerror}") from error
        raise
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
            raise Malformed(f"expected a plain file of at most {MAX_BYTES} bytes")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)
