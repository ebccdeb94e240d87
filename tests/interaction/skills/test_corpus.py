"""Skills and commands that nobody here wrote: each loads, or is refused with a reason that is true."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from roocode.interaction.config.places import Places
from roocode.interaction.config.trust import Standing
from roocode.interaction.skills.discover import find_commands, find_skills
from roocode.interaction.skills.substitute import Given, filled

CORPUS = Path(os.environ.get("ROOCODE_SHARED", Path(__file__).parents[4] / "shared")) / "corpus"

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpora are not here")


@pytest.mark.parametrize("kind", ["skills", "commands"])
def test_every_file_loads_or_says_why(
    places: Places, kind: str, record_testsuite_property: Callable[[str, object], None]
) -> None:
    places.home.mkdir(parents=True)
    (places.home / kind).symlink_to(CORPUS / kind)
    every = (CORPUS / kind).rglob("*.md")
    files = [path for path in every if kind == "commands" or path.name.lower() == "skill.md"]
    find = find_skills if kind == "skills" else find_commands
    found = [each for each in find(places, Standing(False, False)) if each.owner == "user"]
    by_path = {os.path.realpath(each.path): each for each in found}
    assert [path for path in files if os.path.realpath(path) not in by_path] == []
    counts = Counter(
        "refused" if each.error else "shadowed" if each.shadowed_by else "noted" if each.notes else "plain"
        for each in found
    )
    for name, count in counts.items():
        record_testsuite_property(f"{kind} {name}", count)
    refused = [(each.path, each.error) for each in found if each.error]
    assert refused == []
    for each in found:
        assert each.value is not None
        assert each.value.description
        assert each.name == each.name.strip()
        assert " " not in each.name
        parts = filled(each.value.body, Given("one two", each.value.arguments))
        assert parts
