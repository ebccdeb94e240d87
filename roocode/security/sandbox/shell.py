"""Runs shell lines: exactly the text that was judged, in a fresh bash, with output to a file."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import os
import secrets
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from roocode.protocol.errors import HostError
from roocode.security.sandbox.confinement import Confined, Confinement
from roocode.security.sandbox.descendants import adopt_orphans, children, children_of
from roocode.security.sandbox.job import Job, Limits
from roocode.security.sandbox.process import GRACE_S, spawn
from roocode.security.sandbox.watchdog import Watchdog

LIMITS = Limits(output=128 * 1024 * 1024, grace_s=GRACE_S, life_s=12 * 3600.0)
NO_PINS: Mapping[str, str] = MappingProxyType({})
_MARK = "ROOCODE_JOB"
_MOVES = ("cd", "pushd", "popd")


class Shells:
    """The shell lines of one agent. They die with it: at `close`, and when its process is killed.

    `env` is what they get, already without keys. Output files go to `spool`, or to a private temporary
    directory that `close` removes. `background` has the jobs with an id. With a `confinement` they run in
    the operating system's sandbox.
    """

    def __init__(
        self,
        env: Mapping[str, str],
        *,
        spool: Path | None = None,
        limits: Limits = LIMITS,
        confinement: Confinement | None = None,
    ) -> None:
        self.background: dict[str, Job] = {}
        self._env = env
        self._spool = spool
        self._temporary: Path | None = None
        self._limits = limits
        self._confinement = confinement
        self._token = secrets.token_hex(8)
        self._watchdog = Watchdog(f"{_MARK}={self._token}.")
        self._numbers = itertools.count(1)
        self._watched: dict[Job, asyncio.Task[None]] = {}

    async def start(
        self,
        command: str,
        *,
        cwd: Path,
        background: bool = False,
        granted: bool = False,
        pins: Mapping[str, str] = NO_PINS,
        stdin: bytes | None = None,
    ) -> Job:
        """Starts a line in `cwd` as `bash -c` with this very text, no start-up files and `stdin` as input.

        `granted`: a person or a rule wants it, so that the sandbox gives it the network. `pins` are variables
        that win over those of the agent.
        Raises HostError where bash or `cwd` is missing, the line is too long for the system, or the sandbox
        is required and does not work.
        """
        adopt_orphans()
        await self._watchdog.ensure()
        number = next(self._numbers)
        output = self._folder() / f"{self._token}-{number}.txt"
        mark = f"{self._token}.{number}."
        env = {**self._env, **pins, _MARK: mark}
        told = output.with_suffix(".cwd") if any(word in command for word in _MOVES) else None
        if told is not None:
            env["BASH_ENV"] = _telling_cwd(output)
        confined = await self._confined(command, cwd, told, env, granted=granted)
        others = children() | (children_of(confined.init) if confined.init else set())
        descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        try:
            with _readable(stdin) as source:
                process = await spawn(confined.argv, cwd=cwd, env=env, stdin=source, output=descriptor)
        finally:
            os.close(descriptor)
        id = f"b{len(self.background) + 1}" if background else ""
        job = Job(
            id,
            command,
            process,
            output,
            f"{_MARK}={mark}",
            self._limits,
            others,
            init=confined.init,
            granted=confined.granted,
        )
        process.exited.add_done_callback(lambda _: self._look_for_novelties(job))
        self._keep(job)
        return job

    async def _confined(
        self, command: str, cwd: Path, told: Path | None, env: dict[str, str], *, granted: bool
    ) -> Confined:
        """The words that run a line; `env` is completed for them."""
        argv = [_bash(), "--norc", "--noprofile", "-c", "--", command]
        confinement = self._confinement
        if confinement is None or not await confinement.ready({_MARK: f"{self._token}.0."}):
            return Confined(argv)
        if told is not None:
            told.touch(mode=0o600)
        env.update(confinement.environment(granted=granted))
        return confinement.confine(argv, cwd=cwd, told=told, granted=granted)

    def _look_for_novelties(self, job: Job) -> None:
        if self._confinement is not None and job.sandboxed:
            job.novelties = self._confinement.appeared()

    def _keep(self, job: Job) -> None:
        if job.id:
            self.background[job.id] = job
        self._watched[job] = asyncio.create_task(job.watch())
        self._watched[job].add_done_callback(lambda _: self._forget(job))
        self._watchdog.tell(kept.group for kept in self._watched)

    def _forget(self, job: Job) -> None:
        del self._watched[job]
        self._watchdog.tell(kept.group for kept in self._watched)

    def _folder(self) -> Path:
        if self._spool is not None:
            self._spool.mkdir(mode=0o700, parents=True, exist_ok=True)
            return self._spool
        if self._temporary is None:
            self._temporary = Path(tempfile.mkdtemp(prefix="roocode-"))
        return self._temporary

    async def close(self) -> None:
        """Ends every job, what jobs left behind, and the watchdog."""
        watched = dict(self._watched)
        await asyncio.gather(*(job.end() for job in watched))
        for watching in watched.values():
            watching.cancel()
        await asyncio.gather(*watched.values(), return_exceptions=True)
        if self._confinement is not None:
            await self._confinement.close()
        await self._watchdog.close()
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)
            self._temporary = None


@contextlib.contextmanager
def _readable(data: bytes | None) -> Iterator[int]:
    """A descriptor to read the data from: a file without a name, so that nobody has to feed a pipe."""
    if data is None:
        yield asyncio.subprocess.DEVNULL
        return
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        yield file.fileno()


def _telling_cwd(output: Path) -> str:
    """A start-up file that makes bash write its last directory beside `output`; it hides itself first."""
    target = shlex.quote(str(output.with_suffix(".cwd")))
    script = output.with_suffix(".rc")
    script.write_text(f"unset BASH_ENV\ntrap {shlex.quote(f'builtin pwd -P >|{target}')} EXIT\n")
    return str(script)


@functools.cache
def _bash() -> str:
    for path in ("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"):
        if os.access(path, os.X_OK):
            return path
    raise HostError("bash is not installed", "install bash: RooCode runs commands with it")
