"""The operating system's sandbox around the shell lines of one agent, where bubblewrap works."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from roocode.protocol.errors import HostError
from roocode.protocol.frozen import frozen
from roocode.security.sandbox.bubblewrap import Enclosure, Programs, command_argv
from roocode.security.sandbox.enclosure import TEMPORARY, Premises, Surveyor
from roocode.security.sandbox.holder import Holder
from roocode.security.sandbox.known_places import UNSHARED
from roocode.security.sandbox.process import find_program, outermost_checkout, run

SandboxMode: TypeAlias = Literal["auto", "off", "required"]

INSTALL = "install bubblewrap (bwrap) and util-linux (nsenter)"
ALLOW_NAMESPACES = (
    "let users make namespaces: kernel.unprivileged_userns_clone=1 or user.max_user_namespaces above 0;"
    " kernel.apparmor_restrict_unprivileged_userns=0 or an AppArmor profile for bwrap;"
    " in a container, a seccomp profile that lets them"
)
_PROBE_S = 10.0
_NETWORK_WORDS = re.compile(
    r"network is unreachable|name resolution|could(n't| not) resolve|name or service not known|ENOTFOUND"
    r"|EAI_AGAIN|ENETUNREACH|no address associated|failed to (lookup|resolve)|no such host|dns error"
    r"|connection refused|ECONNREFUSED",
    re.IGNORECASE,
)
_CREDENTIAL_WORDS = re.compile(
    r"gpg failed to sign|permission denied \(publickey|could not read (username|password)|ENEEDAUTH",
    re.IGNORECASE,
)
_DISK_WORDS = re.compile(r"read-only file system|EROFS|device or resource busy|EBUSY", re.IGNORECASE)


@frozen
class Confined:
    """A command line as it is to be started, and process 1 of the namespace it will be in; 0 without."""

    argv: list[str]
    init: int = 0
    granted: bool = True


class Confinement:
    """Puts shell lines into bubblewrap.

    In mode "auto" lines run as they are where it does not work; in "required" they do not run. Once it has
    worked, nothing runs without it.
    """

    def __init__(self, mode: SandboxMode, premises: Premises, env: Mapping[str, str]) -> None:
        self._mode = mode
        self._premises = premises
        self._env = env
        self._surveyor = Surveyor(premises)
        self._holder = Holder()
        self._programs: Programs | None = None
        self._refusal: HostError | None = None
        self._judging = asyncio.Lock()

    @property
    def init(self) -> int:
        """Process 1 of the agent's namespace, by the host's number; 0 where there is none."""
        return self._holder.init

    async def ready(self, mark: Mapping[str, str]) -> bool:
        """Whether lines run in the sandbox; `mark` stands in the environment of what keeps it.

        Raises HostError where it is required and does not work.
        """
        if self._mode == "off":
            return False
        async with self._judging:
            if self._refusal is None and self._programs is None:
                await self._try(mark)
            elif self._programs is not None:
                await self._holder.ensure(self._programs, mark)
        if self._refusal is not None and self._mode == "required":
            raise HostError(
                f"the sandbox is required and does not work: {self._refusal.what}",
                f"{self._refusal.mend}; or set `sandbox: auto` in your own configuration",
            )
        return self._programs is not None

    async def _try(self, mark: Mapping[str, str]) -> None:
        try:
            programs = find_programs(self._env, *self._premises.roots)
            await _prove(programs, self._holder, mark)
            self._programs = programs
        except HostError as refusal:
            self._refusal = refusal

    def confine(self, argv: Sequence[str], *, cwd: Path, told: Path | None, granted: bool) -> Confined:
        """The line as it runs in the sandbox that is `ready`; `told` is a file that it
        may write."""
        if self._programs is None:
            return Confined(list(argv))
        socket = self._env.get("SSH_AUTH_SOCK", "")
        if granted:
            self._surveyor.make_caches(argv[-1])
        enclosure = self._surveyor.draw(cwd, told, granted=granted, agent_socket=socket)
        return Confined(
            command_argv(self._programs, self._holder.init, enclosure, argv), self._holder.init, granted
        )

    def environment(self, *, granted: bool) -> dict[str, str]:
        """What a confined line's environment has besides: a temporary directory and, without a grant, other
        places for the caches that must be writable.
        """
        caches = {name: f"{TEMPORARY}/.cache/{folder}" for name, folder in UNSHARED.items()}
        return {"TMPDIR": TEMPORARY, **({} if granted else caches)}

    def appeared(self) -> tuple[str, ...]:
        """Protected names that a line has made although they were missing."""
        return self._surveyor.appeared() if self._programs is not None else ()

    async def close(self) -> None:
        """Ends what keeps the namespaces, and all in them."""
        await self._holder.close()


async def obstacle(env: Mapping[str, str], *, outside: Path) -> HostError | None:
    """Why the sandbox does not work here, with the mend; None where it does. For a report.

    Programs below the directory `outside` do not count.
    """
    holder = Holder()
    try:
        programs = find_programs(env, outside)
        await _prove(programs, holder, {})
    except HostError as refusal:
        return refusal
    finally:
        await holder.close()
    return None


def find_programs(env: Mapping[str, str], *roots: Path) -> Programs:
    """bubblewrap and nsenter, never from a checkout that an agent works in. Raises HostError."""
    bwrap, nsenter = (_outside(name, env, roots) for name in ("bwrap", "nsenter"))
    missing = [name for name, path in (("bwrap", bwrap), ("nsenter", nsenter)) if path is None]
    if bwrap is None or nsenter is None:
        raise HostError(f"{' and '.join(missing)} not found", INSTALL)
    return Programs(bwrap, nsenter)


def _outside(name: str, env: Mapping[str, str], roots: Sequence[Path]) -> str | None:
    found = {find_program(name, env, outside=outermost_checkout(root)) for root in roots}
    return found.pop() if len(found) == 1 else None


async def _prove(programs: Programs, holder: Holder, env: Mapping[str, str]) -> None:
    """Starts the holder and runs one command beside it. Raises HostError with the program's words."""
    try:
        await holder.ensure(programs, env)
        enclosure = Enclosure((), "/")
        argv = command_argv(programs, holder.init, enclosure, ["/bin/sh", "-c", "exit 7"])
        done = await run(argv, cwd=Path("/"), env=env, timeout_s=_PROBE_S)
    except HostError as error:
        raise HostError(f"bubblewrap does not work here: {error.what}", ALLOW_NAMESPACES) from error
    if done.code != 7:
        await holder.close()
        said = done.err.decode(errors="replace").strip() or f"exit code {done.code}"
        raise HostError(f"bubblewrap does not work here: {said}", ALLOW_NAMESPACES)


Barrier: TypeAlias = Literal["network", "credentials", "disk"]
_WORDS: Mapping[Barrier, re.Pattern[str]] = {
    "network": _NETWORK_WORDS,
    "credentials": _CREDENTIAL_WORDS,
    "disk": _DISK_WORDS,
}


def limit_met(output: str) -> Barrier | None:
    """What of the sandbox a failed line ran into, by the words of its output; None where nothing shows it."""
    return next((limit for limit, words in _WORDS.items() if words.search(output)), None)
