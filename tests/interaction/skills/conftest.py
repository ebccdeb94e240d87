"""A person and a project with skills."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roocode.interaction.config.places import Places, find_places

Put = Callable[[Path, str], Path]


@pytest.fixture
def places(tmp_path: Path) -> Places:
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    (project / ".git").mkdir(parents=True)
    return find_places(project, {"HOME": str(home)})


@pytest.fixture
def put() -> Put:
    """Writes a file with all that is above it."""

    def write(path: Path, text: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write
