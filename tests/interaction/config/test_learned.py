"""What a test of an endpoint has taught, on disk."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from roocode.interaction.config.learned import FILE, Learned, read_learned, write_learned
from roocode.interaction.config.places import Places

ONE = Learned("own", "openai", "http://h/v1", "m", "2026-11-30", 4096, {"include_usage": False})


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(home=tmp_path / "home", root=tmp_path, person=tmp_path)


def test_it_comes_back_for_its_own_endpoint_alone(places: Places) -> None:
    write_learned(places, ONE)
    assert read_learned(places, ONE.key) == ONE
    for other in (
        replace(ONE, provider="x"),
        replace(ONE, protocol="anthropic"),
        replace(ONE, base_url="http://h"),
        replace(ONE, model="n"),
    ):
        assert read_learned(places, other.key) is None


def test_a_new_test_takes_the_place_of_the_old_one(places: Places) -> None:
    other = replace(ONE, model="n")
    for learned in (ONE, other, replace(ONE, window=None, profile={})):
        write_learned(places, learned)
    assert read_learned(places, ONE.key) == replace(ONE, window=None, profile={})
    assert read_learned(places, other.key) == other


def test_it_is_the_persons_alone(places: Places) -> None:
    write_learned(places, ONE)
    assert stat.S_IMODE((places.home / FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{oops",
        "[]",
        "{}",
        '{"version": 2, "profiles": []}',
        '{"version": 1, "profiles": [{}]}',
        "[" * 99_999,
    ],
)
def test_a_damaged_file_holds_nothing_and_is_written_anew(places: Places, text: str) -> None:
    places.home.mkdir()
    (places.home / FILE).write_text(text)
    assert read_learned(places, ONE.key) is None
    write_learned(places, ONE)
    assert read_learned(places, ONE.key) == ONE


@pytest.mark.parametrize("window", [True, -1, "4096", None])
def test_a_window_that_is_none_is_none(places: Places, window: object) -> None:
    write_learned(places, ONE)
    path = places.home / FILE
    document = json.loads(path.read_text())
    document["profiles"][0]["window"] = window
    path.write_text(json.dumps(document))
    assert read_learned(places, ONE.key) == replace(ONE, window=None)
