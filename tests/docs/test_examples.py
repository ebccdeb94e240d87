"""Runs the console examples of the README and the guide, and compares what they print.

The examples of a page run in its order, in one directory of their own: `~` is an empty home with a git
identity, the current directory is `~/project`. A block's first line may say more: `repo` makes the current
directory the demo's sample project in git, `model=FILE` lets the scenario FILE answer as the model, and
`tmux` skips the page where there is no tmux. A command must succeed unless `echo $?` comes next.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from roocode.scripted.server import serve
from tests.docs.console import Block, Step, blocks, fits

REPOSITORY = Path(__file__).resolve().parents[2]
SAMPLE = REPOSITORY / "teams" / "demo" / "project"
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
WITH_EXAMPLES = [page for page in PAGES if any(blocks(page.read_text(encoding="utf-8")))]
GUIDE = sorted((REPOSITORY / "docs" / "guide").glob("*.md"))

TIMEOUT_S = 100.0
ENDED = "=== ended with "
NO_MATTER = "echo $?"


@dataclass(frozen=True)
class Printed:
    """What one command printed, both streams in order, and its exit code."""

    text: str
    code: int


@dataclass(frozen=True)
class Reader:
    """Somebody who follows a page: `base` holds their home, programs and temporary files."""

    base: Path
    env: dict[str, str]

    @classmethod
    def create(cls, base: Path) -> Reader:
        home = base / "home"
        for folder in (home / "project", base / "bin", base / "tmp", base / "run", base / "tmux"):
            folder.mkdir(parents=True, mode=0o700)
        (home / ".gitconfig").write_text("[user]\n\tname = Uma User\n\temail = uma@example.com\n")
        program = base / "bin" / "roocode"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m roocode "$@"\n')
        program.chmod(0o755)
        return cls(
            base,
            {
                "HOME": str(home),
                "PATH": f"{program.parent}:{os.environ['PATH']}",
                "PYTHONPATH": str(REPOSITORY),
                "TMPDIR": str(base / "tmp"),
                "TMUX_TMPDIR": str(base / "tmux"),
                "XDG_RUNTIME_DIR": str(base / "run"),
                "GIT_CONFIG_NOSYSTEM": "1",
                "PYTHONUNBUFFERED": "1",
                "LANG": "C.UTF-8",
                "TERM": "xterm-256color",
            },
        )

    @property
    def project(self) -> Path:
        return self.base / "home" / "project"

    def follow(self, block: Block) -> list[Printed]:
        """Runs the commands of a block, with a model where it names one."""
        if "repo" in block.info and not (self.project / ".git").exists():
            self._make_repository()
        scenario = block.option("model")
        if not scenario:
            return self._run(block.steps)
        with serve(REPOSITORY / scenario, tasks_root=self.project) as server:
            model = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "scripted"}
            printed = replace(self, env=self.env | model)._run(block.steps)
        assert server.failures == []
        return printed

    def _make_repository(self) -> None:
        shutil.copytree(
            SAMPLE, self.project, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__")
        )
        for arguments in (("init", "-q", "-b", "main"), ("add", "--all"), ("commit", "-q", "-m", "Start")):
            subprocess.run(["git", *arguments], cwd=self.project, env=self.env, check=True)

    def _run(self, steps: tuple[Step, ...]) -> list[Printed]:
        """All commands in one shell, so that `cd` and `$?` go from one to the next."""
        parts = [f"{{ {step.command}\n}}; code=$?; echo '{ENDED}'$code; (exit $code)" for step in steps]
        shell = subprocess.Popen(
            ["bash", "-c", "\n".join(parts)],
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            out, _ = shell.communicate(timeout=TIMEOUT_S)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(shell.pid, signal.SIGKILL)
        texts = re.split(rf"{ENDED}(\d+)\n", out)
        return [Printed(text, int(code)) for text, code in zip(texts[::2], texts[1::2], strict=False)]

    def leave(self) -> None:
        """Ends a tmux server of this reader."""
        if tmux := shutil.which("tmux"):
            subprocess.run([tmux, "-L", "roocode", "kill-server"], env=self.env, capture_output=True)


@pytest.fixture
def reader() -> Iterator[Reader]:
    base = Path(tempfile.mkdtemp(prefix="rcd-", dir="/tmp")).resolve()
    someone = Reader.create(base)
    try:
        yield someone
    finally:
        someone.leave()
        shutil.rmtree(base, ignore_errors=True)


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_examples_print_what_the_page_says(page: Path, reader: Reader) -> None:
    examples = list(blocks(page.read_text(encoding="utf-8")))
    if any("tmux" in block.info for block in examples) and not shutil.which("tmux"):
        pytest.skip("this page needs tmux")
    wrong = [complaint for block in examples for complaint in _complaints(page, block, reader.follow(block))]
    assert wrong == [], "\n\n".join(wrong)


@pytest.mark.parametrize("page", GUIDE, ids=lambda page: page.stem)
def test_a_page_of_the_guide_has_examples(page: Path) -> None:
    assert len(list(blocks(page.read_text(encoding="utf-8")))) >= 2


def _complaints(page: Path, block: Block, printed: list[Printed]) -> Iterator[str]:
    where = f"{page.relative_to(REPOSITORY)}:{block.line}"
    if len(printed) != len(block.steps):
        yield f"{where}: only {len(printed)} of {len(block.steps)} commands ended"
    following = [step.command for step in block.steps[1:]]
    for step, got, after in zip(block.steps, printed, [*following, ""], strict=False):
        if got.code and after != NO_MATTER:
            yield f"{where}: $ {step.command}\nended with {got.code}:\n{got.text}"
        elif not fits(step.expected, got.text):
            expected = "\n".join(step.expected)
            yield f"{where}: $ {step.command}\nprinted:\n{got.text}\nand not:\n{expected}"
