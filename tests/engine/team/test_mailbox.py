"""Inboxes on disk."""

import json
import os
import resource
import time
from pathlib import Path

import pytest

from roocode.engine.team import mail
from roocode.engine.team.mailbox import Mailbox, Seen
from roocode.protocol.errors import HostError
from tests.engine.team.messages import one_of_each
from tests.engine.team.on_disk import status_mail, text_mail


def box_in(directory: Path, refused: list[tuple[str, str]] | None = None) -> Mailbox:
    heard = [] if refused is None else refused
    box = Mailbox(directory / "bob", lambda name, reason: heard.append((name, reason)))
    box.create()
    return box


def names(box: Mailbox, part: str) -> list[str]:
    return sorted(path.name for path in (box.directory / part).iterdir())


def test_mail_is_read_in_order_until_it_is_acknowledged(tmp_path: Path):
    box = box_in(tmp_path)
    sent = [text_mail(f"word {number}") for number in range(5)]
    for message in sent:
        box.deliver(message)
    assert box.unread() == tuple(sent)
    assert box.unread() == tuple(sent)
    box.acknowledge(sent[2])
    assert box.unread() == (*sent[:2], *sent[3:])
    assert len(names(box, "cur")) == 1
    assert names(box, "tmp") == []


def test_every_type_of_message_survives(tmp_path: Path):
    sent = one_of_each().values()
    for message in sent:
        box = Mailbox(tmp_path / message.to)
        box.create()
        box.deliver(message)
        assert message in box.unread()


def test_a_reader_that_starts_anew_can_acknowledge(tmp_path: Path):
    message = text_mail("hello")
    box_in(tmp_path).deliver(message)
    again = box_in(tmp_path)
    again.acknowledge(message)
    assert again.unread() == ()


def test_a_second_delivery_is_seen_by_its_id(tmp_path: Path):
    box, message = box_in(tmp_path), text_mail("hello")
    box.deliver(message)
    box.deliver(message)
    seen = Seen(["m0"])
    assert [seen.first_time(unread) for unread in box.unread()] == [True, False]
    box.acknowledge(message)
    assert box.unread() == ()
    assert not Seen([message.id]).first_time(message)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not JSON"),
        (b'{"id": "m1"', "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "expected an object"),
        (b'{"type": "message"}', "id: Field required"),
        (json.dumps(mail.encode(text_mail("for alice", to="alice"))).encode(), "a message to alice"),
    ],
)
def test_a_bad_file_is_quarantined_and_the_rest_read(tmp_path: Path, content: bytes, words: str):
    refused: list[tuple[str, str]] = []
    box, good = box_in(tmp_path, refused), text_mail("good")
    (box.new / "0-bad.json").write_bytes(content)
    box.deliver(good)
    assert box.unread() == (good,)
    assert [(name, words in reason) for name, reason in refused] == [("0-bad.json", True)]
    assert (box.directory / "quarantine" / "0-bad.json").read_bytes() == content
    assert box.unread() == (good,)
    assert len(refused) == 1


def test_what_is_not_a_plain_file_is_quarantined_unread(tmp_path: Path):
    refused: list[tuple[str, str]] = []
    box = box_in(tmp_path, refused)
    (tmp_path / "secret").write_text("{}")
    os.mkfifo(box.new / "1-pipe.json")
    (box.new / "2-link.json").symlink_to(tmp_path / "secret")
    (box.new / "3-folder.json").mkdir()
    assert box.unread() == ()
    assert [name for name, _ in refused] == ["1-pipe.json", "2-link.json", "3-folder.json"]
    assert names(box, "new") == []


def test_what_is_objected_to_is_quarantined(tmp_path: Path):
    refused: list[tuple[str, str]] = []
    box, good, forged = box_in(tmp_path, refused), text_mail("good"), text_mail("forged")
    box.deliver(forged)
    box.deliver(good)
    assert box.unread(lambda message: "forged" if message == forged else "") == (good,)
    assert [reason for _, reason in refused] == ["forged"]
    assert len(names(box, "quarantine")) == 1


def test_only_what_wakes_is_waking(tmp_path: Path):
    box = box_in(tmp_path)
    assert not box.waking()
    box.deliver(status_mail("task 1 is completed"))
    assert not box.waking()
    assert not box.waking()
    word = text_mail("hello")
    box.deliver(word)
    assert box.waking()
    box.acknowledge(word)
    assert not box.waking()
    (box.new / "1.json").write_text("{")
    assert box.waking()


def test_an_inbox_that_is_gone_is_an_error_for_both_sides(tmp_path: Path):
    box = Mailbox(tmp_path / "bob")
    with pytest.raises(HostError, match=r"cannot write to the inbox of bob: .*nothing was sent"):
        box.deliver(text_mail("hello"))
    with pytest.raises(HostError, match="there is no inbox"):
        box.unread()
    assert not box.directory.exists()


def test_a_full_disk_sends_nothing_and_leaves_nothing(tmp_path: Path):
    box = box_in(tmp_path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(HostError, match="nothing was sent"):
            box.deliver(text_mail("x" * 10_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (names(box, "tmp"), names(box, "new")) == ([], [])


def test_left_overs_of_crashed_senders_are_tidied_away(tmp_path: Path):
    box = box_in(tmp_path)
    for name, age_s in (("old.json", 40 * 3600), ("young.json", 60)):
        path = box.directory / "tmp" / name
        path.write_text("{")
        then = path.stat().st_mtime - age_s
        os.utime(path, (then, then))
    box.tidy()
    assert names(box, "tmp") == ["young.json"]


def test_creating_again_keeps_the_mail(tmp_path: Path):
    box_in(tmp_path).deliver(text_mail("hello"))
    assert len(box_in(tmp_path).unread()) == 1


def test_mail_is_private(tmp_path: Path):
    box = box_in(tmp_path)
    box.deliver(text_mail("hello"))
    assert (box.new / names(box, "new")[0]).stat().st_mode & 0o777 == 0o600
    assert box.new.stat().st_mode & 0o777 == 0o700


def test_what_waits_can_be_told_from_what_came_later(tmp_path: Path):
    box = box_in(tmp_path)
    box.deliver(text_mail("early"))
    between = time.time()
    box.deliver(text_mail("late"))
    (box.new / "strange").write_text("not ours")
    assert len(box.waiting()) == 3
    early = box.waiting(between)
    assert "strange" in early
    assert len(early) == 2
