"""EditFile."""

from __future__ import annotations

import codecs
from dataclasses import replace

import pytest

from roocode.protocol.errors import ModelError
from roocode.tools.registry import build
from tests.tools.conftest import Bench, Crowded

LONG = "def particular(a, b):\n    first = a + b\n    second = a - b\n    return first * second\n\n\nx = 1\n"


@pytest.mark.asyncio
async def test_a_passage_is_replaced_and_the_rest_stays(bench: Bench) -> None:
    file = bench.write("f.py", b"a = 1\r\nb = 2\nc = caf\xe9")
    file.chmod(0o640)
    await bench.text("ReadFile", path="f.py")
    outcome = await bench.call("EditFile", file_path="f.py", old_str="a = 1\nb", new_str="a = 3\nb")
    assert outcome.content == "Edited f.py: replaced at line 1."
    assert "-a = 1\n+a = 3" in outcome.shown
    assert file.read_bytes() == b"a = 3\r\nb = 2\nc = caf\xe9"
    assert file.stat().st_mode & 0o777 == 0o640


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (codecs.BOM_UTF8 + b"old\r\n", codecs.BOM_UTF8 + "nëw\r\n".encode()),
        ("old é".encode("utf-16"), "nëw é".encode("utf-16")),
        (b"old \x80\x81\xe9", b"n\xebw \x80\x81\xe9"),
        ("old → é".encode() + b"\xff\xfe", "nëw → é".encode() + b"\xff\xfe"),
    ],
)
async def test_encodings_are_kept_byte_for_byte(bench: Bench, before: bytes, after: bytes) -> None:
    file = bench.write("f", before)
    await bench.text("ReadFile", path="f")
    await bench.text("EditFile", path="f", old_string="old", new_string="nëw")
    assert file.read_bytes() == after


@pytest.mark.asyncio
@pytest.mark.parametrize("new", ["→", "\ud800"])
async def test_what_the_encoding_lacks_is_refused(bench: Bench, new: str) -> None:
    file = bench.write("f", b"old \xe9")
    await bench.text("ReadFile", path="f")
    assert "has no character" in await bench.error("EditFile", path="f", old_string="old", new_string=new)
    assert file.read_bytes() == b"old \xe9"


@pytest.mark.asyncio
async def test_replacing_everywhere(bench: Bench) -> None:
    file = bench.write("f", "x = x\ny\nx\n")
    await bench.text("ReadFile", path="f")
    error = await bench.error("EditFile", path="f", old_string="x", new_string="z")
    assert "old_string is 3 times in f, at lines 1, 1, 3; nothing was changed." in error
    assert "set replace_all" in error
    said = await bench.text("EditFile", path="f", old_string="x", new_string="z", replace_all=True)
    assert said == "Edited f: 3 replacements at lines 1, 1, 3."
    assert file.read_text() == "z = z\ny\nz\n"


@pytest.mark.asyncio
async def test_whitespace_matches_are_reported(bench: Bench) -> None:
    file = bench.write("f", "if a:\n\tb()\n")
    await bench.text("ReadFile", path="f")
    said = await bench.text("EditFile", path="f", old_string="    b()", new_string="    c()")
    assert "matched only when whitespace is ignored" in said
    assert file.read_text() == "if a:\n\tc()\n"


@pytest.mark.asyncio
async def test_no_match_shows_the_nearest_lines(bench: Bench) -> None:
    bench.write("f", "one\ntwo words\nthree\n")
    await bench.text("ReadFile", path="f")
    error = await bench.error("EditFile", path="f", old_string="two wrds\nthree", new_string="x")
    assert "old_string is not in f; nothing was changed." in error
    assert "     2\ttwo words\n     3\tthree\nLine 2 differs" in error


@pytest.mark.asyncio
async def test_files_are_read_before_they_are_edited(bench: Bench) -> None:
    file = bench.write("f", LONG)
    assert "was not read" in await bench.error("EditFile", path="f", old_string="x = 1", new_string="x = 2")
    await bench.text("ReadFile", path="f", offset=7, limit=1)
    assert "replaced at line 7" in await bench.text(
        "EditFile", path="f", old_string="x = 1", new_string="x = 2"
    )
    error = await bench.error("EditFile", path="f", old_string="a", new_string="b", replace_all=True)
    assert "in part only, and only an exact, single match counts then" in error
    error = await bench.error("EditFile", path="f", old_string="return  first", new_string="return  1")
    assert "is not in f" in error
    assert file.read_text() == LONG.replace("x = 1", "x = 2")


