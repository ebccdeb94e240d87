"""What a plugin or a marketplace may try, and what stops each of it."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Any

import pytest

from roocode.interaction.config.places import Places
from roocode.interaction.plugins import tree as trees
from roocode.interaction.plugins.finding import Candidate, Finder
from roocode.interaction.plugins.install import install
from roocode.interaction.plugins.installed import installed
from roocode.interaction.plugins.store import staging
from roocode.protocol.errors import HostError, UserError
from tests.gitrepo import Repo
from tests.interaction.plugins.conftest import Find, Install, kit, manifest, write
from tests.traps import armed, fill, sprung, trapped


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with a plugin in it, not committed yet."""
    (tmp_path / "r").mkdir()
    repo = Repo.create(tmp_path / "r")
    kit(repo.root)
    return repo


def address(repo: Repo) -> str:
    return f"git+file://{repo.root}"


@pytest.mark.asyncio
async def test_a_repository_full_of_traps_is_installed_without_running_any(
    places: Places, put: Install, environ: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "r").mkdir()
    repo = trapped(tmp_path / "r")
    kit(repo.root)
    repo.git("add", "--all")
    repo.git("-c", "commit.gpgSign=false", "-c", "core.editor=true", "commit", "-q", "-m", "kit")
    assert sprung(repo)
    (repo.root.parent / "sprung").unlink()
    environ["PATH"] = armed(repo)

    with staging(places) as into:
        found = await Finder(places, into, repo.root, environ).plugin(address(repo))
        assert isinstance(found, Candidate)
        install(places, found, into=into, before=None)
    fill(tmp_path / "filled", f"echo obeyed >>'{repo.root.parent}/sprung'")
    await put(kit(tmp_path / "filled/kit"))

    assert sprung(repo) == set()
    assert [(each.name, each.error) for each in installed(places)] == [("kit", "")]


@pytest.mark.asyncio
async def test_content_filters_line_ends_and_substitutions_change_nothing(
    places: Places, put: Install, repo: Repo, environ: dict[str, str]
) -> None:
    trap = shlex.quote(f"touch {repo.root.parent}/sprung; cat")
    write(
        repo.root,
        {
            ".gitattributes": "* filter=lfs ident eol=crlf export-subst text\n",
            "commands/fix.md": "$Id$ $Format:%H$\n",
            ".lfsconfig": "[lfs]\n\turl = https://evil.example\n",
        },
    )
    repo.git("config", "core.attributesFile", "/dev/null")
    Path(environ["HOME"], ".gitconfig").write_text(f'[filter "lfs"]\n\tsmudge = {trap}\n\tprocess = {trap}\n')
    repo.commit("odd")
    await put(address(repo))
    [plugin] = installed(places)
    assert (plugin.root / "commands/fix.md").read_bytes() == b"$Id$ $Format:%H$\n"
    assert not (repo.root.parent / "sprung").exists()


@pytest.mark.asyncio
async def test_submodules_and_big_file_pointers_are_told_and_not_fetched(
    places: Places, put: Install, repo: Repo
) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
    trap = f"ext::sh -c touch% {repo.root.parent}/sprung"
    modules = (
        f'[submodule "sub"]\n\tpath = sub\n\turl = {trap}\n\tupdate = !touch {repo.root.parent}/sprung\n'
    )
    write(repo.root, {"model.bin": pointer, ".gitmodules": modules})
    repo.git("add", "--all")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{repo.head()},sub")
    repo.git("commit", "-q", "-m", "module")

    record = await put(address(repo))

    assert any(note.startswith("sub: a submodule") for note in record.notes)
    assert any(note.startswith("model.bin: kept by Git LFS") for note in record.notes)
    assert not (repo.root.parent / "sprung").exists()


@pytest.mark.asyncio
@pytest.mark.parametrize("target", ["/etc/passwd", "../../../../.ssh/id_rsa", "../data", "installed.json"])
@pytest.mark.parametrize("by", ["folder", "git"])
async def test_links_that_lead_out_refuse_the_plugin(
    places: Places, put: Install, repo: Repo, target: str, by: str
) -> None:
    (repo.root / "skills/mend/link").symlink_to(target)
    repo.commit("link")
    with pytest.raises(UserError, match="the link skills/mend/link"):
        await put(repo.root if by == "folder" else address(repo))
    assert installed(places) == ()


@pytest.mark.asyncio
async def test_names_of_a_tree_that_no_checkout_would_make(places: Places, put: Install, repo: Repo) -> None:
    blob = repo.git("rev-parse", "HEAD:a.txt")
    trees_ = {
        "..": f"100644 blob {blob}\t..",
        ".git": f"100644 blob {blob}\t.git",
        "case": f"100644 blob {blob}\tA\n100644 blob {blob}\ta",
        "screen": f"100644 blob {blob}\t\x1b[2Jx",
    }
    for name, text in trees_.items():
        made = _tree(repo, text)
        commit = repo.git("commit-tree", made, "-m", name)
        repo.git("update-ref", f"refs/heads/x{name.strip('.')}", commit)
        with pytest.raises((UserError, HostError), match="refused") as caught:
            await put(f"{address(repo)}#x{name.strip('.')}")
        assert "\x1b" not in str(caught.value)
    assert installed(places) == ()


