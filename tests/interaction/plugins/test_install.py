"""Installing and updating, from directories, repositories and marketplaces."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roocode.interaction.config.places import Places
from roocode.interaction.plugins import shelf
from roocode.interaction.plugins.finding import Candidate, Finder
from roocode.interaction.plugins.install import changes, install, recorded, remove
from roocode.interaction.plugins.installed import installed
from roocode.interaction.plugins.marketplace import Marketplace
from roocode.interaction.plugins.store import staging
from roocode.protocol.errors import HostError, UserError
from tests.gitrepo import Repo
from tests.interaction.plugins.conftest import SKILL, Find, Install, kit, manifest, write


def state(places: Places) -> dict[str, bytes]:
    """All files below the person's home."""
    paths = places.person.rglob("*")
    return {str(path): path.read_bytes() if path.is_file() else b"" for path in paths}


@pytest.mark.asyncio
async def test_a_commit_is_pinned_and_installing_again_brings_what_is_new(
    places: Places, put: Install, find: Find, tmp_path: Path
) -> None:
    (tmp_path / "r").mkdir()
    repo = Repo.create(tmp_path / "r")
    kit(repo.root)
    first = repo.commit("kit")
    old = await put(f"git+file://{repo.root}")
    repo.commit("more", **{"commands/new.md": "New !`make`\n", "hooks/check.sh": "exit 1\n"})

    assert old.commit == first
    new = await find(f"git+file://{repo.root}")
    assert set(changes(places, old, new)) == {
        "+ command kit:new",
        "+ command kit:new: !make",
        "+ commands/new.md",
        "~ hooks/check.sh",
    }
    (installed(places)[0].data / "kept").write_text("x")
    await put(f"git+file://{repo.root}")

    [plugin] = installed(places)
    assert not plugin.error
    assert (plugin.data / "kept").read_text() == "x"
    assert (plugin.root / "commands/new.md").exists()
    assert sorted(path.name for path in plugin.path.iterdir()) == sorted(
        ["data", "installed.json", plugin.root.name]
    )


@pytest.mark.asyncio
async def test_a_directory_is_taken_as_it_lies(places: Places, put: Install, tmp_path: Path) -> None:
    source = kit(tmp_path / "kit")
    write(source, {".git/config": "[core]\n", "sub/.git/HEAD": "x"})
    record = await put(source)
    assert record.commit == ""
    assert not list(places.plugins.rglob(".git"))


@pytest.mark.asyncio
@pytest.mark.parametrize("by", ["folder", "git"])
async def test_a_marketplace_leads_to_its_plugins(
    places: Places, put: Install, find: Find, environ: dict[str, str], tmp_path: Path, by: str
) -> None:
    (tmp_path / "r").mkdir()
    repo = Repo.create(tmp_path / "r")
    kit(repo.root / "plugins/kit")
    write(repo.root / "plugins/bare", {"skills/a/SKILL.md": SKILL.format(name="a")})
    entries = [
        {"name": "kit", "source": "./plugins/kit", "description": "A \x1b[31mkit", "version": "2"},
        {"name": "bare", "source": "bare", "skills": ["./skills/a"], "strict": False},
        {"name": "far", "source": {"source": "github", "repo": "owner/far", "sha": "0" * 40}},
        {"name": "npm", "source": {"source": "npm", "package": "x"}},
        {"name": "../bad", "source": "./x"},
        {"name": "kit", "source": "./again"},
        "odd",
    ]
    base = {"pluginRoot": "./plugins"}
    market = {"name": "shop", "owner": {"name": "Uma"}, "metadata": base, "plugins": entries}
    write(repo.root, {".claude-plugin/marketplace.json": json.dumps(market)})
    commit = repo.commit("shop")
    source = str(repo.root) if by == "folder" else f"git+file://{repo.root}"

    with staging(places) as into:
        finder = Finder(places, into, places.root, environ)
        listed = await finder.plugin(source)
        assert isinstance(listed, Marketplace)
        found, address, at = await finder.marketplace(source)
    assert [offer.name for offer in listed.offers] == ["kit", "bare", "far", "npm"]
    assert len(listed.faults) == 3
    assert at == ("" if by == "folder" else commit)
    shelf.add(places, found, address, at)

    record = await put("kit@shop")
    assert (record.name, record.marketplace) == ("kit", "shop")
    assert (await put(source, "bare")).brings == ("skill bare:a  does a",)
    with pytest.raises(UserError, match="'npm' is not supported"):
        await find("npm@shop")
    with pytest.raises(UserError, match="did you mean 'kit'"):
        await find("kitt@shop")
    with pytest.raises(UserError, match="no marketplace 'other'"):
        await find("kit@other")


@pytest.mark.asyncio
async def test_a_marketplace_of_one_plugin_is_that_plugin(find: Find, tmp_path: Path) -> None:
    kit(tmp_path / "shop/kit")
    market = {"name": "shop", "plugins": [{"name": "mine", "source": "./kit"}]}
    write(tmp_path / "shop", {".claude-plugin/marketplace.json": json.dumps(market)})
    assert (await find(tmp_path / "shop")).manifest.name == "mine"


