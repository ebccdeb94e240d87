"""What a teammate's process is given at its start."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from roocode.engine.team import handshake as handshakes
from roocode.engine.team.handshake import Handshake
from roocode.protocol.errors import HostError

GIVEN = Handshake(team_dir="/t", member="alice", key="00", prompt="Go.", env={"KEY": "secret"}, resumed=True)


def test_it_is_private_and_read_once(tmp_path: Path):
    path = handshakes.write(GIVEN, tmp_path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert handshakes.take(path) == GIVEN
    assert not path.exists()
    with pytest.raises(HostError, match="cannot read the handshake"):
        handshakes.take(path)


def test_one_that_others_may_read_or_that_is_a_link_is_refused(tmp_path: Path):
    path = handshakes.write(GIVEN, tmp_path)
    path.chmod(0o640)
    with pytest.raises(HostError, match="is not private"):
        handshakes.take(path)
    path.chmod(0o600)
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(HostError, match="cannot read the handshake"):
        handshakes.take(tmp_path / "link")


def test_one_of_another_version_is_refused(tmp_path: Path):
    path = handshakes.write(GIVEN, tmp_path)
    path.write_text(json.dumps({**json.loads(path.read_text()), "schema": 2}))
    with pytest.raises(HostError, match="another version"):
        handshakes.take(path)


def test_secrets_are_not_in_its_repr():
    assert "secret" not in repr(GIVEN)
    assert "'00'" not in repr(GIVEN)


def test_each_team_has_a_private_directory_without_what_a_killed_lead_left(tmp_path: Path):
    env = {"XDG_RUNTIME_DIR": str(tmp_path)}
    one = handshakes.directory(tmp_path / "one", env)
    other = handshakes.directory(tmp_path / "other", env)
    assert one != other
    assert one.stat().st_mode & 0o777 == 0o700
    left, kept = handshakes.write(GIVEN, one), handshakes.write(GIVEN, other)
    assert handshakes.directory(tmp_path / "one", env) == one
    assert (left.exists(), kept.exists()) == (False, True)
    handshakes.discard(tmp_path / "one", env)
    handshakes.discard(tmp_path / "one", env)
    assert (one.exists(), kept.exists()) == (False, True)


def test_a_directory_that_others_can_enter_is_refused(tmp_path: Path):
    env = {"XDG_RUNTIME_DIR": str(tmp_path)}
    os.chmod(handshakes.directory(tmp_path / "one", env), 0o755)
    with pytest.raises(HostError, match="not a private directory"):
        handshakes.directory(tmp_path / "one", env)
