"""A folder of which only some files and folders count."""

from __future__ import annotations

from pathlib import Path

from roocode.interaction.extensions.found import files_below
from roocode.interaction.extensions.places import Folder


def test_only_what_is_named_counts_with_all_below_it(tmp_path: Path) -> None:
    for name in ("a.md", "b.md", "deep/a.md", "deep/more/c.md", "other/a.md"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")

    def names(*only: str) -> list[str]:
        folder = Folder("plugin", tmp_path, "kit", only)
        return [str(path.relative_to(tmp_path)) for _, path in files_below(folder, lambda name: True)]

    assert names("b.md", "deep") == ["b.md", "deep/a.md", "deep/more/c.md"]
    assert names("a.md") == ["a.md"]
    assert names("gone") == []
    assert len(names()) == 5