@pytest.mark.asyncio
async def test_a_plugin_that_also_lists_itself_is_a_plugin(find: Find, tmp_path: Path) -> None:
    kit(tmp_path / "kit")
    market = {"name": "shop", "plugins": [{"name": name, "source": "./"} for name in ("kit", "other")]}
    write(tmp_path / "kit", {".claude-plugin/marketplace.json": json.dumps(market)})
    assert (await find(tmp_path / "kit")).manifest.name == "kit"


def test_a_marketplace_is_kept_once_and_leaves_no_trace(places: Places, find: Find, tmp_path: Path) -> None:
    from roocode.interaction.plugins.address import Address

    before = state(places)
    shop = Marketplace("shop", "", "", ())
    shelf.add(places, shop, Address("folder", "/a"), "")
    shelf.add(places, shop, Address("folder", "/a"), "")
    assert [each.name for each in shelf.shelved(places)] == ["shop"]
    assert (places.plugins / shelf.FILE).stat().st_mode & 0o777 == 0o600
    with pytest.raises(UserError, match="was added from /a"):
        shelf.add(places, shop, Address("folder", "/b"), "")
    assert shelf.remove(places, "shop")
    assert not shelf.remove(places, "shop")
    assert state(places) == before


@pytest.mark.asyncio
async def test_removal_leaves_no_trace(places: Places, put: Install, tmp_path: Path) -> None:
    source = kit(tmp_path / "kit")
    write(places.person, {".bashrc": "x", ".config/a": "b"})
    before = state(places)
    record = await put(source)
    (places.plugins / "kit/data/pycache").mkdir()
    (places.plugins / "kit/data/pycache/x").write_text("x")
    (places.plugins / "kit" / record.folder / "made").write_text("x")
    assert state(places) != before

    assert remove(places, "kit")

    assert state(places) == before
    assert not remove(places, "kit")
    assert not remove(places, "../home")
    assert state(places) == before


@pytest.mark.asyncio
async def test_removal_of_one_leaves_the_others(places: Places, put: Install, tmp_path: Path) -> None:
    await put(kit(tmp_path / "kit"))
    before = state(places)
    await put(write(kit(tmp_path / "b"), {".claude-plugin/plugin.json": manifest("b")}))
    remove(places, "b")
    assert state(places) == before


@pytest.mark.asyncio
async def test_what_only_looks_like_a_plugin_is_removed_and_nothing_behind_it(
    places: Places, put: Install, tmp_path: Path
) -> None:
    await put(kit(tmp_path / "kit"))
    before = state(places)
    (places.plugins / "link").symlink_to(tmp_path / "kit")
    (places.plugins / "file").write_text("x")
    (places.plugins / "half").mkdir()
    assert [each.name for each in installed(places) if each.error] == ["file", "half", "link"]
    for name in ("file", "half", "link"):
        assert remove(places, name)
    assert state(places) == before
    assert (tmp_path / "kit/hooks/check.sh").exists()


@pytest.mark.asyncio
async def test_names_that_differ_in_case_alone_are_not_both_installed(
    places: Places, put: Install, tmp_path: Path
) -> None:
    await put(kit(tmp_path / "kit"))
    other = write(kit(tmp_path / "b"), {".claude-plugin/plugin.json": manifest("KIT")})
    with pytest.raises(UserError, match="KIT could be taken for it"):
        await put(other)
    assert [each.name for each in installed(places)] == ["kit"]


@pytest.mark.asyncio
async def test_what_was_shown_is_what_is_replaced(
    places: Places, put: Install, environ: dict[str, str], tmp_path: Path
) -> None:
    source = kit(tmp_path / "kit")
    with staging(places) as into:
        shown = await Finder(places, into, places.root, environ).plugin(str(source))
        assert isinstance(shown, Candidate)
        write(source, {"hooks/check.sh": "evil\n"})
        await put(source)
        with pytest.raises(HostError, match="changed by another process"):
            install(places, shown, into=into, before=None)
        record = install(places, shown, into=tmp_path_of(into), before=recorded(places, "kit"))
    assert (places.plugins / "kit" / record.folder / "hooks/check.sh").read_text() == "#!/bin/sh\nexit 0\n"


def tmp_path_of(into: Path) -> Path:
    """Another folder on the same disk."""
    other = into / "again"
    other.mkdir()
    return other


def test_what_a_killed_process_left_is_swept_but_not_what_a_living_one_has(places: Places) -> None:
    with staging(places) as living:
        for name in (".new-dead", ".old-dead"):
            write(places.plugins / name, {"a/b": "x"})
        with staging(places):
            assert not (places.plugins / ".new-dead").exists()
            assert not (places.plugins / ".old-dead").exists()
            assert living.is_dir()
    assert not places.home.exists()
