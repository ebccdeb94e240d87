"""`roocode agents`, `skills` and `teams`: what is used, and what is not and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.app.conftest import REPOSITORY, Roocode


def listed(roocode: Roocode, kind: str) -> dict[str, dict[str, Any]]:
    """The rows by path."""
    return {row["path"]: row for row in json.loads(roocode(kind, "list", "--json").stdout)}


def test_what_ships_is_listed_with_its_path(roocode: Roocode) -> None:
    rows = listed(roocode, "agents")

    assert rows[str(REPOSITORY / "agents/explore.md")] == {
        "name": "Explore",
        "source": "shipped",
        "path": str(REPOSITORY / "agents/explore.md"),
    }


def test_nearer_files_shadow_and_untrusted_ones_are_not_used(
    roocode: Roocode, home: Path, project: Path
) -> None:
    for folder in (home / ".roocode/agents", project / ".roocode/agents"):
        folder.mkdir(parents=True)
        (folder / "mine.md").write_text("---\nname: Explore\n---\nLook.\n")
    own, theirs = home / ".roocode/agents/mine.md", project / ".roocode/agents/mine.md"
    shipped = str(REPOSITORY / "agents/explore.md")

    rows = listed(roocode, "agents")
    assert rows[str(theirs)]["error"] == "this directory is not trusted"
    assert rows[shipped]["shadowed_by"] == str(own)

    roocode("trust", "--yes")
    rows = listed(roocode, "agents")
    assert "error" not in rows[str(theirs)]
    assert rows[str(own)]["shadowed_by"] == str(theirs)
    assert rows[shipped]["shadowed_by"] == str(theirs)


@pytest.mark.parametrize(
    ("kind", "path", "text", "name"),
    [
        ("agents", "agents/plain.md", "No front matter.\n", "plain"),
        ("skills", "skills/mend/SKILL.md", "---\nname: mend\n---\nDo.\n", "mend"),
        ("teams", "teams/two.yaml", "name: pair\n", "pair"),
    ],
)
def test_each_kind_has_its_place_and_name(
    roocode: Roocode, home: Path, kind: str, path: str, text: str, name: str
) -> None:
    file = home / ".roocode" / path
    file.parent.mkdir(parents=True)
    file.write_text(text)

    assert listed(roocode, kind)[str(file)]["name"] == name
    assert roocode(kind, "show", name).stdout == text


def test_a_broken_file_is_listed_with_its_error(roocode: Roocode, home: Path) -> None:
    folder = home / ".roocode/agents"
    folder.mkdir(parents=True)
    (folder / "bad.md").write_text("---\nname: [\n---\n")
    (folder / "bytes.md").write_bytes(b"---\nname: \xff\n---\n")

    rows = listed(roocode, "agents")

    assert "its name '[' is none" in rows[str(folder / "bad.md")]["error"]
    assert "not UTF-8" in rows[str(folder / "bytes.md")]["error"]
    assert "not used: " in roocode("agents", "list").stdout


def test_an_unknown_name_is_an_error_with_the_nearest(roocode: Roocode) -> None:
    done = roocode("agents", "show", "Explor")

    assert done.returncode == 42
    assert "there is no agent 'Explor'" in done.stderr
    assert "'Explore'" in done.stderr
