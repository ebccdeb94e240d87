"""Shared JSON files: whole, locked, never reset."""

import json
import resource
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from roocode.engine.team.store.shared_file import SharedFile
from roocode.protocol.errors import HostError

Words = tuple[str, ...]


def words_file(path: Path, empty: Words | None = ()) -> SharedFile[Words]:
    def parse(data: Mapping[str, Any]) -> Words:
        if not isinstance(data.get("words"), list):
            raise ValueError("words: expected a list")
        return tuple(data["words"])

    return SharedFile(path, parse, lambda words: {"words": list(words)}, empty)


def add(file: SharedFile[Words], word: str) -> int:
    return file.change(lambda now: ((*now, word), len(now)))


def test_a_change_is_read_back_and_gives_its_answer(tmp_path: Path):
    file = words_file(tmp_path / "words.json")
    assert [add(file, "one"), add(file, "zwölf \u2028 \ud83d")] == [0, 1]
    assert file.read() == ("one", "zwölf \u2028 \ud83d")
    assert json.loads(file.path.read_text())["schema"] == 1


def test_one_item_a_line(tmp_path: Path):
    file = words_file(tmp_path / "words.json")
    file.write(("one", "two"))
    assert file.path.read_text() == '{"schema": 1,\n"words": [\n"one",\n"two"\n]}\n'


def test_it_is_private(tmp_path: Path):
    file = words_file(tmp_path / "words.json")
    file.write(())
    assert file.path.stat().st_mode & 0o777 == 0o600


def test_what_is_unchanged_is_not_written(tmp_path: Path):
    file = words_file(tmp_path / "words.json")
    file.write(("one",))
    before = file.path.stat()
    assert file.change(lambda now: (now, "answer")) == "answer"
    assert file.path.stat().st_ino == before.st_ino


def test_a_change_that_raises_writes_nothing_and_frees_the_lock(tmp_path: Path):
    file = words_file(tmp_path / "words.json")
    file.write(("one",))

    def refuse(_now: Words) -> tuple[Words, None]:
        raise KeyError("no")

    with pytest.raises(KeyError):
        file.change(refuse)
    assert add(file, "two") == 1


def test_a_file_is_created_once(tmp_path: Path):
    file = words_file(tmp_path / "words.json")
    assert file.create(("one",))
    assert not file.create(("two",))
    assert file.read() == ("one",)


def test_a_missing_file_without_an_empty_value_is_an_error(tmp_path: Path):
    with pytest.raises(HostError, match=r"words\.json is missing"):
        words_file(tmp_path / "words.json", empty=None).read()


def test_a_directory_that_is_gone_is_not_made_again(tmp_path: Path):
    file = words_file(tmp_path / "gone" / "words.json")
    with pytest.raises(HostError, match="gone is missing"):
        add(file, "one")
    assert not (tmp_path / "gone").exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"schema": 1, "words": ["one"', "is broken"),
        (b"", "is broken"),
        (b"[]", "expected an object"),
        (b'{"schema": "new", "words": []}', "schema: expected a number"),
        (b'{"schema": 1}', "words: expected a list"),
        (b"\xff\xfe\x00", "is broken"),
        (b"[" * 100_000, "is broken"),
        (b'{"schema": 2, "words": []}', r"newer RooCode \(schema 2, this one knows 1\)"),
    ],
)
def test_a_broken_or_newer_file_is_an_error_and_stays(tmp_path: Path, content: bytes, words: str):
    file = words_file(tmp_path / "words.json")
    file.path.write_bytes(content)
    with pytest.raises(HostError, match=words):
        file.read()
    with pytest.raises(HostError, match=words):
        add(file, "one")
    assert file.path.read_bytes() == content


def test_a_file_cut_at_any_byte_is_broken_and_never_half_read(tmp_path: Path):
    file = words_file(tmp_path / "words.json")
    file.write(("one", "two"))
    content = file.path.read_bytes()
    for length in range(len(content) - 1):
        file.path.write_bytes(content[:length])
        with pytest.raises(HostError, match="is broken"):
            file.read()


def test_a_full_disk_keeps_the_old_content(tmp_path: Path):
    file = words_file(tmp_path / "words.json")
    file.write(("one",))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(HostError, match=r"cannot write .*words\.json: File too large"):
            add(file, "x" * 10_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert file.read() == ("one",)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["words.json", "words.json.lock"]
    assert add(file, "two") == 1


@pytest.mark.parametrize("hard", [False, True])
def test_a_link_in_the_place_of_the_temporary_file_is_not_followed(tmp_path: Path, hard: bool):
    """P28."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    file = words_file(tmp_path / "words.json")
    link = tmp_path / ".words.json.tmp"
    link.hardlink_to(victim) if hard else link.symlink_to(victim)
    file.write(("one",))
    assert victim.read_text() == "precious"
    assert file.read() == ("one",)


def test_threads_of_one_process_wait_for_each_other(tmp_path: Path):
    file = words_file(tmp_path / "words.json")
    threads = [
        threading.Thread(target=lambda n=n: [add(file, f"{n}.{i}") for i in range(25)]) for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(file.read()) == sorted(f"{n}.{i}" for n in range(4) for i in range(25))
