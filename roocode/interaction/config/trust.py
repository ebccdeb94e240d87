"""Trusted directories: a person's yes, bound to the content of the files that it was given for.

A directory is trusted while every file of its own that would take effect is the same as at the yes. The
local configuration is also vouched for on its own when RooCode wrote it (an "always allow").
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from roocode.interaction.config.places import Places, Scope
from roocode.interaction.config.replace import held, replace_file
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen
from roocode.security.isolation.private_paths import make_private, require_own

SCHEMA = 1
MAX_FILES = 5_000
MAX_FOLDERS = 5_000
MAX_FILE_BYTES = 16 * 1024 * 1024
MAX_BYTES = 128 * 1024 * 1024
UNFIT = "unfit: "
"""Stands before the reason where a digest should be: such content is not trusted."""

_SINGLE = (
    ".roocode/config.yaml",
    ".roocode/config.local.yaml",
    ".mcp.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
)
_FOLDERS = (
    ".roocode/agents",
    ".roocode/skills",
    ".roocode/commands",
    ".roocode/hooks",
    ".claude/agents",
    ".claude/hooks",
    ".claude/skills",
    ".claude/commands",
    ".agents/skills",
)
_TEMPLATES = (".roocode/teams/*.yaml", ".roocode/teams/*.yml")
_LOCAL = ".roocode/config.local.yaml"


@frozen
class Trusted:
    """A record: the SHA-256 of each file by its path below the directory; `whole` is a person's yes.

    Without `whole` only the listed files are vouched for.
    """

    directory: str
    files: Mapping[str, str] = field(default_factory=dict)
    whole: bool = True
    since: str = ""


@frozen
class Standing:
    """What counts of a directory now: all of it, or the local configuration alone.

    `files` are the digests that this holds for: whoever uses a file compares what it read (`is_that`).
    """

    whole: bool
    local: bool
    changed: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)

    def is_that(self, path: str, content: bytes) -> bool:
        """Whether this is the content that counts, and not what was put there since (path below the root)."""
        import hashlib

        return self.files.get(path) == hashlib.sha256(content).hexdigest()

    def counts(self, path: str, text: str) -> bool:
        """Whether the text of a file takes effect: its directory is trusted, with this very content."""
        return self.whole and self.is_that(path, text.encode())


def effective_files(root: Path) -> dict[str, str]:
    """Path → SHA-256 of the project's files that take effect once it is trusted.

    Links are followed to the content that they give; what cannot be read, or is too much, has a reason that
    begins with UNFIT. Never waits for a file. Raises UserError where there are absurdly many.
    """
    digests: dict[str, str] = {}
    room = MAX_BYTES
    for path in _candidates(root):
        if len(digests) >= MAX_FILES:
            raise _too_many(root)
        name = str(path.relative_to(root))
        digest, size = _digest(path, min(max(room, 0), MAX_FILE_BYTES))
        room -= size
        if digest:
            digests[name] = digest
    return digests


def standing(places: Places) -> Standing:
    """Whether the project's files count; `changed` names those that differ from the yes."""
    record = _read(places.trust).get(str(places.root))
    if record is None:
        return Standing(whole=False, local=False)
    try:
        now = effective_files(places.root)
    except UserError as error:
        return Standing(whole=False, local=False, changed=(error.what,))
    changed = tuple(sorted(path for path in now.keys() | record.files.keys() if _differs(path, now, record)))
    return Standing(
        whole=record.whole and not changed,
        local=_LOCAL in now and _LOCAL not in changed,
        changed=changed if record.whole else (),
        files=now,
    )


def _differs(path: str, now: Mapping[str, str], record: Trusted) -> bool:
    return now.get(path) != record.files.get(path) or now.get(path, "").startswith(UNFIT)


def trust(places: Places, files: Mapping[str, str]) -> None:
    """Trusts a directory for the content that was shown to the person.

    Raises UserError for content that could not be read whole.
    """
    for path, digest in files.items():
        if digest.startswith(UNFIT):
            raise UserError(f"{path} cannot be trusted: {digest.removeprefix(UNFIT)}", "mend or remove it")
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    with held(places.lock):
        records = _read(places.trust)
        records[str(places.root)] = Trusted(str(places.root), dict(files), since=since)
        _write(places.trust, records)


