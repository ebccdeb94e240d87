"""The members' keys, kept by the lead outside the repository: a lead that starts again can sign too."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from roocode.engine.team.durable import write_synced
from roocode.engine.team.signing import new_key
from roocode.protocol.errors import HostError
from roocode.security.isolation.private_paths import make_private, require_own


class Keyring:
    """One private file a team, under RooCode's home; no tool of an agent may read it."""

    def __init__(self, home: Path, team_dir: Path) -> None:
        name = hashlib.sha256(str(team_dir.resolve()).encode()).hexdigest()[:24]
        self._path = home / "team-keys" / f"{name}.json"
        self._keys = self._read()

    def of(self, name: str) -> bytes | None:
        """The key of a member, None where it has none."""
        return self._keys.get(name)

    def ensure(self, name: str) -> bytes:
        """The key of a member, made and kept where there was none. Raises HostError."""
        if name not in self._keys:
            self._keys[name] = new_key()
            self._write()
        return self._keys[name]

    def remove(self) -> None:
        """Forgets the team."""
        self._path.unlink(missing_ok=True)

    def _read(self) -> dict[str, bytes]:
        require_own(self._path)
        try:
            return {name: bytes.fromhex(key) for name, key in json.loads(self._path.read_text()).items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise HostError(
                f"cannot read the team's keys in {self._path}: {error}", "Remove the file."
            ) from error

    def _write(self) -> None:
        text = json.dumps({name: key.hex() for name, key in self._keys.items()})
        try:
            make_private(self._path.parent)
            new = self._path.with_suffix(f".{os.urandom(8).hex()}")
            write_synced(new, text.encode())
            new.replace(self._path)
        except OSError as error:
            raise HostError(
                f"cannot write the team's keys to {self._path}: {error.strerror}",
                "make it writable, or set ROOCODE_HOME to a directory of yours",
            ) from error
