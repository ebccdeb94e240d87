"""Bash: a shell line."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from roocode.protocol.decisions import Decision
from roocode.protocol.errors import HostError
from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool, ToolOutcome, Touches
from roocode.security.sandbox.confinement import Barrier, limit_met
from roocode.security.sandbox.files import PathRefused
from roocode.security.sandbox.job import Ended, Job
from roocode.security.sandbox.unasked import Pinned
from roocode.tools.excerpt import Excerpt, excerpt
from roocode.tools.schema import Input, Limit
from roocode.tools.services import Services, Shell
from roocode.tools.typed_tool import DecidedAction, make_tool
from roocode.tools.unasked import pins

if TYPE_CHECKING:
    from roocode.security.permissions.analysis import Analysis

TIMEOUT_MS = 120_000
LONGEST_TIMEOUT_MS = 600_000
LONGEST_COMMAND = 128 * 1024 - 1
_TELLING = frozenset({"grep", "egrep", "fgrep", "rg", "diff", "cmp", "test", "[", "[["})
"""Programs whose exit code 1 is an answer, not a failure."""
_FAILING = frozenset({"exit", "false", "return"})
_SHOWING_ALL = frozenset({"cat", "nl"})
_SHOWING_PARTS = frozenset({"head", "tail", "sed", "grep", "rg"})
_LEFTOVERS_SHOWN = 10
_MET: Mapping[Barrier, tuple[str, str]] = {
    "network": (
        "ran without network: only what your own commands serve on localhost is there",
        "the network",
    ),
    "credentials": ("ran without the person's keys and tokens", "them"),
    "disk": ("may write in your directories and /tmp alone", "tools' caches too"),
}
"""What a command without a grant ran into, and what a grant opens."""


@frozen
class BashInput(Input):
    """What Bash takes."""

    command: Annotated[str, Limit(min_length=1)]
    """The shell line."""
    description: str = ""
    """What it does, in 5 to 10 words."""
    timeout: Annotated[int, Limit(ge=1, le=LONGEST_TIMEOUT_MS)] = TIMEOUT_MS
    """Milliseconds until it is ended."""
    run_in_background: bool = False
    """Do not wait for it; BashOutput shows what it writes."""


class Bash(DecidedAction[BashInput]):
    """Runs shell lines one after another, each in a fresh bash; only the directory is carried over."""

    def __init__(self, services: Services, shell: Shell) -> None:
        self._shell = shell
        self._files = services.files
        self._seen = services.seen
        self._workspace = services.workspace
        self._pin_git = services.pin_git
        self._cwd = services.workspace.root
        places = (services.workspace.root, *services.workspace.extra, services.workspace.scratch)
        self._allowed = tuple(place for place in places if place is not None)

    def objection(self, given: BashInput) -> str:
        """What the system could not run as it is written."""
        try:
            size = len(given.command.encode())
        except UnicodeEncodeError:
            return "`command` must be text without lone surrogates"
        if "\0" in given.command:
            return "`command` must not contain NUL characters"
        if size > LONGEST_COMMAND:
            return f"`command` has {size:,} bytes, more than {LONGEST_COMMAND:,}: write a script file first"
        return ""

    def touches(self, given: BashInput) -> Touches:
        """The line, and where it runs."""
        return Touches(command=given.command, cwd=str(self._cwd))

    def runs_alongside(self, given: BashInput) -> bool:
        """Only what is proven to read, and stays where it is."""
        analysis = self._analysed(given.command)
        return bool(analysis.level == "safe" and analysis.final_cwd == str(self._cwd))

    def preview(self, given: BashInput) -> str:
        """The line as it is."""
        return given.command

    async def perform(self, given: BashInput, decision: Decision) -> ToolOutcome:
        """Runs the line and shows its output; a failure ends the batch."""
        self._require_cwd()
        committing = self._pin_git and decision.layer != "person"
        pinned = await pins(self._analysed(given.command), self._workspace, self._cwd, committing=committing)
        if given.run_in_background:
            return await self._start(given, pinned, granted=decision.granted)
        job = await self._shell.start(
            given.command, cwd=self._cwd, granted=decision.granted, pins=pinned.variables
        )
        ended = await job.wait(given.timeout / 1000)
        output = excerpt(job.output)
        failed = self._failed(ended, given.command)
        notes = [
            self._status(ended, given, failed=failed),
            _confinement_met(job, output) if failed else "",
            _novelties(job),
            self._move(job),
            _left_running(job),
            *pinned.notes,
        ]
        if ended.code == 0:
            self._note_shown(given.command, output)
        if output.whole and not job.leftovers():
            job.discard()
        text = output.text or ("" if failed else "(no output)")
        return ToolOutcome("\n".join(filter(None, [text, *notes])), is_error=failed, ends_batch=failed)

    async def _start(self, given: BashInput, pinned: Pinned, *, granted: bool) -> ToolOutcome:
        job = await self._shell.start(
            given.command, cwd=self._cwd, background=True, granted=granted, pins=pinned.variables
        )
        return ToolOutcome(
            f"Started in the background as {job.id}; BashOutput shows its output, KillShell ends it.\n"
            f"Its output goes to {job.output}."
        )

    def _require_cwd(self) -> None:
        """Raises HostError where the directory that the line was judged for is gone; the root is next."""
        gone, root = self._cwd, self._workspace.root
        if gone.is_dir():
            return
        self._cwd = root
        if not root.is_dir():
            raise HostError(f"{root} is gone", "nothing can run here until it is there again")
        raise HostError(
            f"{gone} is gone: nothing was run", f"back in {root}; send the line again if it fits there"
        )

    def _move(self, job: Job) -> str:
        """Follows the line's last directory inside the allowed ones."""
        moved = job.final_cwd
        if moved is None or moved == self._cwd:
            return ""
        if moved == moved.resolve() and any(map(moved.is_relative_to, self._allowed)):
            self._cwd = moved
            return f"[now in {moved}]"
        self._cwd = self._workspace.root
        return f"[{moved} is outside the allowed directories; back in {self._cwd}]"

    def _status(self, ended: Ended, given: BashInput, *, failed: bool) -> str:
        match ended.why:
            case "timeout":
                return f"[timed out after {given.timeout:,} ms; all that the command started was ended]"
            case "flood":
                return "[ended: it wrote too much output]"
            case "killed":
                return "[ended from outside]"
            case "exit":
                if ended.code < 0:
                    return f"[ended by signal {-ended.code}]"
                meaning = "" if failed or ended.code == 0 else ": no match, or not equal"
                return f"[exit code {ended.code}{meaning}]" if ended.code else ""

    def _failed(self, ended: Ended, command: str) -> bool:
        if ended.why != "exit" or ended.code not in (0, 1):
            return True
        return ended.code == 1 and not _exit_1_tells(self._analysed(command))

    def _note_shown(self, command: str, output: Excerpt) -> None:
        """`cat file` alone reads the file; `head`, `sed -n` and their like read a part of it."""
        if not any(name in command for name in _SHOWING_ALL | _SHOWING_PARTS):
            return
        parts = self._analysed(command).parts
        if len(parts) != 1 or len(parts[0].reads) != 1 or parts[0].writes or not output.whole:
            return
        program = parts[0].words[0]
        with suppress(PathRefused, HostError):
            place = self._files.resolve(parts[0].reads[0])
            data = self._files.read(place) if place.kind == "file" else None
            if data and not output.text:
                return
            if data is not None and program in _SHOWING_ALL:
                self._seen.note(Path(place.real), data)
            elif data is not None and program in _SHOWING_PARTS:
                self._seen.note_lines(Path(place.real), data, range(0), data.count(b"\n") + 1)

    def _analysed(self, command: str) -> Analysis:
        from roocode.security.permissions.analysis import analyse

        home = self._workspace.env.get("HOME", "/")
        return analyse(command, cwd=str(self._cwd), home=home, roots=tuple(map(str, self._allowed)))


