"""The team store: what stands on disk, and what is refused."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from roocode.engine.team import tasks
from roocode.engine.team.store.files import FileTeamStore
from roocode.protocol.errors import HostError, UserError
from roocode.protocol.team import MemberReport
from roocode.security.isolation.secrets import Secrets
from tests.engine.team.on_disk import AT, member, roster, team_store, text_mail


def test_a_team_is_read_back(tmp_path: Path):
    store = team_store(tmp_path, "alice", "bob")
    assert FileTeamStore(store.root).team() == roster("alice", "bob")
    assert store.exists()


def test_team_json_has_the_fixed_names(tmp_path: Path):
    store = team_store(tmp_path, "alice")
    assert json.loads((store.root / "team.json").read_text()) == {
        "schema": 1,
        "name": "crew",
        "leadAgentId": "agent-lead",
        "goal": "refactor",
        "createdAt": AT,
        "baseBranch": "main",
        "baseCommit": "c0ffee",
        "integrationBranch": "roocode-team/crew",
        "members": [
            {
                "name": "alice",
                "agentId": "agent-alice",
                "agentType": "general-purpose",
                "model": "scripted",
                "color": "blue",
                "worktreePath": "/repo/.roocode/worktrees/crew/alice",
                "branch": "worktree-team-crew+alice",
                "backendType": "in-process",
                "paneId": None,
                "sessionId": None,
                "planModeRequired": False,
                "spawnedAt": "",
            }
        ],
    }


def test_tasks_json_has_the_fixed_names(tmp_path: Path):
    store = team_store(tmp_path)
    store.change_tasks(lambda now: tasks.create(now, "split", "the parser", by="lead", at=AT))
    assert json.loads((store.root / "tasks.json").read_text()) == {
        "schema": 1,
        "tasks": [
            {
                "id": "1",
                "subject": "split",
                "description": "the parser",
                "status": "pending",
                "owner": None,
                "blocks": [],
                "blockedBy": [],
                "createdBy": "lead",
                "createdAt": AT,
                "updatedAt": AT,
                "result": None,
                "claimBase": None,
                "commits": [],
                "completedCommit": None,
            }
        ],
    }
    assert store.tasks()[0].subject == "split"


def test_a_task_as_another_tool_wrote_it_is_read(tmp_path: Path):
    store = team_store(tmp_path)
    line = {"id": "1", "subject": "split", "blockedBy": ["2"], "status": "completed", "colour": "red"}
    (store.root / "tasks.json").write_text(json.dumps({"tasks": [line]}))
    assert store.tasks()[0].blocked_by == ("2",)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"id": 1, "subject": "split"}, "id: Input should be a valid string"),
        ({"id": "1"}, "subject: Field required"),
        ({"id": "1", "subject": "s", "status": "done"}, "status: Input should be 'pending'"),
        ({"id": "1", "subject": "s", "blockedBy": "2"}, "blockedBy: Input should be a valid tuple"),
        ("task", "expected an object, found str"),
    ],
)
def test_a_task_of_another_shape_is_an_error_that_names_the_field(tmp_path: Path, line: object, words: str):
    store = team_store(tmp_path)
    (store.root / "tasks.json").write_text(json.dumps({"schema": 1, "tasks": [line]}))
    with pytest.raises(HostError, match=r"tasks\.json is broken") as broken:
        store.tasks()
    assert words in str(broken.value)


def test_a_name_that_is_taken_changes_nothing(tmp_path: Path):
    store = team_store(tmp_path, "alice")
    with pytest.raises(UserError, match="there is a team crew already"):
        FileTeamStore(store.root).create(roster())
    assert store.team() == roster("alice")


def test_a_directory_without_a_roster_is_no_team(tmp_path: Path):
    store = FileTeamStore(tmp_path / "crew")
    (tmp_path / "crew" / "members").mkdir(parents=True)
    assert not store.exists()
    with pytest.raises(HostError, match=r"team\.json is missing"):
        store.team()
    store.create(roster())
    assert store.exists()


def test_a_member_joins_changes_and_leaves(tmp_path: Path):
    store = team_store(tmp_path)
    store.add_member(member("alice"))
    store.inbox("alice").deliver(text_mail("welcome", to="alice"))
    changed = store.update_member("alice", is_active=False, pane_id="%3")
    assert (changed.is_active, changed.pane_id) == (False, "%3")
    assert store.team().members == (changed,)
    assert store.update_member("agent-alice", session_id="s1").session_id == "s1"
    store.remove_member("alice")
    assert store.team().members == ()
    assert len(store.inbox("alice").unread()) == 1


def test_an_idle_member_is_false_on_disk_and_an_active_one_true_or_absent(tmp_path: Path):
    store = team_store(tmp_path, "alice")
    for value in (False, True):
        store.update_member("alice", is_active=value)
        assert json.loads((store.root / "team.json").read_text())["members"][0]["isActive"] is value


@pytest.mark.parametrize("name", ["Alice", "", "a/b", "..", "a" * 33, "lead", "-a"])
def test_a_bad_name_is_refused(tmp_path: Path, name: str):
    store = team_store(tmp_path)
    with pytest.raises(UserError, match="cannot name a member"):
        store.add_member(member(name))
    assert store.team().members == ()


def test_a_member_that_is_there_or_unknown_is_refused(tmp_path: Path):
    store = team_store(tmp_path, "alice")
    with pytest.raises(UserError, match="has a member alice already"):
        store.add_member(member("alice"))
    with pytest.raises(UserError, match=r"(?s)no member bob.*Its members: alice"):
        store.update_member("bob", is_active=False)
    with pytest.raises(UserError, match="no member bob"):
        store.remove_member("bob")


def test_what_a_process_says_of_itself(tmp_path: Path):
    store = team_store(tmp_path, "alice")
    assert store.report("alice") is None
    said = MemberReport("alice", 42, "idle", wake_socket="/run/a.sock", cost_usd=None, exit={"code": 0})
    store.write_report(said)
    assert store.report("alice") == said
    on_disk = json.loads((store.root / "members" / "alice.json").read_text())
    assert (on_disk["wakeSocket"], on_disk["costUsd"], on_disk["exit"]) == ("/run/a.sock", None, {"code": 0})


def test_the_record(tmp_path: Path):
    store = team_store(tmp_path)
    store.record("created", "lead", {"goal": "refactor"})
    assert [(r.team, r.kind) for r in store.events()] == [("crew", "created")]


def test_quarantined_mail_is_recorded(tmp_path: Path):
    store = team_store(tmp_path, "alice")
    (store.root / "inboxes" / "alice" / "new" / "1.json").write_text("{")
    assert store.inbox("alice").unread() == ()
    refused = store.events()[-1]
    assert (refused.kind, refused.member, refused.detail["file"]) == ("message_refused", "alice", "1.json")


def test_a_team_with_a_living_member_is_not_removed(tmp_path: Path):
    store = team_store(tmp_path, "alice", "bob")
    held = store.member_lock("bob").hold()
    with pytest.raises(HostError, match="members still run: bob"):
        store.remove()
    assert store.exists()
    held.release()
    store.remove()
    assert not store.root.exists()


def test_a_team_that_was_removed_is_not_brought_back_by_a_late_writer(tmp_path: Path):
    store = team_store(tmp_path, "alice")
    store.remove()
    for late in (
        lambda: store.change_tasks(lambda now: tasks.create(now, "late", "", by="alice", at=AT)),
        lambda: store.record("idle", "alice", {}),
        lambda: store.inbox("alice").deliver(text_mail("late", to="alice")),
        lambda: store.write_report(MemberReport("alice", 1, "idle")),
    ):
        with pytest.raises(HostError):
            late()
    assert not store.root.exists()


def test_a_second_lead_is_refused(tmp_path: Path):
    store = team_store(tmp_path)
    held = store.lead_lock().hold()
    with pytest.raises(HostError, match=r"lead\.lock is held by process"):
        store.lead_lock().hold(patience_s=0.01)
    held.release()


def test_no_secret_gets_into_any_file(tmp_path: Path):
    token, mask = "ghp_Kd8Wq2Lm6Xv1Rb9Yc5Nh3Pj7Sf0Ga2Te4Uz8", Secrets("salt")
    store = FileTeamStore(tmp_path / "teams" / "crew", mask)
    store.create(replace(roster("alice"), goal=f"log in with {token}"))
    store.change_tasks(lambda now: tasks.create(now, f"use {token}", token, by="lead", at=AT))
    store.write_report(MemberReport(name="alice", pid=1, state="stopped", reason=f"bad key {token}"))
    store.record("permission_denied", "alice", {"input": {"command": [f"echo {token}"]}})
    files = [path for path in store.root.rglob("*") if path.is_file()]
    assert len(files) >= 4
    assert [path for path in files if token in path.read_text()] == []
    assert store.team().goal == f"log in with {mask(token)}"
    assert store.tasks()[0].subject == f"use {mask(token)}"
    assert store.events()[-1].detail["input"] == {"command": [f"echo {mask(token)}"]}
    assert store.root.stat().st_mode & 0o777 == 0o700
