"""The verify command is found, run as it stands, and proves the right tree."""

from __future__ import annotations

import os
import sys
import venv
from pathlib import Path

import pytest

from roocode.engine.team.source_tree import Tree, import_tree, interpreter, packages, source_root
from roocode.engine.team.verify import Verified, choose, detect, run_verify
from roocode.security.isolation.secrets import Secrets

ENV = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({"pytest.ini": ""}, "pytest"),
        ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, "pytest"),
        ({"pyproject.toml": '[dependency-groups]\ntests = ["pytest"]\n'}, "pytest"),
        ({"setup.cfg": "[tool:pytest]\n"}, "pytest"),
        ({"tox.ini": "[pytest]\n"}, "pytest"),
        ({"tests/test_x.py": ""}, "pytest"),
        ({"test/x_test.py": ""}, "pytest"),
        ({"tests/conftest.py": ""}, "pytest"),
        ({"package.json": '{"scripts": {"test": "jest"}}'}, "npm test"),
        ({"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'}, None),
        ({"package.json": "{"}, None),
        ({"package.json": "[]"}, None),
        ({"go.mod": ""}, "go test ./..."),
        ({"Cargo.toml": ""}, "cargo test"),
        ({"go.mod": "", "tests/test_x.py": ""}, "pytest"),
        ({"README.md": "pytest", "pyproject.toml": "[project]\n"}, None),
        ({"src/test_x.py": ""}, None),
        ({}, None),
    ],
)
def test_detect(tmp_path: Path, files: dict[str, str], command: str | None) -> None:
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    assert detect(tmp_path) == command
    names = {name for name in files if not name.startswith("src/")}
    assert choose(names, files) == command


async def verify(command: str, worktree: Path, timeout_s: float = 30, **env: str) -> Verified:
    log = worktree.parent / "logs" / "verify.log"
    log.parent.mkdir(exist_ok=True)
    return await run_verify(command, worktree, env=ENV | env, log=log, timeout_s=timeout_s)


@pytest.fixture
def worktree(tmp_path: Path) -> Path:
    path = tmp_path / "work tree"
    path.mkdir()
    return path