def _exit_1_tells(analysis: Analysis) -> bool:
    """Whether exit code 1 is the answer of a `grep` or its like, with nothing beside it that could fail."""
    programs = [part.words[0] for part in analysis.parts if part.words]
    harmless = all(
        part.read_only or (part.words and part.words[0] in _TELLING | {"cd"}) for part in analysis.parts
    )
    return harmless and not _TELLING.isdisjoint(programs) and _FAILING.isdisjoint(programs)


def _confinement_met(job: Job, output: Excerpt) -> str:
    """Tells a failure that the sandbox is behind, and what opens it."""
    if not job.sandboxed:
        return ""
    limit = limit_met(output.text)
    if job.granted:
        return (
            "[the sandbox lets commands write in your directories, /tmp and tools' caches alone]"
            if limit == "disk"
            else ""
        )
    if limit is None:
        return ""
    met, opened = _MET[limit]
    return f"[the command {met}. A person's yes to it, or an allow rule for it, opens {opened}]"


def _novelties(job: Job) -> str:
    """Names what the line made at protected names."""
    if not job.novelties:
        return ""
    return f"[{', '.join(job.novelties)} is protected, was not there before and has no effect until trusted]"


def _left_running(job: Job) -> str:
    """Names the processes that the line left behind."""
    left = job.leftovers()
    if not left:
        return ""
    named = "; ".join(f"{process.known_as} {process.command[:80]}" for process in left[:_LEFTOVERS_SHOWN])
    return f"[still running: {named}; they end with this session. Use run_in_background for servers.]"


def build(services: Services) -> Tool | None:
    """Bash, where there is a shell."""
    return make_tool(__name__, BashInput, Bash(services, services.shell)) if services.shell else None