def _tree(repo: Repo, text: str) -> str:
    import subprocess

    records = text.encode().split(b"\n")
    raw = b"".join(
        b"100644 " + line.split(b"\t")[1] + b"\0" + bytes.fromhex(line.split()[2].decode())
        for line in records
    )
    done = subprocess.run(
        ["git", "hash-object", "-t", "tree", "-w", "--stdin", "--literally"],
        cwd=repo.root,
        env=repo.env,
        input=raw,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode().strip()


@pytest.mark.asyncio
@pytest.mark.parametrize("by", ["folder", "git"])
async def test_what_is_too_large_is_refused_before_it_is_read(
    places: Places, put: Install, repo: Repo, by: str
) -> None:
    with (repo.root / "huge").open("wb") as file:
        file.truncate(trees.LARGEST + 1)
    repo.commit("huge")
    with pytest.raises(UserError, match="huge is larger than"):
        await put(repo.root if by == "folder" else address(repo))
    assert not places.home.exists()


@pytest.mark.asyncio
async def test_pipes_devices_and_depth_of_a_directory(places: Places, put: Install, tmp_path: Path) -> None:
    source = kit(tmp_path / "kit")
    os.mkfifo(source / "pipe")
    with pytest.raises(UserError, match="neither file, directory nor link"):
        await put(source)
    (source / "pipe").unlink()
    write(source, {"/".join(["d"] * 40): "x"})
    with pytest.raises(UserError, match="beyond measure"):
        await put(source)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "said",
    [
        {"commands": "../../../.ssh"},
        {"hooks": "/etc/hooks.json"},
        {"mcpServers": "../../other/.mcp.json"},
        {"skills": ["./a", "./../b"]},
        {"name": "../../evil"},
        {"name": "kit/../../evil"},
        {"name": ".marketplaces.json"},
        {"name": "kit\u202e"},
    ],
)
async def test_a_manifest_that_leads_out_refuses_the_plugin(
    places: Places, put: Install, tmp_path: Path, said: dict[str, Any]
) -> None:
    source = write(kit(tmp_path / "kit"), {".claude-plugin/plugin.json": json.dumps({"name": "kit", **said})})
    with pytest.raises(UserError):
        await put(source)
    assert not places.home.exists()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "source",
    [
        "../secret",
        "./../secret",
        "/etc",
        "~/.ssh",
        "file:///etc",
        {"source": "url", "url": "/etc"},
        {"source": "url", "url": "git+file:///etc"},
        {"source": "url", "url": "file:///etc"},
        {"source": "url", "url": "./x"},
        {"source": "url", "url": "ext::sh -c x"},
        {"source": "url", "url": "http://h.example/x"},
        {"source": "url", "url": "--upload-pack=x"},
        {"source": "github", "repo": "../../etc"},
        {"source": "github", "repo": "owner/repo", "ref": "--upload-pack=x"},
        {"source": "git-subdir", "url": "https://h.example/r", "path": "../../x"},
        {"source": "pip", "package": "x"},
        {"source": "github"},
        None,
    ],
)
async def test_a_marketplace_never_leads_to_this_disk(find: Find, tmp_path: Path, source: Any) -> None:
    kit(tmp_path / "secret")
    market = {"name": "shop", "plugins": [{"name": "kit", "source": source}]}
    write(tmp_path / "shop", {".claude-plugin/marketplace.json": json.dumps(market)})
    with pytest.raises(UserError):
        await find(tmp_path / "shop", "kit")


@pytest.mark.asyncio
async def test_a_folder_of_a_source_that_is_a_link_is_not_followed(find: Find, tmp_path: Path) -> None:
    kit(tmp_path / "secret")
    market = {"name": "shop", "plugins": [{"name": "kit", "source": "./inside"}]}
    write(tmp_path / "shop", {".claude-plugin/marketplace.json": json.dumps(market)})
    (tmp_path / "shop/inside").symlink_to(tmp_path / "secret")
    with pytest.raises(UserError, match="holds no files"):
        await find(tmp_path / "shop", "kit")


@pytest.mark.asyncio
async def test_texts_cannot_steer_the_terminal_or_push_lines_out_of_sight(find: Find, tmp_path: Path) -> None:
    evil = "nice\x1b[2J\x1b]0;x\x07\u202e" + "\n" * 200 + " " * 500 + "!`rm -rf ~`"
    hook = {"matcher": evil, "hooks": [{"command": evil}]}
    source = write(
        kit(tmp_path / "kit"),
        {
            ".claude-plugin/plugin.json": manifest(description=evil, version=evil, author={"name": evil}),
            "skills/mend/SKILL.md": f"---\nname: mend\ndescription: {json.dumps(evil)}\n---\n{evil}\n",
            "hooks/hooks.json": json.dumps({"hooks": {evil: [hook]}}),
            ".mcp.json": json.dumps({evil: {"command": evil, "args": [evil]}}),
        },
    )
    found = await find(source)
    said = found.manifest
    lines = [*found.account.brings, *found.account.runs, said.description, said.version, said.author]
    assert any("rm -rf ~" in line for line in found.account.runs)
    for line in lines:
        assert line.isprintable()
        assert "     " not in line
