"""`roocode sessions`: list, show, export, verify."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Literal

import pytest

from roocode.app.session_orders import session_order
from roocode.app.sessions import KEPT_DAYS, find, folder, saved, tidy
from roocode.interaction.cli.orders import SessionsExport, SessionsList, SessionsShow, SessionsVerify
from roocode.interaction.config.places import Places, find_places
from roocode.memory.sessions.conversation import Conversation
from roocode.memory.sessions.log import Header
from roocode.protocol.errors import UserError
from roocode.protocol.messages import Message, Reply, Text, ToolCall, ToolResult, reminder
from roocode.security.isolation.secrets import Secrets


@pytest.fixture
def places(home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("ROOCODE_HOME", raising=False)
    return find_places(project, {"HOME": str(home)})


def save(places: Places, identifier: str, words: str = "Look into it.", name: str = "") -> Path:
    """A session with a question, a call, its result and an answer."""
    header = Header(identifier, str(places.root), "anthropic/m", "default", "S", name=name)
    conversation = Conversation.create(folder(places) / f"{identifier}.jsonl", header)
    conversation.add_prompt(Message("user", (reminder("Today."), Text(words))))
    call = ToolCall("c1", "Bash", {"command": "cat a.md"})
    conversation.add_reply(Reply(Message("assistant", (Text("I look."), call)), "tools"))
    conversation.add_result(ToolResult("c1", "```\nfenced\n```"))
    conversation.add_reply(Reply(Message("assistant", (Text("It is *fine*."),)), "end"))
    conversation.close()
    return conversation.path


def test_sessions_are_listed_with_their_first_words(
    places: Places, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(places, "aaaaaaaa11", "Look \x1b[2J into\nit.")
    save(places, "bbbbbbbb22", "x" * 300, name="long")
    assert session_order(SessionsList(project)) == 0
    lines = capsys.readouterr().out.splitlines()
    shown = {line.split()[0]: line for line in lines}
    assert shown.keys() == {"aaaaaaaa", "bbbbbbbb"}
    assert shown["aaaaaaaa"].endswith("Look \\x1b[2J into it.")
    assert "[long]" in shown["bbbbbbbb"]
    assert max(map(len, lines)) < 120


def test_the_list_is_json_where_it_is_wanted(
    places: Places, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = save(places, "aaaaaaaa11", name="n")
    assert session_order(SessionsList(project, json=True)) == 0
    [session] = json.loads(capsys.readouterr().out)
    assert (session["id"], session["name"], session["title"]) == ("aaaaaaaa11", "n", "Look into it.")
    assert session["path"] == str(path)


def test_no_session_is_no_error(places: Places, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert session_order(SessionsList(project)) == 0
    assert session_order(SessionsList(project, json=True)) == 0
    assert session_order(SessionsVerify(project)) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out) == []
    assert "no session is saved" in captured.err


def test_a_conversation_is_shown_as_it_was(
    places: Places, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(places, "aaaaaaaa11", name="fish")
    assert session_order(SessionsShow(project, "fish")) == 0
    out = capsys.readouterr().out
    order = [out.index(part) for part in ("> Look into it.", "I look.", "● Bash(cat a.md)", "It is fine.")]
    assert order == sorted(order)
    assert "Today." not in out
    assert "\x1b" not in out


def test_an_export_is_markdown_with_fences_that_hold(
    places: Places, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(places, "aaaaaaaa11")
    assert session_order(SessionsExport(project, "aaaa")) == 0
    out = capsys.readouterr().out
    assert out.startswith("# Look into it.\n")
    assert "## Person\n\nLook into it." in out
    assert "````\n```\nfenced\n```\n````" in out
    assert re.search(r'\*\*Bash\*\*\n\n```json\n\{\n  "command": "cat a.md"\n\}\n```', out)


def test_an_export_is_the_log_itself_where_it_is_wanted(
    places: Places, project: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = save(places, "aaaaaaaa11")
    assert session_order(SessionsExport(project, "aaaa", "jsonl")) == 0
    assert capfdbinary.readouterr().out == path.read_bytes()


def test_verify_names_what_is_wrong_and_repair_mends_it(
    places: Places, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sound, broken = save(places, "aaaaaaaa11"), save(places, "bbbbbbbb22")
    content = broken.read_text()
    broken.write_text("".join(line for line in content.splitlines(True) if '"type":"result"' not in line))
    assert session_order(SessionsVerify(project)) == 1
    out = capsys.readouterr().out
    assert f"{sound}: sound" in out
    assert f"{broken}:3: call c1 has no result" in out
    assert session_order(SessionsVerify(project, "bbbb", repair=True)) == 0
    assert "mended; the old file is" in capsys.readouterr().out
    assert session_order(SessionsVerify(project)) == 0
    assert broken.with_name(f"{broken.name}.bak").exists()


def test_a_session_that_cannot_be_mended_stays(
    places: Places, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(places, "aaaaaaaa11")
    foreign = folder(places) / "foreign.jsonl"
    foreign.write_text("hello\n")
    assert session_order(SessionsVerify(project, repair=True)) == 1
    assert "not mended" in capsys.readouterr().out
    assert foreign.read_text() == "hello\n"


def test_a_session_is_found_by_id_name_or_beginning(places: Places) -> None:
    save(places, "aaaaaaaa11", name="one")
    save(places, "aaaaaaaa22", name="two")
    assert find(places, "one").header.id == "aaaaaaaa11"
    assert find(places, "aaaaaaaa2").header.id == "aaaaaaaa22"
    with pytest.raises(UserError, match="begins 2 sessions"):
        find(places, "aaaa")
    with pytest.raises(UserError, match="there is no session 'zzz'"):
        find(places, "zzz")


def test_a_damaged_header_does_not_hide_the_others(places: Places) -> None:
    save(places, "aaaaaaaa11")
    for name, line in {"b": '{"type":"session"}', "c": '{"type":"session","schema":99}', "d": ""}.items():
        (folder(places) / f"{name}.jsonl").write_text(line)
    assert [session.header.id for session in saved(places)] == ["aaaaaaaa11"]


def test_a_session_is_found_although_damage_stands_before_its_header(places: Places) -> None:
    path = save(places, "aaaaaaaa11")
    foreign = b'{"type":"summary"}\n{"type":"session","schema":"x"}\n[1]\n'
    path.write_bytes(b"\0" * 512 + b"\n\xff\xfe\nno record\n" + foreign + path.read_bytes())
    assert [session.header.id for session in saved(places)] == ["aaaaaaaa11"]
    assert find(places, "aaaa").path == path


def test_old_sessions_go_unless_they_are_named_or_open(places: Places) -> None:
    old = time.time() - (KEPT_DAYS + 1) * 86400
    paths = {name: save(places, name) for name in ("old", "open", "new")}
    named = save(places, "named", name="mine")
    for path in (paths["old"], paths["open"], named):
        os.utime(path, (old, old))
    spilled = {path: path.with_suffix("") for path in (paths["old"], named)}
    for place in spilled.values():
        place.mkdir()
        (place / "result.txt").write_text("a big result")
    tidy(places, keep=paths["open"])
    assert {session.header.id for session in saved(places)} == {"open", "new", "named"}
    assert [place.exists() for place in spilled.values()] == [False, True]


@pytest.mark.parametrize("form", ["jsonl", "markdown"])
def test_a_session_that_is_older_than_its_secrets_are_known_leaks_none(
    places: Places,
    project: Path,
    capfdbinary: pytest.CaptureFixture[bytes],
    form: Literal["jsonl", "markdown"],
) -> None:
    token = "ghp_Kd8Wq2Lm6Xv1Rb9Yc5Nh3Pj7Sf0Ga2Te4Uz8"
    path = save(places, "aaaaaaaa11", f"It is {token}.")
    with path.open("ab") as log:
        log.write(f'{{"torn": "{token}'.encode())
    mask = Secrets("salt")
    for order in (
        SessionsList(project),
        SessionsList(project, json=True),
        SessionsShow(project, "aaaa"),
        SessionsExport(project, "aaaa", form),
    ):
        assert session_order(order, mask) == 0
        sys.stdout.flush()
        out = capfdbinary.readouterr().out
        assert token.encode() not in out
        assert mask(token).encode() in out
