"""Runs searches: with ripgrep where it is installed, else with our own."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

import roocode
from roocode.protocol.errors import HostError
from roocode.security.sandbox.process import Completed, find_program, outermost_checkout, run
from roocode.tools.search import ripgrep
from roocode.tools.search.query import Found, Query
from roocode.tools.search.walk import in_repository, walk

TIMEOUT_S = 30.0
OUTPUT_LIMIT = 8 * 1024 * 1024
LISTING_LIMIT = 128 * 1024 * 1024
_NOTHING_FOUND = 1
_WORKER = (
    "import sys; sys.path.insert(0, sys.argv[1]); from roocode.tools.search import worker; worker.main()"
)
_PACKAGES = Path(roocode.__file__).parents[1]


class Engine:
    """Finds files and lines below a directory. Links are not followed, but for those that appear meanwhile.

    `env` is for ripgrep, which is never taken from below `root`. A search ends after `timeout_s` seconds, or
    when it has printed `limit` bytes.
    """

    def __init__(
        self,
        env: Mapping[str, str],
        root: Path,
        *,
        timeout_s: float = TIMEOUT_S,
        limit: int = OUTPUT_LIMIT,
    ) -> None:
        self._env = env
        self._timeout_s = timeout_s
        self._limit = limit
        self._ripgrep = find_program("rg", env, outside=outermost_checkout(root))

    async def files(self, folder: Path, at: Path | None = None) -> list[str]:
        """All files below a directory that `.gitignore` does not leave out, relative to it.

        `at` is another path to the directory, by which it is entered.
        """
        at = at or folder
        if self._ripgrep is None:
            return await asyncio.to_thread(lambda: list(walk(folder, at=at)))
        arguments = ripgrep.listing_arguments(in_repository=in_repository(folder))
        done = await self._run([self._ripgrep, *arguments], at, LISTING_LIMIT)
        return ripgrep.paths(done.out)

    async def search(self, query: Query, folder: Path, at: Path | None = None) -> Found:
        """Looks for a regular expression; `at` as in `files`. Raises HostError when it takes too long."""
        at = at or folder
        if self._ripgrep is None:
            argv = [sys.executable, "-I", "-S", "-c", _WORKER, str(_PACKAGES)]
            done = await self._run(argv, at, self._limit, json.dumps(asdict(query)).encode())
        else:
            arguments = ripgrep.search_arguments(query, in_repository=in_repository(folder))
            done = await self._run([self._ripgrep, *arguments], at, self._limit)
        if done.code > _NOTHING_FOUND and not done.out:
            return Found(error=done.err.decode(errors="replace").strip())
        return ripgrep.found(query, done.out, cut=done.truncated)

    async def _run(self, argv: list[str], folder: Path, limit: int, stdin: bytes | None = None) -> Completed:
        timeout_s = self._timeout_s
        done = await run(argv, cwd=folder, env=self._env, timeout_s=timeout_s, stdin=stdin, limit=limit)
        if done.timed_out:
            raise HostError(
                f"the search took longer than {timeout_s:g} s and was ended",
                "search a smaller directory, or make the pattern simpler",
            )
        return done


def newest_first(paths: Iterable[Path]) -> list[Path]:
    """By time of change, then by name; files that are gone come last."""

    def age(path: Path) -> tuple[int, str]:
        try:
            return -os.lstat(path).st_mtime_ns, str(path)
        except OSError:
            return 0, str(path)

    return sorted(paths, key=age)