@pytest.mark.asyncio
async def test_a_long_and_unique_anchor_needs_no_reading(bench: Bench) -> None:
    file = bench.write("f", "\n".join("abcdef") + "\n")
    await bench.text("EditFile", path="f", old_string="b\nc\nd\ne\nf", new_string="z")
    assert file.read_text() == "a\nz\n"
    again = bench.write("g", "p" * 250 + " q")
    await bench.text("EditFile", path="g", old_string="p" * 250, new_string="r")
    assert again.read_text() == "r q"


@pytest.mark.asyncio
async def test_a_file_that_changed_is_read_again(bench: Bench) -> None:
    file = bench.write("f", "a\nb\nc\n")
    await bench.text("ReadFile", path="f")
    file.write_text("a\nb\nC\n")
    error = await bench.error("EditFile", path="f", old_string="b", new_string="B")
    assert error == (
        "f has changed since it was read (by a command, a hook or someone else); nothing was changed.\n"
        "Read it again, then edit it."
    )
    assert file.read_text() == "a\nb\nC\n"
    assert "read it again" in await bench.error("EditFile", path="f", old_string="nothing", new_string="D")
    await bench.text("ReadFile", path="f")
    await bench.text("EditFile", path="f", old_string="b", new_string="B")


@pytest.mark.asyncio
async def test_a_file_that_changed_is_edited_where_that_is_beyond_doubt(bench: Bench) -> None:
    file = bench.write("f", LONG)
    await bench.text("ReadFile", path="f")
    file.write_text(LONG.replace("x = 1", "x = 2\ny = 3"))
    passage = "".join(LONG.splitlines(keepends=True)[:4]) + "\n\nx"
    said = await bench.text("EditFile", path="f", old_string=passage, new_string=passage.replace("x", "xx"))
    assert "The file has changed since you read it" in said
    file.write_text(file.read_text() * 2)
    doubled = passage.replace("x", "xx")
    error = await bench.error("EditFile", path="f", old_string=doubled, new_string="", replace_all=True)
    assert "has changed since it was read" in error
    assert "only an exact, single match counts then" in error


@pytest.mark.asyncio
async def test_what_edits_keep_is_no_edit(bench: Bench) -> None:
    file = bench.write("f", b"a\r\n\tb()\r\n")
    again = {"old_string": "a\n  b()", "new_string": "a\n\tb()"}
    await bench.text("ReadFile", path="f")
    error = await bench.error("EditFile", path="f", old_string="a\r\n", new_string="a\n")
    assert error.startswith("That changes nothing in f at line 1: the strings differ only in line endings")
    error = await bench.error("EditFile", path="f", **again)
    assert error.startswith("That changes nothing in f at line 1: the strings differ only in whitespace")
    assert file.read_bytes() == b"a\r\n\tb()\r\n"


@pytest.mark.asyncio
async def test_an_exact_match_wins_over_several_loose_ones(bench: Bench) -> None:
    file = bench.write("f", "  x\n\tx\nx \n")
    await bench.text("ReadFile", path="f")
    error = await bench.error("EditFile", path="f", old_string="    x", new_string="y")
    assert "is 3 times in f when whitespace is ignored, and not once exactly, at lines 1, 2, 3" in error
    assert "replace_all" not in error
    assert await bench.text("EditFile", path="f", old_string="\tx", new_string="\ty") == (
        "Edited f: replaced at line 2."
    )
    assert file.read_text() == "  x\n\ty\nx \n"


@pytest.mark.asyncio
async def test_unicode_forms_do_not_match_silently(bench: Bench) -> None:
    file = bench.write("f", "caf\u0065\u0301 = 1\nother\n")
    await bench.text("ReadFile", path="f")
    error = await bench.error("EditFile", path="f", old_string="caf\u00e9 = 1", new_string="x")
    assert "Line 1 differs in Unicode form only, the file's letters are decomposed" in error
    assert file.read_text() == "caf\u0065\u0301 = 1\nother\n"


