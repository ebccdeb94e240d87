"""Names, links and sizes of a plugin's files."""

from __future__ import annotations

import pytest

from roocode.interaction.plugins import tree as trees
from roocode.interaction.plugins.tree import Entry, Limits, digest, without_links
from roocode.protocol.errors import UserError


def file(text: str = "x") -> Entry:
    return Entry("file", text.encode())


def link(target: str) -> Entry:
    return Entry("link", target.encode())


@pytest.mark.parametrize(
    "path",
    [
        "../a",
        "a/../../b",
        "a//b",
        "./a",
        ".git/config",
        "sub/.GIT/hooks/x",
        "sub/.g\u200cit/x",
        "git~1/config",
        ".git /config",
        "a\\b",
        "a\nb",
        "esc\x1b[2J",
        "right\u202eleft",
        "bytes\udcff",
        "zero\u200bwidth",
        "/".join(["d"] * 30),
        "x" * 250,
    ],
)
def test_names_that_could_be_taken_for_others_are_refused(path: str) -> None:
    with pytest.raises(UserError) as caught:
        Limits("kit").take(path, 1)
    assert caught.value.what.isprintable()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Readme", "README"),
        ("a/B/x", "a/b/y"),
        ("\u00e9", "e\u0301"),
        ("stra\u00dfe", "STRASSE"),
        ("A", "\uff21"),
    ],
)
def test_two_spellings_of_one_name_are_refused(first: str, second: str) -> None:
    limits = Limits("kit")
    limits.take(first, 1)
    with pytest.raises(UserError, match="one name on some disks"):
        limits.take(second, 1)


def test_plain_names_of_all_scripts_pass() -> None:
    limits = Limits("kit")
    for path in ("a/b.md", ".mcp.json", "日本語.md", "über/x", ".gitignore", ".github/x"):
        limits.take(path, 1)


def test_too_much_is_refused() -> None:
    with pytest.raises(UserError, match="is larger than"):
        Limits("kit").take("big", trees.LARGEST + 1)
    limits = Limits("kit")
    for number in range(4):
        limits.take(f"big{number}", trees.LARGEST)
    with pytest.raises(UserError, match="bytes of files"):
        limits.take("one", 1)
    limits = Limits("kit")
    for number in range(trees.MOST_FILES):
        limits.take(f"f{number}", 0)
    with pytest.raises(UserError, match="more than 10,000 files"):
        limits.take("one", 0)


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("/etc/passwd", "leads outside"),
        ("../../etc/passwd", "leads outside"),
        ("../a/../../x", "leads outside"),
        ("../other", "leads to another link"),
        ("../other/x", "leads to another link"),
        ("nothing", "leads to nothing"),
        ("..", "a folder that it is in"),
        (".", "a folder that it is in"),
        ("", "a folder that it is in"),
    ],
)
def test_links_that_lead_out_or_nowhere_are_refused(target: str, why: str) -> None:
    tree = {"a/file": file(), "a/link": link(target), "other": link("a"), "b/x": file()}
    with pytest.raises(UserError, match=why):
        without_links(tree, "kit")


def test_links_inside_become_copies_of_what_they_lead_to() -> None:
    tree = {
        "shared/SKILL.md": file("skill"),
        "skills/s": link("../shared"),
        "AGENTS.md": link("CLAUDE.md"),
        "CLAUDE.md": file("hello"),
    }
    plain = without_links(tree, "kit")
    assert {path: entry.data for path, entry in plain.items()} == {
        "shared/SKILL.md": b"skill",
        "skills/s/SKILL.md": b"skill",
        "AGENTS.md": b"hello",
        "CLAUDE.md": b"hello",
    }


def test_links_cannot_unfold_without_bound() -> None:
    tree: dict[str, Entry] = {"l0/file": file()}
    for level in range(1, 40):
        for name in ("a", "b"):
            tree[f"l{level}/{name}"] = link(f"../l{level - 1}")
        tree[f"l{level}/own"] = file()
    assert len(without_links(tree, "kit")) < 1000


def test_the_digest_tells_name_kind_and_content() -> None:
    some = {"a": file("1"), "b": file("2")}
    others = (
        {"a": file("1"), "c": file("2")},
        {"a": file("1"), "b": file("3")},
        {"a": file("1"), "b": Entry("program", b"2")},
        {"a": file("1")},
        {"a": file("2"), "b": file("1")},
    )
    assert len({digest(each) for each in (some, *others)}) == 6
    assert digest(dict(reversed(some.items()))) == digest(some)