def vouch(places: Places, scope: Scope, before: Standing, *, existed: bool) -> bool:
    """Lets a change that RooCode itself made to a project's file count as far as the file counted before.

    `before` is the standing before the change and `existed` whether the file was there. `places.lock` is
    held. Returns whether the file counts now.
    """
    if before.whole:
        files, whole = effective_files(places.root), True
    elif scope == "local" and (before.local or not existed):
        files, whole = {_LOCAL: _digest(places.config("local"), MAX_FILE_BYTES)[0]}, False
    else:
        return False
    records = _read(places.trust)
    old = records.get(str(places.root)) or Trusted(str(places.root), whole=False)
    kept = files if whole else {**old.files, **files}
    records[str(places.root)] = Trusted(old.directory, kept, old.whole, old.since)
    _write(places.trust, records)
    return True


def revoke(places: Places, directory: Path) -> bool:
    """Forgets a directory; False where it was not trusted."""
    with held(places.lock):
        records = _read(places.trust)
        found = records.pop(str(directory.resolve()), None)
        if found is not None:
            _write(places.trust, records)
    return found is not None


def trusted_directories(places: Places) -> tuple[Trusted, ...]:
    """All directories that a person trusted, by path."""
    return tuple(record for _, record in sorted(_read(places.trust).items()) if record.whole)


def _candidates(root: Path) -> Iterator[Path]:
    yield from (root / name for name in _SINGLE)
    for folder in _FOLDERS:
        yield from _files_below(root, folder)
    for pattern in _TEMPLATES:
        yield from sorted(root.glob(pattern))


def _files_below(root: Path, folder: str) -> Iterator[Path]:
    entered: set[str] = set()
    for path, folders, names in os.walk(root / folder, followlinks=True):
        real = os.path.realpath(path)
        if real in entered:
            folders.clear()
            continue
        entered.add(real)
        if len(entered) > MAX_FOLDERS or len(folders) > MAX_FOLDERS:
            raise _too_many(root)
        yield from (Path(path, name) for name in names)


def _too_many(root: Path) -> UserError:
    return UserError(
        f"{root} has more than {MAX_FILES} files or folders of configuration", "remove what is not needed"
    )


def _digest(path: Path, most: int) -> tuple[str, int]:
    """SHA-256 and size of a regular file of at most `most` bytes; "" where there is none of that name."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except (FileNotFoundError, NotADirectoryError):
        return "", 0
    except OSError as error:
        return f"{UNFIT}{error.strerror}", 0
    try:
        kind = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(kind):
            return "", 0
        return _hashed(descriptor, most) if stat.S_ISREG(kind) else (f"{UNFIT}it is not a regular file", 0)
    except OSError as error:
        return f"{UNFIT}{error.strerror}", 0
    finally:
        os.close(descriptor)


def _hashed(descriptor: int, most: int) -> tuple[str, int]:
    import hashlib

    digest, size = hashlib.sha256(), 0
    while block := os.read(descriptor, 1024 * 1024):
        digest.update(block)
        size += len(block)
        if size > most:
            return f"{UNFIT}it is too large ({most:,} bytes at most)", size
    return digest.hexdigest(), size


def _read(path: Path) -> dict[str, Trusted]:
    require_own(path)
    try:
        stored = json.loads(path.read_bytes())
        if stored["schema"] != SCHEMA:
            raise UserError(
                f"{path} was written by another version of RooCode", "use that version, or move it away"
            )
        return {directory: _record(directory, entry) for directory, entry in stored["directories"].items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(
            f"{path} cannot be read: {error}", "move it away; directories are then asked for again"
        ) from error


def _record(directory: str, entry: Mapping[str, Any]) -> Trusted:
    files = {str(path): str(digest) for path, digest in entry["files"].items()}
    return Trusted(directory, files, whole=entry["whole"] is True, since=str(entry["since"]))


def _write(path: Path, records: Mapping[str, Trusted]) -> None:
    directories = {
        record.directory: {"whole": record.whole, "since": record.since, "files": dict(record.files)}
        for record in records.values()
    }
    text = json.dumps({"schema": SCHEMA, "directories": directories}, indent=1, sort_keys=True)
    make_private(path.parent)
    replace_file(path, text.encode() + b"\n", mode=0o600)
