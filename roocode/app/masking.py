"""What keeps secrets out of what a process writes: one object, made at its start and handed down."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any, TextIO

from roocode.security.isolation.masking import Mask
from roocode.security.isolation.secrets import Secrets

SALT_BYTES = 16


def secrets_of(env: Mapping[str, str], salt: str = "") -> Secrets:
    """The secrets of an environment; agents of one team share a salt, so that their masks agree."""
    secrets = Secrets(salt or os.urandom(SALT_BYTES).hex())
    secrets.learn(env)
    return secrets


def guard_stderr(mask: Mask) -> None:
    """From now on what this process says on standard error is masked: log, errors, traces of a crash."""
    if isinstance(sys.stderr, _MaskedText):
        sys.stderr.mask = mask
    else:
        sys.stderr = _MaskedText(sys.stderr, mask)


class _MaskedText:
    """A text stream that masks each write as a whole; all else is the stream's own."""

    def __init__(self, stream: TextIO, mask: Mask) -> None:
        self._stream = stream
        self.mask = mask

    def write(self, text: str) -> int:
        self._stream.write(self.mask(text))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        self.write("".join(lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
