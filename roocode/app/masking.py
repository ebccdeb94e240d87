"""What keeps secrets out of what a process writes: one object, made at its start and handed down."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TextIO, cast

from roocode.interaction.ui.safe_text import spelled_out
from roocode.security.isolation.masking import Mask
from roocode.security.isolation.secrets import Secrets

SALT_BYTES = 16


def secrets_of(env: Mapping[str, str], salt: str = "") -> Secrets:
    """The secrets of an environment; agents of one team share a salt, so that their masks agree."""
    secrets = Secrets(salt or os.urandom(SALT_BYTES).hex())
    secrets.learn(env)
    return secrets


def guard_stderr(mask: Mask) -> None:
    """From now on what this process says on standard error is masked: log, errors, traces of a crash.

    A terminal is not steered by it either.
    """
    sys.stderr = _guarded(sys.stderr, mask)


@contextmanager
def guarded_stdout(mask: Mask) -> Iterator[None]:
    """Inside, the same holds for what is printed on standard output, as text or as JSON."""
    before, sys.stdout = sys.stdout, _guarded(sys.stdout, mask)
    try:
        yield
    finally:
        sys.stdout = before


def _guarded(stream: TextIO, mask: Mask) -> TextIO:
    inner = stream.inner if isinstance(stream, _Guarded) else stream
    return cast(TextIO, _Guarded(inner, mask))


class _Guarded:
    """A text stream that masks each write as a whole, and spells out what a terminal would obey."""

    def __init__(self, inner: TextIO, mask: Mask) -> None:
        self.inner = inner
        self._mask = mask

    def write(self, text: str) -> int:
        self.inner.write(spelled_out(self._mask(text)))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        self.write("".join(lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)
