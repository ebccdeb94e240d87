"""Runs the command that proves the merged work, in the integration worktree."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path

from roocode.engine.team.source_tree import Tree, import_tree
from roocode.protocol.frozen import frozen
from roocode.security.isolation.masking import Mask, unmasked
from roocode.security.sandbox.shell import Shells

HEAD_BYTES = 2_000
TAIL_BYTES = 6_000
TIMEOUT_S = 1_800.0
MASKED_BYTES = 1024 * 1024
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_READ = ("package.json", "pyproject.toml", "setup.cfg", "tox.ini")
_PYTEST_MARKS = {
    "pyproject.toml": ("pytest",),
    "setup.cfg": ("[tool:pytest]",),
    "tox.ini": ("[pytest]",),
}


@frozen
class Verified:
    """How the command ended. `output` has its begin and end, `log` all of it.

    `wrong_tree` says that a package was imported from elsewhere, so that nothing is proven; "" if not.
    """

    command: str
    exit_code: int
    timed_out: bool
    output: str
    log: Path
    wrong_tree: str

    @property
    def green(self) -> bool:
        """Whether the merged work is proven."""
        return self.exit_code == 0 and not self.timed_out and not self.wrong_tree


def detect(root: Path) -> str | None:
    """The verify command that a project's files suggest, or None."""
    names = {
        path.relative_to(root).as_posix()
        for folder in ("", "tests", "test")
        for path in _files(root / folder)
    }
    texts = {name: (root / name).read_text("utf-8", "replace") for name in _READ if name in names}
    return choose(names, texts)


def choose(names: Collection[str], texts: Mapping[str, str]) -> str | None:
    """The command for these files: `names` in the root and its test folders, `texts` of some of them."""
    if _has_pytest(names, texts):
        return "pytest"
    if _has_npm_test(texts.get("package.json", "")):
        return "npm test"
    if "go.mod" in names:
        return "go test ./..."
    return "cargo test" if "Cargo.toml" in names else None


async def run_verify(
    command: str,
    worktree: Path,
    *,
    env: Mapping[str, str],
    log: Path,
    timeout_s: float = TIMEOUT_S,
    mask: Mask = unmasked,
) -> Verified:
    """Runs the exact text in bash in `worktree`; its output goes to `log`, masked, and nowhere else.

    A Python package of the worktree that would be imported from elsewhere (an editable install) has the
    worktree's source root put first on PYTHONPATH. Raises HostError without bash or worktree.
    """
    tree = await import_tree(command, worktree, env)
    shells = Shells({**env, **_python_path(tree, env)})
    try:
        job = await shells.start(command, cwd=worktree)
        try:
            ended = await job.wait(timeout_s)
        finally:
            await asyncio.to_thread(_keep_masked, job.output, log, mask)
    finally:
        await shells.close()
    return Verified(command, ended.code, ended.why == "timeout", excerpt(log), log, tree.wrong)


def _keep_masked(output: Path, log: Path, mask: Mask) -> None:
    """Copies the output without secrets, some whole lines at a time; binary output keeps its bytes."""
    new = log.with_name(f".{log.name}.{os.urandom(8).hex()}")
    with output.open("rb") as raw, os.fdopen(os.open(new, _NEW, 0o600), "wb") as kept:
        while lines := raw.readlines(MASKED_BYTES):
            text = b"".join(lines).decode("utf-8", "surrogateescape")
            kept.write(mask(text).encode("utf-8", "surrogateescape"))
    os.replace(new, log)


def excerpt(log: Path) -> str:
    """The begin and the end of a log, with a line that says how much is left out between."""
    size = log.stat().st_size
    with log.open("rb") as file:
        if size <= HEAD_BYTES + TAIL_BYTES:
            return file.read().decode("utf-8", "replace")
        head = file.read(HEAD_BYTES).decode("utf-8", "replace")
        file.seek(-TAIL_BYTES, os.SEEK_END)
        tail = file.read().decode("utf-8", "replace")
    return f"{head}\n[… {size - HEAD_BYTES - TAIL_BYTES} bytes left out …]\n{tail}"


def _python_path(tree: Tree, env: Mapping[str, str]) -> dict[str, str]:
    if tree.first is None:
        return {}
    rest = env.get("PYTHONPATH", "")
    return {"PYTHONPATH": os.pathsep.join([str(tree.first), *([rest] if rest else [])])}


def _has_pytest(names: Collection[str], texts: Mapping[str, str]) -> bool:
    if "pytest.ini" in names or any(name.endswith("conftest.py") for name in names):
        return True
    if any(mark in texts.get(file, "") for file, marks in _PYTEST_MARKS.items() for mark in marks):
        return True
    stems = (name.rpartition("/")[2] for name in names)
    return any(
        stem.endswith(".py") and (stem.startswith("test_") or stem.endswith("_test.py")) for stem in stems
    )


def _has_npm_test(package: str) -> bool:
    try:
        script = json.loads(package)["scripts"]["test"]
    except (ValueError, KeyError, TypeError):
        return False
    return isinstance(script, str) and "no test specified" not in script


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_file()] if folder.is_dir() else []
