"""The members' keys, kept by the lead outside the repository: a lead that starts again can sign too."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from roocode.engine.team.durable import write_synced
from roocode.engine.team.signing import new_key
from roocode.protocol.errors import HostError


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
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            new = self._path.with_suffix(".new")
            write_synced(new, text.encode(), new=False)
            new.chmod(0o600)
            new.replace(self._path)
        except OSError as error:
            raise HostError(f"cannot write the team's keys to {self._path}: {error.strerror}") from error
