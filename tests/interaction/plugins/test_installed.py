"""What installed plugins give, and that it ends with the first change of their files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from roocode.interaction.config.places import Places
from roocode.interaction.config.trust import standing
from roocode.interaction.extensions.found import Read, files_below, find
from roocode.interaction.extensions.places import Folder, folders
from roocode.interaction.plugins.installed import (
    installed,
    plugin_folders,
    plugin_hooks,
    plugin_servers,
    variables,
)
from roocode.interaction.plugins.record import CHANGED, changed, read_record
from tests.interaction.plugins.conftest import SKILL, Install, kit, write


def used(places: Places) -> tuple[int, int, int]:
    """How many folders, hooks and servers count."""
    parts = [*plugin_folders("skills", places), *plugin_folders("agents", places)]
    return len(parts), len(plugin_hooks(places)), len(plugin_servers(places))


@pytest.mark.asyncio
async def test_the_parts_of_a_plugin_with_its_name_and_root(
    places: Places, put: Install, tmp_path: Path
) -> None:
    await put(kit(tmp_path / "kit"))
    [plugin] = installed(places)

    assert plugin_folders("skills", places) == (
        Folder("plugin", plugin.root / "skills", "kit", root=plugin.root),
    )
    [hooks] = plugin_hooks(places)
    assert hooks.source == plugin.root / "hooks/hooks.json"
    assert not hooks.is_yaml
    assert hooks.text == (tmp_path / "kit/hooks/hooks.json").read_text()
    [servers] = plugin_servers(places)
    assert servers.servers == {"db": {"command": "npx", "args": ["-y", "db"]}}
    assert (servers.plugin, servers.root) == ("kit", plugin.root)
    assert variables(plugin.root, plugin.data)["CLAUDE_PLUGIN_ROOT"] == str(plugin.root)
    assert plugin.data.is_dir()


@pytest.mark.asyncio
async def test_extensions_are_found_under_the_plugins_name(
    places: Places, put: Install, tmp_path: Path
) -> None:
    source = write(kit(tmp_path / "kit", commands="./more/one.md"), {"more/one.md": "x", "more/two.md": "x"})
    await put(source)
    files = [
        each
        for folder in folders("commands", places, plugin_folders("commands", places))
        if folder.owner == "plugin"
        for each in files_below(folder, lambda name: name.endswith(".md"))
    ]
    found = find(files, lambda text, path, _: Read(path.stem, text), places, standing(places))
    assert [each.name for each in found if each.is_used] == ["kit:fix", "kit:one"]


def append(path: Path) -> None:
    path.write_text(path.read_text() + "x")


def same_size(path: Path) -> None:
    before = path.stat()
    path.write_bytes(b"#" * before.st_size)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def replaced(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(b"#" * path.stat().st_size)
    other.rename(path)


def linked(path: Path) -> None:
    path.rename(path.parents[5] / "moved")
    path.symlink_to(path.parents[5] / "moved")


CHANGES: list[Callable[[Path], object]] = [
    append,
    same_size,
    replaced,
    linked,
    Path.unlink,
    lambda path: path.chmod(0o700),
    lambda path: path.with_name("new.py").write_text("x"),
    lambda path: os.mkfifo(path.with_name("pipe")),
    lambda path: path.with_name("link").symlink_to("/etc/passwd"),
    lambda path: shutil.rmtree(path.parent),
]


@pytest.mark.asyncio
@pytest.mark.parametrize("change", CHANGES, ids=range(len(CHANGES)))
async def test_a_changed_plugin_has_no_effect_until_it_is_installed_again(
    places: Places, put: Install, tmp_path: Path, change: Callable[[Path], object]
) -> None:
    source = kit(tmp_path / "kit")
    await put(source)
    await put(_named(tmp_path / "other", "other"))
    both = used(places)
    [broken, _] = installed(places)

    change(broken.root / "skills/mend/SKILL.md")

    assert [each.error for each in installed(places)] == [CHANGED, ""]
    assert used(places) == tuple(number // 2 for number in both)
    await put(source)
    assert used(places) == both


def _named(top: Path, name: str) -> Path:
    return write(kit(top), {".claude-plugin/plugin.json": f'{{"name": "{name}"}}'})


@pytest.mark.asyncio
async def test_other_times_or_places_on_the_disk_are_no_change(
    places: Places, put: Install, tmp_path: Path
) -> None:
    await put(kit(tmp_path / "kit"))
    before = used(places)
    shutil.copytree(places.plugins, tmp_path / "backup")
    shutil.rmtree(places.plugins)
    shutil.copytree(tmp_path / "backup", places.plugins)
    [plugin] = installed(places)
    os.utime(plugin.root / "hooks/check.sh")
    assert used(places) == before


@pytest.mark.asyncio
async def test_a_signature_is_only_made_when_a_later_change_must_show(
    places: Places, put: Install, tmp_path: Path
) -> None:
    record = await put(kit(tmp_path / "kit"))
    root = places.plugins / "kit" / record.folder
    for number in range(50):
        same_size(root / "commands/fix.md")
        assert changed(record, root) == CHANGED, number


@pytest.mark.asyncio
async def test_records_that_are_not_believed(places: Places, put: Install, tmp_path: Path) -> None:
    await put(kit(tmp_path / "kit"))
    record = places.plugins / "kit/installed.json"
    text = record.read_text()

    for broken in (
        "",
        "{",
        "[]",
        text.replace('"schema": 1', '"schema": 2'),
        text.replace('"kit"', '"x"', 1),
    ):
        record.write_text(broken)
        [plugin] = installed(places)
        assert plugin.error
        assert used(places) == (0, 0, 0)
    record.write_text(text)
    record.chmod(0o666)
    assert "everybody may write it" in installed(places)[0].error
    record.chmod(0o600)
    assert not installed(places)[0].error
    assert read_record(places.plugins / "kit").name == "kit"


def test_without_plugins_it_costs_nothing(places: Places) -> None:
    assert used(places) == (0, 0, 0)
    assert not places.home.exists()
    code = (
        "import sys; from pathlib import Path\n"
        "from roocode.interaction.config.places import Places\n"
        "from roocode.interaction.plugins.installed import plugin_folders, plugin_hooks, plugin_servers\n"
        f"places = Places(*map(Path, {[str(places.home), str(places.root), str(places.person)]!r}))\n"
        "assert not (plugin_folders('skills', places) + plugin_hooks(places) + plugin_servers(places))\n"
        "print(*sorted({'asyncio', 'json', 'yaml', 'hashlib', 'click'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


@pytest.mark.asyncio
async def test_files_are_for_their_owner_alone(places: Places, put: Install, tmp_path: Path) -> None:
    source = write(kit(tmp_path / "kit"), {"skills/mend/x": SKILL})
    (source / "hooks/check.sh").chmod(0o777)
    (source / "commands/fix.md").chmod(0o666)
    await put(source)
    modes = {path: path.stat().st_mode & 0o7777 for path in places.plugins.rglob("*")}
    assert set(modes.values()) == {0o700, 0o600}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert [path.name for path, mode in modes.items() if path.is_file() and mode == 0o700] == ["check.sh"]
