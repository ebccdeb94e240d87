"""Planted secrets, and where one of them has got to: files, output, and command lines while it runs."""

from __future__ import annotations

import base64
import contextlib
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.processes import processes_of

PROVIDER_KEY = "sk-ant-api03-Qw7RtY2uIoP9aSdF4gHjKl6ZxCvB1nM"
VARIABLE = "v8Kq-2mZt7Rw!xPd4"
DOTENV = "wolf7Lantern3Copper9"
IN_EXCEPTION = "ghp_Zt4Kd8Wq2Lm6Xv1Rb9Yc5Nh3Pj7Sf0Ga2Te"
IN_ERROR_BODY = "glpat-7Hn2Kq9Wm4Xz8Rt1Vb6Y"
IN_TEXT = "AKIAQ7WZ3MRT8KXN5VBD"
SPLIT = "xoxb-2748193650-Kd8Wq2Lm6Xv1Rb9Yc5Nh"
IN_PROMPT = "npm_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
IN_ARGUMENT = "hf_QwErTy1234UiOpAsDf5678GhJkLzXcVb"
PLANTED: Mapping[str, str] = {
    "the provider's key": PROVIDER_KEY,
    "another variable": VARIABLE,
    "a .env file": DOTENV,
    "an exception": IN_EXCEPTION,
    "a provider's error": IN_ERROR_BODY,
    "the model's text": IN_TEXT,
    "pieces of a stream": SPLIT,
    "the prompt": IN_PROMPT,
    "a call's argument": IN_ARGUMENT,
}


def seen_in(content: bytes) -> list[str]:
    """The secrets that stand in some bytes, as they are or in base64."""
    return [
        name
        for name, secret in PLANTED.items()
        if secret.encode() in content or base64.b64encode(secret.encode())[:-4] in content
    ]


def leaks(base: Path, planted: set[Path]) -> dict[str, list[str]]:
    """The files below `base` in which a secret stands, but for those in which one was planted."""
    found = {}
    for path in base.rglob("*"):
        is_written = path.is_file() and not path.is_symlink() and path not in planted
        if is_written and (names := seen_in(path.read_bytes())):
            found[str(path.relative_to(base))] = names
    return found


@dataclass
class CommandLines:
    """Every command line that was seen of a run's processes, but for the one that the person typed."""

    typed: str
    lines: set[str] = field(default_factory=set)

    @property
    def secrets(self) -> list[str]:
        ours = [line for line in self.lines if self.typed not in line]
        return seen_in("\n".join(ours).encode())


@contextlib.contextmanager
def watched(base: Path, typed: str) -> Iterator[CommandLines]:
    """Looks at the command lines of all processes of a run, as long as the block goes on."""
    seen, ended = CommandLines(typed), threading.Event()

    def look() -> None:
        while not ended.wait(0.01):
            seen.lines.update(processes_of(base).values())

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield seen
    finally:
        ended.set()
        looking.join()
