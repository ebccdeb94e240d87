"""Searching a real tree: the same answers with ripgrep and without."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from roocode.protocol.errors import HostError
from roocode.tools.search.engine import Engine, newest_first
from roocode.tools.search.query import TYPES, Found, Query

TREE = {
    ".gitignore": "*.log\n/build\nsecret/\n!keep.log\n",
    "a.py": "import os\nclass Alpha:\n    pass\n# end alpha\n",
    "b.txt": "alpha beta\r\nALPHA\r\n",
    "debug.log": "alpha\n",
    "keep.log": "alpha\n",
    "build/out.py": "alpha\n",
    "src/build/in.py": "alpha\nbeta\nalpha\n",
    "src/.gitignore": "gen/\n",
    "src/gen/g.py": "alpha\n",
    "src/deep/gen/g.py": "alpha\n",
    "src/secret/s.py": "alpha\n",
    ".hidden/h.py": "alpha\n",
    ".git/config": "alpha\n",
    ".roocode/worktrees/team/x.py": "alpha\n",
    ".roocode/teams/t/tasks.json": "alpha\n",
    ".roocode/config.yaml": "alpha\n",
    "vendor/.git/HEAD": "alpha\n",
    "vendor/debug.log": "alpha\n",
    "multi.txt": "start {\n  id: 1\n}\nstart {\n}\n",
    "long.min.js": "x" * 3000 + "alpha\n",
    "no newline.md": "alpha",
    "empty.md": "",
    "ünï.md": "alpha é\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for name, text in TREE.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    (root / "latin.txt").write_bytes("caf\xe9 alpha\n".encode("latin-1"))
    (root / "wide.txt").write_bytes("alpha\n".encode("utf-16"))
    (root / "binary.bin").write_bytes(b"\0\1alpha\n")
    (root / "link.py").symlink_to("a.py")
    (root / "linked").symlink_to("src")
    return root


@pytest.fixture(params=["ripgrep", "ours"])
def path(request: pytest.FixtureRequest) -> str:
    """A PATH with ripgrep, or without."""
    if request.param == "ours":
        return "/nowhere"
    if shutil.which("rg") is None:
        pytest.skip("ripgrep is not installed")
    return os.environ["PATH"]


@pytest.fixture
def engine(path: str, tree: Path) -> Engine:
    return Engine({"PATH": path}, tree)


LISTED = {
    ".gitignore", "a.py", "b.txt", "keep.log", "src/build/in.py", "src/.gitignore", ".hidden/h.py",
    ".roocode/config.yaml", "vendor/debug.log", "multi.txt", "long.min.js", "no newline.md", "empty.md",
    "ünï.md", "latin.txt", "wide.txt", "binary.bin",
}  # fmt: skip
WITH_ALPHA = LISTED - {".gitignore", "src/.gitignore", "multi.txt", "empty.md", "binary.bin"}


def texts(found: Found) -> list[tuple[str, int, str, bool]]:
    lines = sorted(found.lines, key=lambda line: (line.path, line.number))
    return [(line.path, line.number, line.text, line.matches) for line in lines]


@pytest.mark.asyncio
async def test_the_list_leaves_out_what_is_ignored(engine: Engine, tree: Path) -> None:
    assert set(await engine.files(tree)) == LISTED
    assert set(await engine.files(tree / "src")) == {"build/in.py", ".gitignore"}
    assert set(await engine.files(tree / "src/deep")) == set()


@pytest.mark.asyncio
async def test_outside_a_repository_ignore_files_count_all_the_same(engine: Engine, tree: Path) -> None:
    shutil.rmtree(tree / ".git")
    assert set(await engine.files(tree)) == LISTED - {"vendor/debug.log"}
    assert "in.py" in await engine.files(tree / "src/build")


@pytest.mark.asyncio
async def test_ignore_files_above_a_working_tree_do_not_count(engine: Engine, tree: Path) -> None:
    (tree / ".gitignore").write_text("**\n")
    inner = tree / "src"
    (inner / ".git").write_text("gitdir: elsewhere\n")
    assert set(await engine.files(inner)) == {".gitignore", "build/in.py", "secret/s.py"}


@pytest.mark.asyncio
async def test_files_and_counts(engine: Engine, tree: Path) -> None:
    query = Query("alpha", ignore_case=True)
    assert set((await engine.search(query, tree)).counts) == WITH_ALPHA
    counted = await engine.search(Query("alpha", mode="count", ignore_case=True), tree)
    assert counted.counts["b.txt"] == 2
    assert counted.counts["src/build/in.py"] == 2
    assert set(counted.counts) == WITH_ALPHA


@pytest.mark.asyncio
async def test_lines_with_context(engine: Engine, tree: Path) -> None:
    found = await engine.search(Query("class", mode="content", before=1, after=2), tree)
    assert texts(found) == [
        ("a.py", 1, "import os", False),
        ("a.py", 2, "class Alpha:", True),
        ("a.py", 3, "    pass", False),
        ("a.py", 4, "# end alpha", False),
    ]
    found = await engine.search(Query("^(alpha|ALPHA)", mode="content", glob="b.txt"), tree)
    assert texts(found) == [("b.txt", 1, "alpha beta", True), ("b.txt", 2, "ALPHA", True)]


@pytest.mark.asyncio
async def test_matches_across_lines(engine: Engine, tree: Path) -> None:
    query = Query(r"start \{.*?id", mode="content", multiline=True, after=1)
    assert texts(await engine.search(query, tree)) == [
        ("multi.txt", 1, "start {", True),
        ("multi.txt", 2, "  id: 1", True),
        ("multi.txt", 3, "}", False),
    ]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("glob", "files"),
    [
        ("*.py", {"a.py", "src/build/in.py", ".hidden/h.py"}),
        ("src/**/*.py", {"src/build/in.py"}),
        ("/a.py", {"a.py"}),
        ("!*.py", WITH_ALPHA - {"a.py", "src/build/in.py", ".hidden/h.py"}),
        ("!src", WITH_ALPHA - {"src/build/in.py"}),
        ("*.{md,txt}", {"b.txt", "no newline.md", "ünï.md", "latin.txt", "wide.txt"}),
        ("debug.log", {"debug.log", "vendor/debug.log"}),
        ("nothing.*", set()),
    ],
)
async def test_globs(engine: Engine, tree: Path, glob: str, files: set[str]) -> None:
    found = await engine.search(Query("alpha", ignore_case=True, glob=glob), tree)
    assert set(found.counts) == files


@pytest.mark.asyncio
async def test_types_and_single_files(engine: Engine, tree: Path) -> None:
    found = await engine.search(Query("alpha", ignore_case=True, names=TYPES["py"]), tree)
    assert set(found.counts) == {"a.py", "src/build/in.py", ".hidden/h.py"}
    only = await engine.search(Query("alpha", mode="content", only="debug.log"), tree)
    assert texts(only) == [("debug.log", 1, "alpha", True)]
    odd = await engine.search(Query("é", mode="content", only="ünï.md"), tree)
    assert texts(odd) == [("ünï.md", 1, "alpha é", True)]


@pytest.mark.asyncio
@pytest.mark.parametrize("pattern", ["(", "[a", "a{2,1}"])
async def test_a_bad_pattern_is_reported(engine: Engine, tree: Path, pattern: str) -> None:
    found = await engine.search(Query(pattern), tree)
    assert "regex" in found.error
    assert not found.counts


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "pattern", ["-e", "--files", r"\bend\b", "[[:alpha:]]+ beta", r"alpha$", r"(?i)ALPHA B"]
)
async def test_patterns_are_patterns(engine: Engine, tree: Path, pattern: str) -> None:
    found = await engine.search(Query(pattern), tree)
    assert found.error == ""
    assert bool(found.counts) == (not pattern.startswith("-"))


@pytest.mark.asyncio
async def test_names_that_are_no_text(engine: Engine, tree: Path) -> None:
    odd = os.fsdecode(b"odd\xff\nname.py")
    (tree / odd).write_text("alpha\n")
    assert odd in await engine.files(tree)
    assert odd in (await engine.search(Query("alpha"), tree)).counts
    assert odd in {line.path for line in (await engine.search(Query("alpha", mode="content"), tree)).lines}


@pytest.mark.asyncio
async def test_too_much_is_cut_at_a_whole_record(path: str, tree: Path) -> None:
    (tree / "big.txt").write_text("alpha line\n" * 200_000)
    found = await Engine({"PATH": path}, tree, limit=100_000).search(
        Query("alpha", mode="content", only="big.txt"), tree
    )
    assert found.cut
    assert 100 < len(found.lines) < 5_000
    assert all(line.text == "alpha line" for line in found.lines)


@pytest.mark.asyncio
async def test_a_pattern_that_takes_for_ever_is_ended(tree: Path) -> None:
    (tree / "evil.txt").write_text("a" * 60 + "\n")
    slow = Engine({"PATH": "/nowhere"}, tree, timeout_s=0.5)
    with pytest.raises(HostError, match="took longer"):
        await slow.search(Query("(a|a)*$x"), tree)


def test_newest_first(tree: Path) -> None:
    old, new, gone = tree / "a.py", tree / "b.txt", tree / "gone"
    os.utime(old, (1_000, 1_000))
    assert newest_first([gone, old, new]) == [new, old, gone]
