"""Another process swaps directories and files while tools work: nothing outside is read or written."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from roocode.protocol.errors import HostError
from roocode.protocol.tools import Workspace
from roocode.security.sandbox.files import PathRefused, SafeFiles
from tests.exchange import exchanging

_ROUNDS = 1_000
"""Of two accesses each."""


@pytest.fixture
def top(tmp_path: Path) -> Path:
    top = tmp_path.resolve()
    for directory in ("proj/race/deep", "outside/deep", "home"):
        (top / directory).mkdir(parents=True)
    for directory in ("outside", "outside/deep"):
        (top / directory / "a.txt").write_text("secret")
    for directory in ("proj/race", "proj/race/deep"):
        (top / directory / "a.txt").write_text("inside")
    return top


@pytest.fixture
def files(top: Path) -> SafeFiles:
    return SafeFiles(Workspace(top / "proj"), top / "home")


def _names(directory: Path) -> set[str]:
    return {str(path.relative_to(directory)) for path in directory.rglob("*")}


def test_a_directory_that_becomes_a_link_again_and_again(top: Path, files: SafeFiles) -> None:
    (top / "proj/link").symlink_to(top / "outside")
    before = _names(top / "outside")
    read: set[bytes] = set()
    number = refused = written = 0

    with exchanging(top / "proj/race", top / "proj/link"):
        while number < _ROUNDS or not (read and written and refused):
            number += 1
            path = ("race/a.txt", "race/deep/a.txt", f"race/new{number % 9}/x")[number % 3]
            try:
                files.write(path, b"inside %d" % number)
                written += 1
                read.add(files.read(path))
            except (PathRefused, HostError):
                refused += 1

    assert all(content.startswith(b"inside") for content in read)
    assert _names(top / "outside") == before
    assert (top / "outside/a.txt").read_text() == (top / "outside/deep/a.txt").read_text() == "secret"


def test_a_file_that_becomes_a_link_and_a_pipe_again_and_again(top: Path, files: SafeFiles) -> None:
    (top / "proj/link").symlink_to(top / "outside/a.txt")
    os.mkfifo(top / "proj/pipe")
    read: set[bytes] = set()
    refused = 0

    with exchanging(top / "proj/race/a.txt", top / "proj/link", top / "proj/pipe"):
        for _ in range(_ROUNDS):
            try:
                read.add(files.read("race/a.txt"))
                files.write("race/a.txt", b"inside")
            except (PathRefused, HostError):
                refused += 1

    assert read == {b"inside"}
    assert refused
    assert (top / "outside/a.txt").read_text() == "secret"


def test_a_listing_of_a_directory_that_is_swapped_shows_nothing_of_the_outside(
    top: Path, files: SafeFiles
) -> None:
    (top / "proj/link").symlink_to(top / "outside")
    (top / "outside/only-outside").touch()
    seen: set[str] = set()
    refused = 0

    with exchanging(top / "proj/race", top / "proj/link"):
        for _ in range(3 * _ROUNDS):
            try:
                seen |= {entry.name for entry in files.scandir("race")}
            except PathRefused:
                refused += 1

    assert refused
    assert seen == {"a.txt", "deep"}


def test_a_directory_that_was_moved_out_is_not_written_to(top: Path, files: SafeFiles) -> None:
    where = files.resolve("race/a.txt", to_write=True)
    os.rename(top / "proj/race", top / "outside/moved")

    files.write(where, b"new")

    assert (top / "outside/moved/a.txt").read_text() == "inside"
    assert (top / "proj/race/a.txt").read_text() == "new"


def test_a_held_directory_stays_the_one_that_was_judged(top: Path, files: SafeFiles) -> None:
    with files.held("race") as at:
        os.rename(top / "proj/race", top / "proj/aside")
        (top / "proj/race").symlink_to(top / "outside")

        done = subprocess.run(["cat", "a.txt"], cwd=at, capture_output=True, text=True, check=True)
    assert done.stdout == "inside"

    with pytest.raises(PathRefused), files.held("race"):
        pass
