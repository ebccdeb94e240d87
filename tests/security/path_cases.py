"""The path corpus: each line is built on disk, judged, carried out if it may be, and looked at afterwards."""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from roocode.protocol.errors import HostError
from roocode.protocol.tools import Workspace
from roocode.security.permissions.check import check
from roocode.security.permissions.names import canonical
from roocode.security.permissions.paths import pinned
from roocode.security.permissions.policy import Policy
from roocode.security.sandbox.files import PathRefused, SafeFiles

CORPORA = [Path(__file__).parent / "corpus" / f"path_{name}.jsonl" for name in ("sandbox", "red_team")]


class NotHere(Exception):
    """This machine cannot build the case."""


@dataclass
class World:
    """The directories of one case: `{T}` and all that lies in it."""

    top: Path
    mounts: list[Path] = field(default_factory=list)

    @property
    def names(self) -> dict[str, str]:
        return {
            "{T}": str(self.top),
            "{P}": str(self.top / "proj"),
            "{O}": str(self.top / "outside"),
            "{X}": str(self.top / "extra"),
            "{H}": str(self.top / "home"),
        }

    def fill(self, text: str) -> str:
        for name, path in self.names.items():
            text = text.replace(name, path)
        return text

    def create(self) -> None:
        contents = {
            "{P}/src/a.py": "print('a')\n",
            "{P}/README.md": "# proj\n",
            "{P}/.git/HEAD": "ref: refs/heads/main\n",
            "{P}/.git/config": "[core]\n\tbare = false\n",
            "{P}/sub/.git/HEAD": "ref: refs/heads/main\n",
            "{O}/secret.txt": "top-secret\n",
            "{O}/dir/inner.txt": "inner\n",
            "{X}/data.txt": "data\n",
            "{H}/.ssh/id_ed25519": "key\n",
        }
        for path, content in contents.items():
            self.do({"op": "file", "path": path, "content": content})

    def do(self, step: Mapping[str, str]) -> None:
        path = Path(self.fill(step["path"]))
        path.parent.mkdir(parents=True, exist_ok=True)
        match step["op"]:
            case "file":
                path.write_text(self.fill(step["content"]))
            case "mkdir":
                path.mkdir(parents=True, exist_ok=True)
            case "symlink":
                path.symlink_to(self.fill(step["target"]))
            case "hardlink":
                os.link(self.fill(step["target"]), path)
            case "fifo":
                os.mkfifo(path)
            case "socket":
                with socket.socket(socket.AF_UNIX) as listener:
                    listener.bind(os.path.relpath(path))
            case "device":
                self._device(path)
            case "unlink":
                path.unlink()
            case "rmtree":
                shutil.rmtree(path)
            case "bind_mount":
                self._mount(path, self.fill(step["target"]))
            case other:
                raise AssertionError(f"unknown step {other}")

    def _device(self, path: Path) -> None:
        try:
            os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 5))
        except PermissionError as error:
            raise NotHere("a device needs root") from error

    def _mount(self, path: Path, target: str) -> None:
        path.mkdir(exist_ok=True)
        if subprocess.run(["mount", "--bind", target, path], capture_output=True).returncode:
            raise NotHere("a bind mount needs root and the right to mount")
        self.mounts.append(path)


@contextmanager
def world(top: Path) -> Iterator[World]:
    built = World(top.resolve())
    built.create()
    try:
        yield built
    finally:
        for mount in built.mounts:
            subprocess.run(["umount", mount], check=True)


def cases() -> list[dict[str, Any]]:
    return [json.loads(line) for file in CORPORA for line in file.read_text(encoding="utf-8").splitlines()]


def complaints(case: Mapping[str, Any], there: World) -> list[str]:
    """What is wrong with how the sandbox treats one case; empty where all is right."""
    for step in case["setup"]:
        there.do(step)
    workspace = pinned(
        Workspace(
            Path(there.fill(case.get("root", "{P}"))),
            extra=tuple(Path(there.fill(path)) for path in case.get("extra", ["{X}"])),
        )
    )
    home = Path(there.names["{H}"])
    for step in case.get("after_start", ()):
        there.do(step)
    before = _unchanged(case, there)
    call = {key: there.fill(value) for key, value in case["call"].items()}
    policy = Policy(home, case.get("mode", "default"))
    answer = check(call["tool"], call, policy, workspace, cwd=call.get("cwd"))
    found = [] if case.get("race") or _is_right(case, answer) else [f"{answer}"]
    if call["tool"] == "Bash":
        return found
    try:
        results = _carry_out(case, call, SafeFiles(workspace, home), there)
        wrong = (
            "reached the disk" if case["expect"] == "deny" and call["tool"] not in ("Glob", "Grep") else ""
        )
    except PathRefused as error:
        results = []
        wrong = "" if case["expect"] == "deny" else str(error)
    return [*found, *filter(None, [wrong]), *_after(case, there, before, results)]


def _is_right(case: Mapping[str, Any], answer: Mapping[str, str]) -> bool:
    """Whether the sandbox denies or lets through; in bypass mode, where nobody else asks, whether it asks."""
    if case["expect"] == "deny":
        return answer["decision"] == "deny" and answer["layer"] == "sandbox"
    if "mode" in case:
        return answer["decision"] == case["expect"]
    return answer["decision"] != "deny" or answer["layer"] != "sandbox"


def _carry_out(case: Mapping[str, Any], call: Mapping[str, str], files: SafeFiles, there: World) -> list[str]:
    """Does what the tool would do, with the case's race before its use; returns what a search found."""
    tool, cwd = canonical(call["tool"]), call.get("cwd")
    where = files.resolve(call["path"], cwd=cwd, to_write=tool in ("WriteFile", "EditFile"))
    for step in case.get("race", ()):
        there.do(step)
    try:
        match tool:
            case "ReadFile":
                files.read(where)
            case "EditFile":
                files.write(where, files.read(where) + b"more\n")
            case "WriteFile":
                files.write(where, b"new\n")
            case "Grep":
                return list(_search(files, where.real))
    except HostError:
        assert not os.path.exists(where.real)
    return []


def _search(files: SafeFiles, directory: str) -> Iterator[str]:
    if os.path.isfile(directory):
        yield directory
        return
    for entry in files.scandir(directory):
        path = os.path.join(directory, entry.name)
        if entry.kind == "directory":
            yield from _search(files, path)
        elif entry.kind == "file":
            yield path


def _unchanged(case: Mapping[str, Any], there: World) -> dict[str, bytes]:
    paths = [there.fill(path) for kind, _, path in _posts(case) if kind == "unchanged"]
    return {path: Path(path).read_bytes() for path in paths}


def _after(
    case: Mapping[str, Any], there: World, before: Mapping[str, bytes], results: list[str]
) -> list[str]:
    wrong = [path for path, content in before.items() if Path(path).read_bytes() != content]
    for kind, _, path in _posts(case):
        path = there.fill(path)
        if (kind == "absent" and os.path.lexists(path)) or (kind == "no_result" and path in results):
            wrong.append(path)
    return [f"afterwards: {path}" for path in wrong]


def _posts(case: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    return [post.partition(":") for post in case.get("post", ())]


def score() -> tuple[Counter[str], Counter[str]]:
    """Cases that are right, and all that could be built, by class."""
    right: Counter[str] = Counter()
    built: Counter[str] = Counter()
    for case in cases():
        with TemporaryDirectory() as top, world(Path(top)) as there:
            try:
                wrong = complaints(case, there)
            except NotHere:
                continue
            built[case["class"]] += 1
            right[case["class"]] += not wrong
    return right, built
