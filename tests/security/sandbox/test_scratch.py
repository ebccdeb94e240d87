"""Temporary directories of agents: private, and none is left behind by one that was killed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from roocode.security.sandbox.scratch import Scratch, sweep

REPOSITORY = Path(__file__).parents[3]
KILLED = """
import os, signal
from roocode.security.sandbox.scratch import Scratch
scratch = Scratch()
(scratch.temporary / "left").write_text("x")
print(scratch.path, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def area(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory for temporary files of its own."""
    folder = tmp_path / "area"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def killed(area: Path) -> Path:
    """What an agent left that was killed."""
    env = {**os.environ, "TMPDIR": str(area), "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(
        [sys.executable, "-c", KILLED], env=env, capture_output=True, text=True, check=False
    )
    return Path(done.stdout.strip())


def test_it_is_private_and_goes_with_its_agent(area: Path) -> None:
    scratch = Scratch()
    for folder in (scratch.path, scratch.temporary, scratch.spool):
        assert folder.stat().st_mode & 0o777 == 0o700
    scratch.remove()
    scratch.remove()
    assert list(area.iterdir()) == []


def test_what_a_killed_agent_left_is_swept_and_a_living_one_keeps_its_own(area: Path) -> None:
    alive, left = Scratch(), killed(area)
    assert (left / "tmp/left").exists()
    assert sweep() == (left.name,)
    assert not left.exists()
    assert alive.temporary.is_dir()
    alive.remove()


def test_what_is_not_ours_for_certain_stays(area: Path, tmp_path: Path) -> None:
    (area / "roocode-demo").mkdir()
    other = tmp_path / "other"
    other.mkdir()
    (other / "alive.lock").write_text("")
    (area / "roocode-link").symlink_to(other)
    (area / "roocode-trap").mkdir()
    (area / "roocode-trap/alive.lock").symlink_to(other / "alive.lock")
    (area / "roocode-pipe").mkdir()
    os.mkfifo(area / "roocode-pipe/alive.lock")
    assert sweep() == ()
    assert sorted(entry.name for entry in area.iterdir()) == [
        "roocode-demo",
        "roocode-link",
        "roocode-pipe",
        "roocode-trap",
    ]


def test_links_in_what_is_swept_are_not_followed(area: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("x")
    left = killed(area)
    (left / "tmp/link").symlink_to(precious)
    assert sweep() == (left.name,)
    assert (precious / "file").exists()


def test_a_directory_of_others_is_no_reason_to_fail(tmp_path: Path) -> None:
    assert sweep(tmp_path / "gone") == ()
