"""Finds the folders that ship with RooCode: agents/, skills/ and teams/."""

from __future__ import annotations

from pathlib import Path

import roocode
from roocode.protocol.errors import HostError


def data_root() -> Path:
    """The directory that holds agents/, skills/ and teams/.

    In an installed wheel that is `roocode/_data`, in a checkout (and so in an editable install) its root.
    Raises HostError where neither is there.
    """
    package = Path(roocode.__file__).resolve().parent
    for candidate in (package / "_data", package.parent):
        if (candidate / "agents").is_dir():
            return candidate
    raise HostError(f"the folder agents/ is missing beside {package}", "install RooCode again")