@pytest.mark.asyncio
async def test_bytes_that_are_no_text_can_be_talked_about(bench: Bench) -> None:
    file = bench.write("f", "é→é ".encode() + b"\xff one\nold\n")
    await bench.text("ReadFile", path="f")
    error = await bench.error("EditFile", path="f", old_string="é→é x one", new_string="x")
    assert "é→é \ufffd one" in error
    assert "\ufffd" in bench.tools["EditFile"].preview({"path": "f", "old_string": "old", "new_string": "n"})
    outcome = await bench.call("EditFile", path="f", old_string="old", new_string="new")
    (outcome.content + outcome.shown).encode()
    assert file.read_bytes() == "é→é ".encode() + b"\xff one\nnew\n"


@pytest.mark.asyncio
@pytest.mark.parametrize("codec", ["shift_jis", "gbk", "euc_jp", "big5", "koi8_r", "iso2022_jp"])
async def test_legacy_encodings_survive(bench: Bench, codec: str) -> None:
    text = {"koi8_r": "привет, мир", "gbk": "中文字符集", "big5": "中文字符集"}.get(codec, "日本語の表示能力")
    before = f"# {text}\r\nold = 1  # {text}\n{text}".encode(codec)
    file = bench.write("f", before)
    await bench.text("ReadFile", path="f")
    await bench.text("EditFile", path="f", old_string="old = 1", new_string="new = 2\nmore = 3")
    assert file.read_bytes() == before.replace(b"old = 1", b"new = 2\nmore = 3")


@pytest.mark.asyncio
async def test_syntax_errors_are_told_at_once(bench: Bench) -> None:
    file = bench.write("a.py", "def f():\n    return [1]\n")
    await bench.text("ReadFile", path="a.py")
    said = await bench.text("EditFile", path="a.py", old_string="[1]", new_string="[1")
    assert "This edit brings in a syntax error at line" in said
    said = await bench.text("EditFile", path="a.py", old_string="[1", new_string="[2")
    assert "There is still a syntax error at line" in said
    said = await bench.text("EditFile", path="a.py", old_string="[2", new_string="[2]")
    assert said == "Edited a.py: replaced at line 2.\nThe syntax error is gone."
    assert file.read_text() == "def f():\n    return [2]\n"


@pytest.mark.asyncio
async def test_a_placeholder_is_pointed_out(bench: Bench) -> None:
    bench.write("f", "a\nb\nc\n")
    await bench.text("ReadFile", path="f")
    said = await bench.text("EditFile", path="f", old_string="b\nc", new_string="B\n# ... rest of the file")
    assert "holds what looks like a placeholder: '# ... rest of the file'" in said


@pytest.mark.asyncio
async def test_what_something_else_writes_at_that_moment_is_kept(bench: Bench) -> None:
    file = bench.write("f", "a\nb\n")
    await bench.text("ReadFile", path="f")
    crowded = Crowded(bench.workspace, bench.root.parent)
    tools = build(replace(bench.services, files=crowded))
    edit = next(tool for tool in tools if tool.spec.name == "EditFile")
    outcome = await edit.run({"path": "f", "old_string": "a", "new_string": "x"}, bench.decision)
    assert outcome.is_error
    assert outcome.content.startswith(f"{file} was changed by something else at this moment; that was kept")
    assert file.read_text() == "theirs"
    write = next(tool for tool in tools if tool.spec.name == "WriteFile")
    for path, before in (("f", "a\nb\n"), ("new", None)):
        if before is not None:
            file.write_text(before)
            await bench.text("ReadFile", path=path)
        outcome = await write.run({"path": path, "content": "ours"}, bench.decision)
        assert "was changed by something else at this moment" in outcome.content
        assert (bench.root / path).read_text() == "theirs"


