"""P27: whom RooCode believes: files that nobody else could have written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from roocode.protocol.errors import HostError
from roocode.security.isolation.private_paths import make_private, require_own


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "home" / ".roocode" / "config.yaml"
    make_private(path.parent)
    path.write_text("x")
    path.chmod(0o600)
    return path


def test_what_is_made_is_for_its_owner_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        make_private(tmp_path / "a" / "b")
    finally:
        os.umask(before)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("a", "a/b")] == [0o700, 0o700]


def test_own_and_missing_files_are_believed(file: Path) -> None:
    require_own(file)
    require_own(file.with_name("other"))
    require_own(file.parent.parent / "nowhere" / "at all")


@pytest.mark.parametrize("mode", [0o602, 0o666, 0o646])
def test_a_file_that_others_can_write_is_not(file: Path, mode: int) -> None:
    file.chmod(mode)
    with pytest.raises(HostError, match="everybody may write it") as raised:
        require_own(file)
    assert "chmod go-w" in raised.value.mend


def test_one_that_a_group_can_write_is_not(file: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a file to a group")
    os.chown(file, -1, 12345)
    file.chmod(0o660)
    with pytest.raises(HostError, match="group 12345 may write it"):
        require_own(file)


def test_one_of_another_user_is_not(file: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a file to another user")
    os.chown(file, 12345, -1)
    with pytest.raises(HostError, match="it belongs to user 12345"):
        require_own(file)


@pytest.mark.parametrize("depth", [0, 1])
def test_a_directory_above_that_others_can_write_is_refused(file: Path, depth: int) -> None:
    folder = file.parents[depth]
    folder.chmod(0o777)
    with pytest.raises(HostError, match="everybody may write"):
        require_own(file)
    folder.chmod(0o1777)
    require_own(file)


def test_a_link_is_followed_to_what_it_gives(file: Path, tmp_path: Path) -> None:
    target = tmp_path / "shared.yaml"
    target.write_text("x")
    target.chmod(0o666)
    link = file.with_name("linked.yaml")
    link.symlink_to(target)
    with pytest.raises(HostError, match="may write it"):
        require_own(link)
