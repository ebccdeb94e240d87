"""Instruction files: which are read, in which order, and what they may include."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from roocode.memory.instructions.reading import LARGEST, read_inside
from roocode.memory.instructions.stack import Instructions, of_folder, stack


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    (tmp_path / "proj" / ".roocode").mkdir(parents=True)
    return tmp_path / "proj"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def read(project: Path) -> Instructions:
    return stack(project, project.parent / "home")


def test_without_files_there_is_nothing(project: Path) -> None:
    assert read(project) == Instructions("")
    write(project / "ROOCODE.md", " \n")
    assert read(project).text == ""


def test_the_nearest_comes_first_with_lines_between(project: Path) -> None:
    write(project / "ROOCODE.md", "of the project")
    write(project / ".roocode/ROOCODE.md", "of this checkout")
    write(project.parent / "home/ROOCODE.md", "of the person")
    text = read(project).text
    parts = text.split("\n\n---\n\n")
    assert [part.rpartition("\n")[2] for part in parts[1:]] == [
        "of the project",
        "of this checkout",
        "of the person",
    ]
    assert [file.name for file in read(project).files] == ["ROOCODE.md"] * 3


def test_other_tools_files_count_only_where_there_is_none_of_ours(project: Path) -> None:
    write(project / "CLAUDE.md", "theirs, too")
    assert "theirs, too" in read(project).text
    write(project / "AGENTS.md", "theirs")
    assert read(project).text.endswith("theirs")
    write(project.parent / "home/ROOCODE.md", "mine")
    assert "theirs" in read(project).text
    write(project / ".roocode/ROOCODE.md", "ours")
    assert "theirs" not in read(project).text


def test_a_line_that_includes_is_replaced_by_the_file(project: Path) -> None:
    write(project / "ROOCODE.md", "before\n@include ./docs/style.md\nafter")
    write(project / "docs/style.md", "use tabs\n@include more.md\n")
    write(project / "docs/more.md", "and blanks\n")
    assert read(project).text.endswith("before\nuse tabs\nand blanks\nafter")
    assert [file.name for file in read(project).files] == ["ROOCODE.md", "style.md", "more.md"]


def test_the_other_tools_form_is_a_path_alone_on_its_line(project: Path) -> None:
    write(project / "CLAUDE.md", "@AGENTS2.md\n@pytest.mark.asyncio\n@ai-sdk/openai\nsee @AGENTS2.md")
    write(project / "AGENTS2.md", "imported")
    assert read(project).text.endswith("imported\n@pytest.mark.asyncio\n@ai-sdk/openai\nsee @AGENTS2.md")


@pytest.mark.parametrize("fence", ["```", "~~~", "````md"])
def test_inside_a_fence_nothing_is_included(project: Path, fence: str) -> None:
    end = fence.rstrip("md")
    write(project / "ROOCODE.md", f"{fence}\n@include x.md\n{end}\n@include x.md")
    write(project / "x.md", "X")
    assert read(project).text.endswith(f"{fence}\n@include x.md\n{end}\nX")


def test_a_circle_ends_and_is_told(project: Path) -> None:
    write(project / "ROOCODE.md", "a\n@include b.md")
    write(project / "b.md", "b\n@include ROOCODE.md")
    found = read(project)
    assert found.text.endswith("a\nb\n@include ROOCODE.md")
    assert "a circle" in found.notes[0]


def test_a_chain_that_is_too_deep_is_cut(project: Path) -> None:
    write(project / "ROOCODE.md", "@include 1.md")
    for number in range(1, 20):
        write(project / f"{number}.md", f"{number}\n@include {number + 1}.md")
    assert len(read(project).files) == 5


@pytest.mark.parametrize(
    "named", ["../outside.md", "/etc/passwd", "~/x.md", "link.md", "sub/../../outside.md", ".env"]
)
def test_nothing_outside_is_included(project: Path, named: str) -> None:
    write(project.parent / "outside.md", "secret")
    write(project / ".env", "KEY=secret")
    (project / "sub").mkdir()
    (project / "link.md").symlink_to("../outside.md")
    write(project / "ROOCODE.md", f"@include {named}")
    assert "secret" not in read(project).text
    assert read(project).text.endswith(f"@include {named}")
    assert len(read(project).notes) == 1


def test_a_link_inside_is_followed_and_one_that_leads_out_is_not(project: Path) -> None:
    write(project / "AGENTS.md", "linked")
    (project / "ROOCODE.md").symlink_to("AGENTS.md")
    assert read(project).text.endswith("linked")
    (project / "ROOCODE.md").unlink()
    write(project.parent / "outside.md", "secret")
    (project / "ROOCODE.md").symlink_to("../outside.md")
    assert "secret" not in read(project).text


def test_odd_files_are_survived(project: Path) -> None:
    (project / "ROOCODE.md").write_bytes(b"\xef\xbb\xbfwords \xff\r\n")
    assert read(project).text.endswith("words \ufffd")
    (project / "ROOCODE.md").write_bytes(b"x" * (LARGEST + 5))
    assert "left out" in read(project).text
    (project / "ROOCODE.md").unlink()
    os.mkfifo(project / "ROOCODE.md")
    assert read(project).text == ""
    assert read_inside(project, project) is None
    assert read_inside(project / "a\0b", project) is None


def test_a_folder_has_instructions_of_its_own(project: Path) -> None:
    write(project / "api/AGENTS.md", "answer in JSON")
    assert of_folder(project / "api", project).text == "# From api/AGENTS.md\n\nanswer in JSON"
    assert of_folder(project / "web", project).text == ""


def test_a_link_in_a_circle_is_no_file(project: Path) -> None:
    (project / "loop.md").symlink_to("loop.md")
    (project / ".roocode" / "ROOCODE.md").symlink_to("ROOCODE.md")
    write(project / "ROOCODE.md", "before\n@include loop.md\nafter")
    told = read(project)
    assert told.text.endswith("before\n@include loop.md\nafter")
    assert len(told.notes) == 1
