"""Outputs of any size in bounded memory."""

from __future__ import annotations

import resource
from pathlib import Path

from roocode.tools.excerpt import excerpt, whole_characters


def test_small_output_is_shown_whole(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes("é\n\x1b[1mx\x1b[0m\n".encode())
    assert excerpt(path).text == "é\nx"
    assert excerpt(path).whole
    assert excerpt(path, 3).text == "x"


def test_many_bytes_of_few_characters_are_still_whole(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("語" * 1000)
    assert excerpt(path, limit=1000).whole


def test_a_hundred_megabytes_on_one_line(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with path.open("wb") as stream:
        stream.write(b"start")
        stream.seek(100_000_000)
        stream.write(b"x" * 200_000 + b"end")
    path.write_bytes(path.read_bytes().replace(b"\0", b"-"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    shown = excerpt(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 10_000
    assert shown.text.startswith("start---")
    assert shown.text.endswith("xend")
    assert f"all of it: {path}" in shown.text
    assert len(shown.text) < 31_000
    assert not shown.whole


def test_binary_output_is_named_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(bytes(range(256)) * 10)
    assert excerpt(path).text == f"(binary output, 2,560 bytes: {path})"
    path.write_bytes(b"\xff\xfe\xfd" * 100)
    assert "binary" in excerpt(path).text
    path.write_bytes(b"mostly text \xff and more")
    assert excerpt(path).text == "mostly text � and more"


def test_no_character_of_a_growing_output_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "output"
    text = "aé→𝄞b".encode()
    for length in range(len(text) + 1):
        path.write_bytes(text[:length])
        end = whole_characters(path, length)
        assert length - end < 4
        assert text[:end].decode() == text[:length].decode(errors="ignore")
    path.write_bytes(b"\xff\x80\x80\x80\x80")
    assert whole_characters(path, 5) == 5


def test_a_part_of_an_output(tmp_path: Path) -> None:
    path = tmp_path / "output"
    path.write_text("0123456789" * 10)
    assert excerpt(path, 10, 15).text == "01234"
    assert excerpt(path, 0, 100, limit=8).text.endswith("6789")
    assert excerpt(path, 0, 95, limit=8).text.endswith("1234")
