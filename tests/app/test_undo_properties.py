"""Whatever agent and person do in turns: a rewind keeps what is the person's and undoes what is not."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roocode.app.undoing import Undo
from roocode.memory.sessions.conversation import Conversation
from roocode.memory.sessions.log import Header
from roocode.protocol.tools import Workspace
from roocode.security.permissions.paths import pinned
from roocode.security.sandbox.files import SafeFiles
from tests.gitrepo import Repo

NAMES = ("a.txt", "a.txt", "new", "new", "d/in", "d/e/deep", "line\nbreak", "sp ace", "\udcff")
State = Mapping[str, bytes | str]
name = st.sampled_from(NAMES)
edit = st.one_of(
    st.tuples(st.just("write"), name, st.sampled_from([b"", b"1", b"2\r\n"])),
    st.tuples(st.just("remove"), name, st.just(b"")),
    st.tuples(st.just("link"), name, st.just(b"")),
    st.tuples(st.just("chmod"), name, st.just(b"")),
)
edits = st.lists(edit, max_size=4)


def state(root: Path) -> State:
    found: dict[str, bytes | str] = {}
    for path in root.rglob("*"):
        if path.is_symlink():
            found[str(path)] = f"-> {os.readlink(path)}"
        elif path.is_file() and ".git" not in path.parts:
            found[str(path)] = path.read_bytes() + (b" x" if path.stat().st_mode & 0o100 else b"")
    return found


def do(root: Path, what: str, name: str, content: bytes) -> None:
    path = root / name
    if what == "remove" and os.path.lexists(path):
        path.unlink()
    elif what == "chmod" and path.is_file() and not path.is_symlink():
        path.chmod(path.stat().st_mode ^ 0o111)
    elif what in ("write", "link"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        if what == "link":
            path.symlink_to("a.txt")
        else:
            path.write_bytes(content)


def expected(history: list[tuple[State, State]], now: State) -> State:
    """For each path: back through the turns as long as each left what the next one, or the present, has."""
    wanted = dict(now)
    for path in {path for pair in history for each in pair for path in each}:
        for before, after in reversed(history):
            if before.get(path) == after.get(path):
                continue
            if after.get(path) != wanted.get(path):
                break
            if path in before:
                wanted[path] = before[path]
            else:
                wanted.pop(path, None)
    return wanted


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return Repo.create(tmp_path_factory.mktemp("template"))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(edits, edits), min_size=1, max_size=3), st.data())
def test_what_is_the_persons_stays_and_what_is_the_agents_goes(
    template: Repo, turns: list[tuple[list[tuple[str, str, bytes]], ...]], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder).resolve()
        root = base / "project"
        shutil.copytree(template.root, root, symlinks=True)
        to = data.draw(st.integers(1, len(turns)))
        asyncio.run(_play(base, root, template.env, turns, to))


async def _play(
    base: Path,
    root: Path,
    env: dict[str, str],
    turns: list[tuple[list[tuple[str, str, bytes]], ...]],
    to: int,
) -> None:
    faults: list[str] = []
    undo = opened(base, root, env, faults.append)
    history: list[tuple[State, State]] = []
    for agents, persons in turns:
        undo.begin("go")
        before = state(root)
        if agents:
            await undo.changing(())
        for step in agents:
            do(root, *step)
        await undo.end()
        history.append((before, state(root)))
        for step in persons:
            do(root, *step)
    now = state(root)
    wanted = expected(history[to - 1 :], now)
    rewound = await undo.rewind(to, "code")
    assert state(root) == wanted
    assert rewound.notes == ()
    assert set(rewound.restored) | set(rewound.removed) == {
        path for path in {*now, *wanted} if now.get(path) != wanted.get(path)
    }
    await undo.rewind(rewound.number, "code")
    assert state(root) == now
    assert faults == []


def opened(base: Path, root: Path, env: dict[str, str], told: Callable[[str], None]) -> Undo:
    header = Header(id="s1", cwd=str(root), model="m", mode="default", system="")
    conversation = Conversation.create(base / "s1.jsonl", header)
    workspace = pinned(Workspace(root=root))
    return Undo(conversation, root, SafeFiles(workspace, base), env, told, resumed=False)
