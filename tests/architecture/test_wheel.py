"""The wheel carries the folders that ship with RooCode, and knows where they are."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import roocode
from roocode.interaction.config.data_root import data_root

REPOSITORY = Path(__file__).resolve().parents[2]


def test_a_checkout_finds_its_folders() -> None:
    assert data_root() == REPOSITORY


def test_the_version_is_the_packages() -> None:
    import tomllib

    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    assert roocode.__version__ == project["version"]


@pytest.mark.slow
def test_the_wheel_carries_agents_skills_and_teams(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--quiet"]
    subprocess.run([*build, "--wheel-dir", tmp_path, REPOSITORY], check=True, timeout=100)
    wheel = next(tmp_path.glob("roocode-*.whl"))
    unpacked = tmp_path / "unpacked"
    zipfile.ZipFile(wheel).extractall(unpacked)

    data = unpacked / "roocode/_data"
    carried = {path.relative_to(data) for path in data.rglob("*")}
    for folder in ("agents", "skills", "teams"):
        files = [path for path in (REPOSITORY / folder).rglob("*") if path.is_file()]
        ours = {path.relative_to(REPOSITORY) for path in files if "__pycache__" not in path.parts}
        assert ours <= carried, f"{folder} is not whole in the wheel"
    program = "from roocode.interaction.config.data_root import data_root; print(data_root())"
    asked = subprocess.run(
        [sys.executable, "-c", program],
        cwd=unpacked,
        env={"PYTHONPATH": str(unpacked)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert Path(asked.stdout.strip()) == unpacked / "roocode/_data"