@pytest.mark.asyncio
async def test_green_and_red(worktree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    green = await verify('pwd; echo "it\'s" >&2; x=$(( 1 + 1 )); [ $x = 2 ]', worktree)
    assert (green.green, green.exit_code, green.output) == (True, 0, f"{worktree}\nit's\n")
    assert green.log.read_text() == green.output
    red = await verify("echo broken; exit 3", worktree)
    assert (red.green, red.exit_code, red.output) == (False, 3, "broken\n")
    assert [path.name for path in red.log.parent.iterdir()] == ["verify.log"]
    assert capfd.readouterr() == ("", "")


@pytest.mark.asyncio
async def test_the_begin_and_the_end_of_long_output(worktree: Path) -> None:
    done = await verify("echo begin; seq 20000; echo end", worktree)
    assert done.output.startswith("begin\n1\n")
    assert done.output.endswith("20000\nend\n")
    assert "bytes left out" in done.output
    assert len(done.output) < 9000
    assert len(done.log.read_text().splitlines()) == 20002


@pytest.mark.asyncio
async def test_a_command_that_hangs(worktree: Path) -> None:
    done = await verify("echo begun; sleep 600 & sleep 600", worktree, timeout_s=0.3)
    assert (done.green, done.timed_out, done.output) == (False, True, "begun\n")


@pytest.mark.asyncio
async def test_an_unknown_command(worktree: Path) -> None:
    done = await verify("no-such-program", worktree)
    assert (done.green, done.exit_code) == (False, 127)
    assert "not found" in done.output


def project(folder: Path, layout: str = "src") -> None:
    package = folder / layout / "mypackage"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (folder / "tests").mkdir()
    (folder / "tests" / "__init__.py").write_text("")


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment without anything in it."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, with_pip=False, symlinks=True)
    return folder / "bin" / "python"


def site_packages(python: Path) -> Path:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return python.parent.parent / "lib" / version / "site-packages"


@pytest.mark.asyncio
@pytest.mark.parametrize("layout", ["src", "."])
async def test_an_editable_install_of_another_checkout(tmp_path: Path, python: Path, layout: str) -> None:
    checkout, worktree = tmp_path / "checkout", tmp_path / "worktree"
    project(checkout, layout)
    project(worktree, layout)
    link = site_packages(python) / "mypackage.pth"
    link.write_text(str(checkout / layout))
    try:
        command = f"{python} -P -c 'import mypackage; print(mypackage.__file__)'"
        tree = await import_tree(command, worktree, ENV)
        assert tree == Tree((worktree / layout).resolve() if layout == "src" else worktree, "")
        done = await verify(command, worktree, PYTHONPATH="/elsewhere")
    finally:
        link.unlink()
    assert done.output == f"{worktree / layout / 'mypackage/__init__.py'}\n"
    assert (done.green, done.wrong_tree) == (True, "")


@pytest.mark.asyncio
async def test_an_install_that_goes_before_the_path_is_told(tmp_path: Path, python: Path) -> None:
    checkout, worktree = tmp_path / "checkout", tmp_path / "worktree"
    project(checkout)
    project(worktree)
    finder = site_packages(python) / "editable_finder.py"
    link = site_packages(python) / "editable.pth"
    finder.write_text(
        "import sys\nfrom importlib.machinery import PathFinder\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        return PathFinder.find_spec(name, [{str(checkout / 'src')!r}])\n"
        "sys.meta_path.insert(0, Finder())\n"
    )
    link.write_text("import editable_finder")
    try:
        done = await verify(f"{python} -c 'import mypackage'", worktree)
    finally:
        finder.unlink()
        link.unlink()
    assert (done.exit_code, done.green) == (0, False)
    assert done.wrong_tree == (
        f"mypackage is imported from {checkout}/src/mypackage/__init__.py, not from {worktree}"
    )


@pytest.mark.asyncio
async def test_a_package_of_the_worktree_itself_needs_nothing(tmp_path: Path, python: Path) -> None:
    project(tmp_path)
    link = site_packages(python) / "mypackage.pth"
    link.write_text(str(tmp_path / "src"))
    try:
        assert await import_tree(str(python), tmp_path, ENV) == Tree()
    finally:
        link.unlink()
    assert await import_tree("make test", tmp_path / "tests", ENV) == Tree()


@pytest.mark.asyncio
async def test_the_look_runs_nothing_of_the_worktree(tmp_path: Path, python: Path) -> None:
    checkout, worktree = tmp_path / "checkout", tmp_path / "worktree"
    for folder in (checkout, worktree):
        project(folder, ".")
    sprung = tmp_path / "sprung"
    for name in ("sitecustomize.py", "usercustomize.py", "mypackage/__init__.py", "json.py", "importlib.py"):
        (worktree / name).write_text(f"open({str(sprung)!r}, 'a').write({name!r})\n")
    link = site_packages(python) / "mypackage.pth"
    link.write_text(str(checkout))
    try:
        tree = await import_tree(f"{python} -m pytest", worktree, ENV)
    finally:
        link.unlink()
    assert tree == Tree(worktree, "")
    assert not sprung.exists()


def test_source_root_and_packages(tmp_path: Path) -> None:
    project(tmp_path)
    assert source_root(tmp_path) == tmp_path / "src"
    assert packages(tmp_path) == ()
    for name in ("flat", "not-a-name", "json", "docs"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    assert packages(tmp_path) == ("flat",)


def test_the_interpreter_of_a_command(tmp_path: Path, python: Path) -> None:
    script = tmp_path / "pytest"
    script.write_text(f"#!{python}\n")
    script.chmod(0o755)
    binary = tmp_path / "binary"
    binary.write_bytes(b"\x7fELF\xff")
    binary.chmod(0o755)
    path = os.pathsep.join([str(tmp_path), str(python.parent)])
    env = {"PATH": path}
    assert interpreter("A=1 pytest -q", tmp_path, env) == str(python)
    assert interpreter("./pytest", tmp_path, {"PATH": ""}) == str(python)
    assert interpreter("python -m pytest", tmp_path, env) == str(python)
    for command in ("binary", "make test", "'unclosed", "", "./missing"):
        assert interpreter(command, tmp_path, env) == str(python.parent / "python3")
    assert interpreter("make", tmp_path, {"PATH": str(tmp_path)}) is None


@pytest.mark.asyncio
async def test_the_log_holds_no_secret_and_all_else_byte_for_byte(worktree: Path) -> None:
    token, mask = "ghp_Kd8Wq2Lm6Xv1Rb9Yc5Nh3Pj7Sf0Ga2Te4Uz8", Secrets("salt")
    log = worktree.parent / "verify.log"
    line = f"printf 'a\\377\\r\\n{token}\\nend'"
    done = await run_verify(line, worktree, env=ENV, log=log, mask=mask)
    assert log.read_bytes() == b"a\xff\r\n" + mask(token).encode() + b"\nend"
    assert token not in done.output
    assert [path.name for path in worktree.parent.iterdir() if path.is_file()] == ["verify.log"]
    assert log.stat().st_mode & 0o777 == 0o600
