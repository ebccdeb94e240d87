"""A person's home and a project, both empty."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from roocode.interaction.config.load import load_settings
from roocode.interaction.config.places import Places, find_places
from roocode.interaction.config.settings import Settings
from roocode.interaction.config.sources import Flag


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """The environment of a person with a home of their own."""
    home = tmp_path / "home"
    home.mkdir()
    return {"HOME": str(home)}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A directory with a `.git` and a `.roocode`."""
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    (root / ".roocode").mkdir()
    return root


@pytest.fixture
def places(project: Path, env: dict[str, str]) -> Places:
    """The places of that project."""
    return find_places(project, env)


@pytest.fixture
def user_file(places: Places) -> Path:
    """The user's configuration, not written yet, in a directory that exists."""
    places.home.mkdir()
    return places.config("user")


@pytest.fixture
def load(project: Path, env: dict[str, str]) -> Callable[..., Settings]:
    """Loads the project's settings: `load(*flags, **more_environment)`."""

    def loaded(*flags: Flag, **more: str) -> Settings:
        given: Sequence[Flag] = flags
        return load_settings(project, {**env, **more}, given)

    return loaded
