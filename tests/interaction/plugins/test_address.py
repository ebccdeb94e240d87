"""What people write for a source, and what it means; nothing that git could take for something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from roocode.interaction.plugins.address import Address, from_data, parse_address, to_data
from roocode.protocol.errors import UserError

CWD = Path("/here")
GITHUB = "https://github.com/owner/repo"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".", Address("folder", "/here")),
        ("./kit", Address("folder", "/here/kit")),
        ("../kit", Address("folder", "/kit")),
        ("/a/kit", Address("folder", "/a/kit")),
        ("/a/kit#v1", Address("disk", "/a/kit", "v1")),
        ("/a/kit#v1:sub/dir", Address("disk", "/a/kit", "v1", "sub/dir")),
        ("/a/kit#:sub", Address("folder", "/a/kit", folder="sub")),
        ("owner/repo", Address("host", GITHUB)),
        ("owner/repo@v1.2", Address("host", GITHUB, "v1.2")),
        ("owner/repo#main:plugins/kit", Address("host", GITHUB, "main", "plugins/kit")),
        ("owner/repo/plugins/kit", Address("host", GITHUB, folder="plugins/kit")),
        ("owner/repo/plugins/kit@v1", Address("host", GITHUB, "v1", "plugins/kit")),
        (f"{GITHUB}.git", Address("host", f"{GITHUB}.git")),
        (f"{GITHUB}@v1", Address("host", GITHUB, "v1")),
        (f"{GITHUB}#feature/x:a", Address("host", GITHUB, "feature/x", "a")),
        (f"{GITHUB}/tree/main/plugins/kit", Address("host", GITHUB, "main", "plugins/kit")),
        ("git+https://h.example/r.git", Address("host", "https://h.example/r.git")),
        ("ssh://git@h.example:22/r.git", Address("host", "ssh://git@h.example:22/r.git")),
        ("git@h.example:o/r.git", Address("host", "git@h.example:o/r.git")),
        ("git@h.example:o/r.git@v2", Address("host", "git@h.example:o/r.git", "v2")),
        ("git@h.example:o/r.git#v2:a", Address("host", "git@h.example:o/r.git", "v2", "a")),
        ("git+file:///srv/r.git#v1", Address("disk", "/srv/r.git", "v1")),
        ("file:///srv/r@main", Address("disk", "/srv/r", "main")),
    ],
)
def test_forms(text: str, expected: Address) -> None:
    address = parse_address(text, CWD)
    assert address == expected
    assert from_data(to_data(address)) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "--upload-pack=evil",
        "-x/y",
        "ext::sh -c x",
        "fd::3",
        "http://h.example/r",
        "git://h.example/r",
        "ftp://h.example/r",
        "https://user:secret@h.example/r",
        "https://token@h.example/r",
        "https://h.example/r?x=1",
        "https://h.example",
        "https://-oProxyCommand=x/r",
        "ssh://-oProxyCommand=x/r",
        "-oProxyCommand=x:r",
        "owner/repo#--upload-pack=x",
        "owner/repo#a..b",
        "owner/repo@-x",
        "owner/repo#main:../../etc",
        "owner/repo#main:/etc",
        "owner/../etc",
        "git+file://relative",
        "owner/re\x1b[2Jpo",
        "owner/re\u202epo",
        "https://h.example/a\nb",
    ],
)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_address(text, CWD)
    assert "secret" not in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_a_short_name_never_means_a_directory_that_stands_there(tmp_path: Path) -> None:
    (tmp_path / "owner/repo").mkdir(parents=True)
    with pytest.raises(UserError, match=r"write \./owner/repo"):
        parse_address("owner/repo", tmp_path)


def test_a_directory_with_a_hash_in_its_name_is_one(tmp_path: Path) -> None:
    (tmp_path / "a#b").mkdir()
    assert parse_address("./a#b", tmp_path) == Address("folder", f"{tmp_path}/a#b")


def test_a_plugin_without_a_name_is_called_after_its_place() -> None:
    assert Address("host", "git@h.example:o/kit.git").name == "kit"
    assert Address("host", GITHUB, "main", "plugins/kit").name == "kit"
    assert Address("folder", "/a/kit").name == "kit"
