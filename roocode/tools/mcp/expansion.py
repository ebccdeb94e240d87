"""`${VAR}` and `${VAR:-default}` in the texts of a server's entry."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_WITHHELD = "is not given to a project's server"
_OTHER = re.compile(r"\$\{([^}]*)\}")


class Expansion:
    """Puts variables into texts; `unset` collects those that were left as they stand.

    Those in `withheld` count as unset: the keys of model providers, for what a project's file names.
    """

    def __init__(self, env: Mapping[str, str], withheld: Collection[str] = ()) -> None:
        self._env = env
        self._withheld = withheld
        self.unset: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        """The text with what is set; everything else in it stays literal."""
        for match in _OTHER.finditer(text):
            if not _VARIABLE.fullmatch(match[0]):
                self.unset[match[1]] = "is no variable"
        return _VARIABLE.sub(self._value, text)

    def _value(self, match: re.Match[str]) -> str:
        name, default = match[1], match[2]
        value = None if name in self._withheld else self._env.get(name)
        if value:
            return value
        if default is not None:
            return default
        if value is None:
            self.unset[name] = (
                "is not given to a project's server" if name in self._withheld else "is not set"
            )
            return match[0]
        return value
