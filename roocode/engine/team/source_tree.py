"""Which tree Python imports a project's own packages from: the worktree's, or another checkout's."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from roocode.protocol.frozen import frozen
from roocode.security.sandbox.process import run

_NOT_SHIPPED = frozenset(
    ("tests", "test", "testing", "docs", "doc", "examples", "scripts", "tools", "build", "dist")
)
_PROBE = """
import importlib.util, json, sys
root, *names = sys.argv[1:]
def find():
    found = {}
    for name in names:
        spec = importlib.util.find_spec(name)
        places = [] if spec is None else [spec.origin, *(spec.submodule_search_locations or ())]
        found[name] = next((place for place in places if place), None)
    return found
before = find()
sys.path.insert(0, root)
print(json.dumps([before, find()]))
"""
"""Looks for packages without and with the worktree's root. The root comes only after the start, so that no
`sitecustomize` of it runs, and nothing is imported: a top-level name is found by its files."""


@frozen
class Tree:
    """`first` is to stand first on PYTHONPATH, None when it need not; `wrong`: what that does not mend."""

    first: Path | None = None
    wrong: str = ""


async def import_tree(command: str, worktree: Path, env: Mapping[str, str]) -> Tree:
    """Asks the interpreter that `command` would use where it finds the worktree's packages.

    The interpreter is the command's own (python, or a script's first line), else python3 on PATH. It runs
    nothing of the worktree.
    """
    root = source_root(worktree)
    names = packages(root)
    python = interpreter(command, worktree, env) if names else None
    if python is None:
        return Tree()
    asked = await run([python, "-c", _PROBE, str(root), *names], cwd=Path("/"), env=env)
    if asked.code:
        return Tree()
    before, mended = json.loads(asked.out)
    if not _elsewhere(before, worktree):
        return Tree()
    still = _elsewhere(mended, worktree)
    wrong = [f"{name} is imported from {place}, not from {worktree}" for name, place in still.items()]
    return Tree(root, "; ".join(wrong))


def source_root(worktree: Path) -> Path:
    """`src` where it holds packages, else the worktree itself."""
    return worktree / "src" if packages(worktree / "src") else worktree


def packages(root: Path) -> tuple[str, ...]:
    """The names that a project's source root brings: its packages, without tests and the like."""
    folders = (path.parent.name for path in root.glob("*/__init__.py"))
    shipped = (name for name in folders if name.isidentifier() and name not in _NOT_SHIPPED)
    return tuple(sorted(set(shipped) - sys.stdlib_module_names))


def interpreter(command: str, worktree: Path, env: Mapping[str, str]) -> str | None:
    """The Python that a command line would run, None when there is none."""
    try:
        words = [word for word in shlex.split(command) if not re.match(r"\w+=", word)]
    except ValueError:
        words = []
    path = env.get("PATH", os.defpath)
    program = _which(words[0], worktree, path) if words else None
    if program and Path(program).name.startswith("python"):
        return program
    return (_shebang_python(Path(program), path) if program else None) or shutil.which("python3", path=path)


def _which(word: str, worktree: Path, path: str) -> str | None:
    if "/" in word:
        local = worktree / word
        return str(local) if os.access(local, os.X_OK) else None
    return shutil.which(word, path=path)


def _shebang_python(script: Path, path: str) -> str | None:
    with script.open("rb") as file:
        first = file.readline(1024)
    words = first[2:].decode("utf-8", "replace").split() if first.startswith(b"#!") else []
    found = [word for word in words if Path(word).name.startswith("python")]
    return shutil.which(found[0], path=path) if found else None


def _elsewhere(found: Mapping[str, str | None], worktree: Path) -> dict[str, str]:
    """The packages that are not found in the worktree, and where they are found ("nowhere")."""
    inside = worktree.resolve()
    return {
        name: place or "nowhere"
        for name, place in found.items()
        if place is None or not Path(place).resolve().is_relative_to(inside)
    }
