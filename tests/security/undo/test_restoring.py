"""A rewind does what it can, and names the rest."""

from __future__ import annotations

from pathlib import Path

from roocode.protocol.tools import Workspace
from roocode.security.sandbox.files import SafeFiles
from roocode.security.undo.restoring import restore
from roocode.security.undo.states import PLAIN, FileState, Plan, Step, blob_id, look


def kept(content: bytes) -> FileState:
    return FileState(PLAIN, blob_id(content))


def test_what_changes_meanwhile_or_is_refused_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    root = tmp_path.resolve() / "proj"
    root.mkdir()
    for name in ("a", "b", "c", ".mcp.json"):
        (root / name).write_text("agent")
    agent, was = kept(b"agent"), kept(b"was")
    steps = tuple(Step(str(root / name), agent, was) for name in ("a", "b", ".mcp.json"))
    plan = Plan((*steps, Step(str(root / "c"), agent, None)), {"/x": "left"})
    (root / "a").write_text("person")
    done = restore(plan, lambda _: b"was", SafeFiles(Workspace(root), tmp_path), look)
    assert (root / "a").read_text() == "person"
    assert (root / "b").read_text() == "was"
    assert (done.restored, done.removed) == ((str(root / "b"),), (str(root / "c"),))
    assert set(done.kept) == {"/x", str(root / "a"), str(root / ".mcp.json")}
    assert done.kept[str(root / "a")] == "left as it is: it was changed since"
    assert "protected" in done.kept[str(root / ".mcp.json")]


def test_a_file_takes_the_place_of_a_directory_only_when_that_is_empty(tmp_path: Path) -> None:
    root = tmp_path.resolve() / "proj"
    for name in ("one", "two"):
        (root / name).mkdir(parents=True)
        (root / name / "agents").write_text("agent")
    (root / "two" / "persons").write_text("person")
    agent, was = kept(b"agent"), kept(b"was")
    steps = [Step(str(root / name), None, was) for name in ("one", "two")]
    steps += [Step(str(root / name / "agents"), agent, None) for name in ("one", "two")]
    done = restore(Plan(tuple(steps), {}), lambda _: b"was", SafeFiles(Workspace(root), tmp_path), look)
    assert (root / "one").read_text() == "was"
    assert (root / "two" / "persons").read_text() == "person"
    assert list(done.kept) == [str(root / "two")]
