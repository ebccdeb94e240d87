"""The log is the truth: what is replayed equals what was, cut at any byte."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roocode.memory.sessions.conversation import Conversation
from roocode.memory.sessions.log import Header
from roocode.memory.sessions.pairing import LOST
from roocode.memory.sessions.replay import replay
from roocode.protocol.errors import UserError
from roocode.protocol.messages import Message, Reply, Text, Thinking, ToolCall, ToolResult, Usage, user
from roocode.security.isolation.secrets import Secrets

HEADER = Header(id="s1", cwd="/w", model="m", mode="default", system="S")


def told(path: Path) -> Conversation:
    conversation = Conversation.create(path, HEADER)
    conversation.add_prompt(user("read \u2028 it \ud800"), mail=("m1",))
    calls = (ToolCall("c1", "ReadFile", {"path": "a"}), ToolCall("c2", "Bash", None, "{", "not JSON"))
    conversation.add_reply(Reply(Message("assistant", (Thinking("hm", "sig"), *calls)), "tools", Usage(3, 4)))
    conversation.add_result(ToolResult("c2", "bad", True))
    conversation.add_result(ToolResult("c1", "text"))
    conversation.settle_results()
    conversation.add_reply(Reply(Message("assistant", (Text("done"), Text(""))), "end", Usage(5, 6)))
    return conversation


def test_a_replay_gives_the_same_messages_usage_and_mail(tmp_path: Path):
    conversation = told(tmp_path / "s.jsonl")
    conversation.close()
    resumed, past = Conversation.resume(tmp_path / "s.jsonl")
    assert resumed.messages() == conversation.messages()
    assert past.header.system == "S"
    assert past.usage == Usage(8, 10)
    assert past.mail == {"m1"}
    assert past.skipped == 0


def test_the_log_is_private(tmp_path: Path):
    told(tmp_path / "s.jsonl")
    assert (tmp_path / "s.jsonl").stat().st_mode & 0o777 == 0o600


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_log_cut_at_any_byte_resumes_whole_and_goes_on(tmp_path: Path, data: st.DataObject):
    path = tmp_path / "cut.jsonl"
    path.unlink(missing_ok=True)
    told(path).close()
    content = path.read_bytes()
    first = content.index(b"\n") + 1
    path.write_bytes(content[: data.draw(st.integers(first, len(content)))])
    resumed, _ = Conversation.resume(path)
    resumed.add_prompt(user("go on"))
    resumed.close()
    again, _ = Conversation.resume(path)
    assert again.messages() == resumed.messages()
    assert again.messages()[-1].text.endswith("go on")
    for message, following in zip(again.messages(), again.messages()[1:], strict=False):
        assert [c.id for c in message.calls] == [r.call_id for r in following.results]


def test_a_crash_between_call_and_result_is_mended_on_disk(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    conversation = Conversation.create(path, HEADER)
    conversation.add_prompt(user("go"))
    conversation.add_reply(Reply(Message("assistant", (ToolCall("c1", "Bash", {"command": "x"}),)), "tools"))
    conversation.close()
    resumed, _ = Conversation.resume(path)
    assert resumed.messages()[-1].results == (ToolResult("c1", LOST, True),)
    assert json.loads(path.read_text().splitlines()[-1])["result"]["callId"] == "c1"


def test_foreign_and_broken_lines_are_skipped_and_counted(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    told(path).close()
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], "not json", '{"type":"prompt"}', "[1]", *lines[1:]]) + "\n")
    _, past = Conversation.resume(path)
    assert past.skipped == 3
    assert past.messages[0].text.startswith("read")


def test_only_results_in_order_of_calls_extend_what_was_sent(tmp_path: Path):
    conversation = told(tmp_path / "s.jsonl")
    before = conversation.messages()
    conversation.add_prompt(user("more"))
    assert conversation.messages()[: len(before)] == before


def test_a_fork_leaves_its_source_alone(tmp_path: Path):
    told(tmp_path / "s.jsonl").close()
    content = (tmp_path / "s.jsonl").read_bytes()
    fork, _ = Conversation.fork(tmp_path / "s.jsonl", tmp_path / "f.jsonl")
    fork.add_prompt(user("elsewhere"))
    assert (tmp_path / "s.jsonl").read_bytes() == content
    assert fork.header.id != "s1"
    assert replay(tmp_path / "f.jsonl").messages[-1].text == "elsewhere"


def test_a_missing_or_empty_session_says_so(tmp_path: Path):
    with pytest.raises(UserError, match="no such session"):
        replay(tmp_path / "none.jsonl")
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(UserError, match="holds no session"):
        replay(tmp_path / "empty.jsonl")


def test_a_log_of_a_newer_schema_is_refused(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    path.write_text('{"type":"session","schema":99}\n')
    with pytest.raises(UserError, match="newer RooCode"):
        replay(path)


def test_a_provider_that_repeats_call_ids_gets_new_ones(tmp_path: Path):
    conversation = Conversation.create(tmp_path / "s.jsonl", HEADER)
    conversation.add_prompt(user("go"))
    answer = Reply(Message("assistant", (ToolCall("c", "Glob", {}), ToolCall("c", "Glob", {}))), "tools")
    ids = [call.id for call in conversation.add_reply(answer).message.calls]
    for identifier in ids:
        conversation.add_result(ToolResult(identifier, "r"))
    ids += [call.id for call in conversation.add_reply(answer).message.calls]
    assert len(set(ids)) == 4


def test_secrets_stand_neither_in_the_log_nor_in_what_is_sent_but_calls_run_as_they_were_meant(
    tmp_path: Path,
):
    token, path = "ghp_Kd8Wq2Lm6Xv1Rb9Yc5Nh3Pj7Sf0Ga2Te4Uz8", tmp_path / "s.jsonl"
    mask = Secrets("salt")
    call = ToolCall("c1", "Bash", {"command": f"echo {token}"})
    bad = ToolCall("c2", "Bash", None, raw=f'{{"command": "{token}', complaint=f"not JSON: {token}")
    conversation = Conversation.create(path, replace(HEADER, system=f"Key {token}.", name=token), mask)
    conversation.add_prompt(user(f"My key is {token}."))
    kept = conversation.add_reply(Reply(Message("assistant", (Text(f"Use {token}"), call, bad)), "tools"))
    conversation.add_result(ToolResult("c1", token))
    conversation.note("decision", reason=f"because of {token}")
    conversation.close_open_calls(f"lost {token}")

    assert kept.message.calls == (call, bad)
    assert token not in path.read_text()
    assert token not in repr((conversation.messages(), conversation.header))
    assert mask(token) in conversation.header.system
    sent = conversation.messages()
    resumed, _ = Conversation.resume(path, mask)
    assert resumed.messages() == sent


def test_a_log_from_before_its_secrets_were_known_is_sent_masked_and_stays_as_it_is(tmp_path: Path):
    token, path = "ghp_Kd8Wq2Lm6Xv1Rb9Yc5Nh3Pj7Sf0Ga2Te4Uz8", tmp_path / "s.jsonl"
    Conversation.create(path, HEADER).add_prompt(user(f"My key is {token}."))
    before = path.read_bytes()
    resumed, past = Conversation.resume(path, Secrets("salt"))
    assert token not in repr((resumed.messages(), past))
    assert path.read_bytes() == before


def test_what_was_discovered_outlives_resumes_forks_and_rewinds(tmp_path: Path):
    conversation = told(tmp_path / "s.jsonl")
    conversation.note("discovered", tools={"mcp__b__x": "b", "mcp__a__y": "a"})
    conversation.note("discovered", tools=["damaged"])
    conversation.note("discovered", tools={"mcp__b__x": "b", "mcp__a__z": "a"})
    conversation.compact((), Usage())
    conversation.close()
    resumed, past = Conversation.resume(tmp_path / "s.jsonl")
    forked, _ = Conversation.fork(tmp_path / "s.jsonl", tmp_path / "f.jsonl")
    again, _ = Conversation.resume(tmp_path / "f.jsonl")
    found = {"mcp__b__x": "b", "mcp__a__y": "a", "mcp__a__z": "a"}
    for kept in (resumed.discovered, past.discovered, forked.discovered, again.discovered):
        assert list(kept.items()) == list(found.items())
    assert past.skipped == 1
