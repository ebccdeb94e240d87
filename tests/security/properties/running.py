"""What a shell line becomes when it is run: looked up in the running process."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from tempfile import TemporaryDirectory

from roocode.security.sandbox.shell import Shells

__all__ = ["arguments_of"]


def arguments_of(line: str) -> list[str]:
    """The words of the process that runs a line which waits for somebody to write into `gate`."""
    with TemporaryDirectory() as folder:
        return asyncio.run(_arguments_of(line, Path(folder)))


async def _arguments_of(line: str, folder: Path) -> list[str]:
    os.mkfifo(folder / "gate")
    shells = Shells({"PATH": os.environ["PATH"]})
    try:
        job = await shells.start(line, cwd=folder)
        words = Path(f"/proc/{job.group}/cmdline").read_bytes()
        (folder / "gate").write_text("go on")
        await job.wait(10)
    finally:
        await shells.close()
    return [os.fsdecode(word) for word in words.split(b"\0")[:-1]]
