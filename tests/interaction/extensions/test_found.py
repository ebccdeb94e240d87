"""Extensions are found where they lie, and each says why it is not used."""

from __future__ import annotations

from pathlib import Path

import pytest

from roocode.interaction.config.places import Places, find_places
from roocode.interaction.config.sources import UNTRUSTED
from roocode.interaction.config.trust import effective_files, standing, trust
from roocode.interaction.extensions.found import Found, Read, files_below, find
from roocode.interaction.extensions.places import Folder, folders
from roocode.protocol import front_matter
from roocode.protocol.errors import UserError


@pytest.fixture
def places(tmp_path: Path) -> Places:
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    (project / ".git").mkdir(parents=True)
    return find_places(project, {"HOME": str(home)})


def put(folder: Path, name: str, text: str = "---\nname: {}\n---\nBody\n") -> Path:
    path = folder / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.format(Path(name).stem), encoding="utf-8")
    return path


def read(text: str, path: Path, _folder: Folder) -> Read[str]:
    parsed = front_matter.read(text)
    if parsed.error:
        raise UserError(f"{path.name}: {parsed.error}")
    return Read(str(parsed.fields["name"]), parsed.body)


def all_of(places: Places, plugins: tuple[Folder, ...] = ()) -> tuple[Found[str], ...]:
    files = [
        each
        for folder in folders("agents", places, plugins)
        if folder.owner != "shipped"
        for each in files_below(folder, lambda name: name.endswith(".md"))
    ]
    return find(files, read, places, standing(places))


def test_our_own_win_and_the_project_before_the_person(places: Places) -> None:
    ours = put(places.root / ".roocode/agents", "a")
    put(places.root / ".claude/agents", "a")
    put(places.home / "agents", "a")
    theirs = put(places.person / ".claude/agents", "deep/b")
    trust(places, effective_files(places.root))
    found = all_of(places)
    assert [each.path for each in found if each.is_used] == [ours, theirs]
    assert {each.shadowed_by for each in found if not each.is_used} == {str(ours)}


def test_an_untrusted_project_shadows_nothing(places: Places) -> None:
    put(places.root / ".roocode/agents", "a")
    mine = put(places.home / "agents", "a")
    first, second = all_of(places)
    assert first.error == UNTRUSTED
    assert (second.path, second.is_used) == (mine, True)


def test_what_changed_since_the_yes_does_not_count(places: Places) -> None:
    path = put(places.root / ".roocode/agents", "a")
    trust(places, effective_files(places.root))
    before = standing(places)
    path.write_text("---\nname: a\n---\nOther\n", encoding="utf-8")
    (found,) = find([(Folder("project", path.parent), path)], read, places, before)
    assert found.error == UNTRUSTED


def test_a_broken_file_says_why_and_shadows_nothing(places: Places) -> None:
    put(places.home / "agents", "a", "---\nname: a\nBody\n")
    put(places.person / ".claude/agents", "a")
    broken, sound = all_of(places)
    assert (broken.name, broken.error) == ("a", "a.md: its front matter has no closing ---")
    assert sound.is_used


def test_a_plugins_names_begin_with_its_own(places: Places, tmp_path: Path) -> None:
    put(tmp_path / "plugin/agents", "a")
    put(places.home / "agents", "a")
    found = all_of(places, (Folder("plugin", tmp_path / "plugin/agents", "kit"),))
    assert [(each.name, each.owner) for each in found] == [("a", "user"), ("kit:a", "plugin")]


def test_links_in_a_circle_end(places: Places) -> None:
    folder = places.home / "agents"
    put(folder, "a")
    (folder / "again").symlink_to(folder)
    assert [each.name for each in all_of(places)] == ["a"]
