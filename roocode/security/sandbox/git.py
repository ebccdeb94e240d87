"""Our own git: an absolute program, no shell, and pins that keep a repository from running anything.

Decisions: content filters (`git-lfs`, `git-crypt`) never run, whoever defines them, since they read the
repository's configuration and may run more from there; files that need one stay as they are stored, and
`leftovers` and `landing` leave such files to the person. Hooks and signing are off in everything we do:
commits and merges of ours are bookkeeping, and the person's branch moves only to commits that exist.
Nothing is fetched but by `git_fetch`, so in a partial clone a missing object is an error.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from roocode.protocol.errors import HostError, UserError
from roocode.protocol.frozen import frozen
from roocode.security.sandbox import git_pins
from roocode.security.sandbox.git_transport import Transport
from roocode.security.sandbox.git_user import UserConfig, parse
from roocode.security.sandbox.process import find_program, outermost_checkout, run

TIMEOUT_S = 600.0
SHOWN = 300


@frozen
class GitResult:
    """What git said. Bytes that are no UTF-8 are kept as surrogates, so that odd file names survive."""

    code: int
    out: str
    err: str

    @property
    def line(self) -> str:
        """Standard output without the newline at its end."""
        return self.out.removesuffix("\n")

    @property
    def fields(self) -> list[str]:
        """The items of output that was asked for with `-z`."""
        return self.out.split("\0")[:-1]


@frozen
class Git:
    """Git in one directory. `rooted`: that directory holds the `.git` and no repository above is used.

    So a worktree whose `.git` is gone is an error and never falls back to the checkout around it. Without a
    `transport` nothing is fetched.
    """

    cwd: Path
    program: str
    environ: Mapping[str, str]
    user: UserConfig
    rooted: bool = False
    drivers: git_pins.Settings | None = None
    transport: Transport | None = None

    @classmethod
    async def open(cls, cwd: Path, environ: Mapping[str, str] | None = None) -> Git:
        """Finds git and reads what is carried on of the person's configuration.

        Raises HostError without git, UserError where a configuration file cannot be read.
        """
        environ = os.environ if environ is None else environ
        cwd = cwd.resolve()
        program = find_program("git", environ, outside=outermost_checkout(cwd))
        if program is None:
            raise HostError("there is no git on PATH", "Install git 2.38 or newer.")
        plain = {name: value for name, value in environ.items() if not name.startswith("GIT_")}
        own = {name: value for name, value in environ.items() if name.startswith("GIT_CONFIG")}
        listing = await run(
            [program, "config", "--list", "--includes", "--show-scope", "-z"],
            cwd=cwd,
            env=plain | own | {"LC_ALL": "C", "GIT_PAGER": "cat"},
        )
        if listing.code:
            said = _text(listing.err).strip()
            raise UserError(f"git cannot read its configuration: {said}", "Mend that file.")
        return cls(cwd, program, plain, parse(_text(listing.out), environ))

    def at(self, root: Path) -> Git:
        """The same git, rooted in a checkout or worktree that was found to be ours."""
        return replace(self, cwd=root.resolve(), rooted=True)

    async def settled(self) -> Git:
        """The same git for a few commands in a row: the repository's drivers are looked up once, now."""
        return replace(self, drivers=await self._drivers())

    async def __call__(
        self,
        *args: str,
        ok: tuple[int, ...] = (0,),
        stdin: str | None = None,
        index: Path | None = None,
    ) -> GitResult:
        """Runs one git command. `index` names another index file than the checkout's own.

        A cancel ends git. Raises HostError for an exit code that is not in `ok`, a directory that is gone,
        and output or time beyond all measure.
        """
        if not self.cwd.is_dir():
            raise HostError(f"the directory {self.cwd} is gone", "Was it deleted by hand?")
        if self.rooted and not (self.cwd / ".git").exists():
            raise HostError(
                f"{self.cwd} is not a git repository any more: it has lost its .git file",
                f"In the main checkout: git worktree repair {self.cwd}",
            )
        drivers = self.drivers or ()
        if self.drivers is None and git_pins.reads_content(args[0]):
            drivers = await self._drivers()
        done = await self._run(args, drivers, stdin, index)
        if done.code not in ok:
            raise self._failure(args, done)
        return done

    async def _run(
        self, args: tuple[str, ...], drivers: git_pins.Settings, stdin: str | None, index: Path | None
    ) -> GitResult:
        lifted = git_pins.lifted(args[0])
        environ = self._environment(drivers, index)
        done = await run(
            [self.program, *git_pins.arguments(args)],
            cwd=self.cwd,
            env={name: value for name, value in environ.items() if name not in lifted},
            timeout_s=TIMEOUT_S,
            stdin=None if stdin is None else stdin.encode("utf-8", "surrogateescape"),
        )
        if done.timed_out or done.truncated:
            fault = f"took longer than {TIMEOUT_S:.0f} s" if done.timed_out else "wrote too much"
            raise HostError(f"git {args[0]} in {self.cwd} {fault}")
        return GitResult(done.code, _text(done.out), _text(done.err))

    async def _drivers(self) -> git_pins.Settings:
        """Asked for again before each command, since a repository's configuration may change."""
        args = ("config", "--includes", "--name-only", "-z", "--get-regexp", git_pins.DRIVER_KEYS)
        found = await self._run(args, (), None, None)
        if found.code not in (0, 1):
            raise self._failure(args, found)
        return git_pins.neutral(found.fields, self.program)

    def _environment(self, drivers: git_pins.Settings, index: Path | None) -> dict[str, str]:
        safe = [*self.user.safe_directories, *([str(self.cwd)] if self.rooted else [])]
        settings = (
            *self.user.carried,
            *(("safe.directory", folder) for folder in safe),
            *git_pins.PINS,
            *(self.transport.settings if self.transport else ()),
            *drivers,
        )
        return {
            **self.environ,
            **git_pins.VARIABLES,
            **(self.transport.variables if self.transport else {}),
            **git_pins.variables(settings),
            **(self.user.identity.variables() if self.user.identity else {}),
            **({"GIT_CEILING_DIRECTORIES": str(self.cwd.parent)} if self.rooted else {}),
            **({"GIT_INDEX_FILE": str(index)} if index else {}),
        }

    def _failure(self, args: tuple[str, ...], done: GitResult) -> HostError:
        command = shlex.join(["git", *args])
        shown = command if len(command) <= SHOWN else f"{command[:SHOWN]}…"
        said = (done.err.strip() or done.out.strip())[-2000:]
        mend = "Another git works there, or was killed; if none runs, remove that .lock file."
        return HostError(
            f"{shown} in {self.cwd} failed with exit code {done.code}: {said}",
            mend if ".lock': File exists" in done.err else "",
        )


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