@pytest.mark.asyncio
@pytest.mark.parametrize("command", ["cat f", "nl f"])
async def test_cat_reads_a_file_whole(bench: Bench, command: str) -> None:
    bench.write("f", "a\nb\n")
    await bench.text("Bash", command=command)
    assert "Edited" in await bench.text("EditFile", path="f", old_string="a", new_string="x")
    assert "Replaced" in await bench.text("WriteFile", path="f", content="z")


@pytest.mark.asyncio
@pytest.mark.parametrize("command", ["head -1 f", "tail -n 1 f", "sed -n 1,2p f", "grep a f"])
async def test_head_and_its_like_read_a_part(bench: Bench, command: str) -> None:
    bench.write("f", "a\nb\n")
    await bench.text("Bash", command=command)
    assert "in part only" in await bench.error("WriteFile", path="f", content="z")
    assert "Edited" in await bench.text("EditFile", path="f", old_string="a", new_string="x")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "command", ["cat f | wc -l", "wc -l f", "cat f f2", "cat f > g", "cat f > /dev/null"]
)
async def test_other_commands_read_nothing(bench: Bench, command: str) -> None:
    bench.write("f", "a\nb\n")
    bench.write("f2", "c\n")
    await bench.text("Bash", command=command)
    assert "was not read" in await bench.error("EditFile", path="f", old_string="a", new_string="x")


def test_calls_of_other_families_are_explained(bench: Bench) -> None:
    tool = bench.tools["EditFile"]
    said = tool.complaint({"file_path": "f", "edits": [{"old_string": "a", "new_string": "b"}]})
    assert "unknown field `edits`: several edits are several calls" in said
    said = tool.complaint({"notebook_path": "f.ipynb", "cell_id": "1", "new_source": "x"})
    assert "a notebook is edited as the JSON text that it is" in said


@pytest.mark.asyncio
async def test_edits_can_follow_one_another(bench: Bench) -> None:
    file = bench.write("f", "a\nb\n")
    await bench.text("ReadFile", path="f")
    await bench.text("EditFile", path="f", old_string="a", new_string="x")
    assert await bench.text("EditFile", path="f", old_string="b", new_string="y") == (
        "Edited f: replaced at line 2."
    )
    assert "Replaced f" in await bench.text("WriteFile", path="f", content="z")
    assert file.read_text() == "z"


def test_edits_of_nothing_are_complaints(bench: Bench) -> None:
    tool = bench.tools["EditFile"]
    assert "must not be empty" in tool.complaint({"path": "f", "old_string": "", "new_string": "x"})
    assert "must differ" in tool.complaint({"path": "f", "old_string": "x", "new_string": "x"})


@pytest.mark.asyncio
async def test_nobody_is_asked_about_an_edit_of_a_file_that_was_not_read(bench: Bench) -> None:
    bench.write("f", "a\nb\nc\n")
    tool = bench.tools["EditFile"]
    for passage in ("b", "not there"):
        with pytest.raises(ModelError, match="f was not read; nothing was changed"):
            tool.preview({"path": "f", "old_string": passage, "new_string": "x"})
    assert "-long" in tool.preview({"path": "f", "old_string": "long enough " * 30, "new_string": "x"})
    await bench.text("ReadFile", path="f")
    assert "-b" in tool.preview({"path": "f", "old_string": "b", "new_string": "x"})
    bench.write("f", "a\nb\nd\n")
    with pytest.raises(ModelError, match="has changed since it was read"):
        tool.preview({"path": "f", "old_string": "b", "new_string": "x"})


@pytest.mark.asyncio
async def test_the_preview_is_the_diff(bench: Bench) -> None:
    bench.write("f", "a\nb\nc\n")
    await bench.text("ReadFile", path="f")
    tool = bench.tools["EditFile"]
    assert tool.preview({"path": "f", "old_string": "b", "new_string": "x"}).endswith(" a\n-b\n+x\n c")
    assert "-gone" in tool.preview({"path": "f", "old_string": "gone", "new_string": "x"})
    assert "-gone" in tool.preview({"path": "missing", "old_string": "gone", "new_string": "x"})
    touches = tool.touches({"path": "f", "old_string": "b", "new_string": "x"})
    assert (touches.reads, touches.writes) == (("f",), ("f",))
