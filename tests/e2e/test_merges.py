"""Two members whose work meets: conflicts go to their authors, nothing is lost, and the person's checkout is
whole at every moment."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.driver import TeamRun, team_run

pytestmark = [pytest.mark.slow, pytest.mark.timeout(90)]

GIT = 'permissions: {allow: ["Bash(git mv *)", "Bash(git rm *)", "Bash(chmod *)"]}\n'
FILES = {"a.txt": "one\ntwo\nthree\n", "b.txt": "b\n", "check.py": "print('checked')\n"}

Call = dict[str, Any]


def bash(command: str) -> Call:
    return {"tool": "Bash", "input": {"command": command}}


def write(path: str, content: str) -> list[Call]:
    """WriteFile wants to have seen what it replaces."""
    return [
        {"tool": "ReadFile", "input": {"path": path}},
        {"tool": "WriteFile", "input": {"path": path, "content": content}},
    ]


def task(subject: str) -> Call:
    return {"tool": "TaskCreate", "input": {"subject": subject, "description": subject}}


def take(subject: str, status: str) -> Call:
    return {"tool": "TaskUpdate", "input": {"taskId": f"{{{{ task('{subject}') }}}}", "status": status}}


def member(name: str) -> Call:
    return {
        "tool": "Agent",
        "input": {
            "name": name,
            "team_name": "{{ team }}",
            "description": name,
            "prompt": f"Do the part of {name}",
        },
    }


def merge(*names: str) -> list[Call]:
    return [{"tool": "MergeTeammate", "input": {"name": name}} for name in names]


def works(name: str, calls: list[Call], later: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The steps of a member: its part, and what it does when it is woken later."""
    return [
        {"calls": [take(f"part of {name}", "in_progress")]},
        {"calls": calls},
        {"calls": [take(f"part of {name}", "completed")]},
        {"text": f"{name} has done its part."},
        *later,
    ]


def scenario(
    alice: list[Call], bob: list[Call], bobs_answer: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    again = [
        {"when": {"result": {"tool": "MergeTeammate", "contains": "Conflict"}}, "text": "bob resolves it."},
        {"when": {"last_contains": "bob stopped"}, "calls": merge("bob")},
    ]
    return {
        "agents": {
            "lead": [
                {"calls": [task("part of alice"), task("part of bob")]},
                {"calls": [member("alice"), member("bob")]},
                {"text": "Both work."},
                {"when": {"all_tasks": "completed"}, "calls": merge("alice", "bob")},
                *(again if bobs_answer is not None else []),
                {"text": "All is merged."},
                {"always": True, "text": "Noted {{ turn }}."},
            ],
            "alice": works("alice", alice, []),
            "bob": works("bob", bob, bobs_answer or []),
        }
    }


def headless(run: TeamRun) -> Any:
    done = run.team("-p", "--output-format", "json").finish()
    return done.code, done.value


def files_of(run: TeamRun) -> dict[str, str]:
    names = run.git("ls-tree", "-r", "--name-only", "HEAD").splitlines()
    return {name: run.git("show", f"HEAD:{name}") for name in names}


def test_a_conflict_goes_to_its_author_and_both_sides_survive():
    resolve = [
        {"when": {"last_contains": "conflicts"}, "calls": write("a.txt", "one\nalice and bob\nthree\n")},
        {"calls": [bash("git add a.txt && git commit -q -m 'Keep both'")]},
        {"text": "Both words are kept."},
    ]
    plan = scenario(write("a.txt", "one\nalice\nthree\n"), write("a.txt", "one\nbob\nthree\n"), resolve)
    with team_run(plan, backend="tmux", files=FILES) as run:
        code, value = headless(run)
        assert (code, value["status"]) == (0, "completed"), run.describe()
        assert files_of(run)["a.txt"] == "one\nalice and bob\nthree"
        assert sorted(value["merged"]) == ["alice", "bob"]
        conflict = run.events("conflict")
        assert [record.member for record in conflict] == ["bob"]
        assert conflict[0].detail["paths"] == "a.txt"
        subjects = run.git("log", "--format=%s").splitlines()
        assert "Keep both" in subjects


def test_a_conflict_that_nobody_resolves_is_put_to_the_person_with_both_sides():
    plan = scenario(
        write("a.txt", "one\nalice\nthree\n"),
        write("a.txt", "one\nbob\nthree\n"),
        [{"always": True, "text": "I cannot decide this ({{ turn }})."}],
    )
    plan["agents"]["lead"].insert(
        4, {"always": True, "when": {"last_contains": "bob stopped"}, "text": "So be it."}
    )
    with team_run(plan, backend="in-process", files=FILES) as run:
        base = run.git("rev-parse", "HEAD")
        code, value = headless(run)
        assert (code, value["status"]) == (1, "conflict"), run.describe()
        assert "bob conflicts with roocode-team/t in a.txt" in value["conflicts"][0]
        assert value["merged"] == ["alice"]
        assert run.git("rev-parse", "HEAD") == base
        assert run.git("status", "--porcelain") == ""
        assert "bob" in run.git("show", "worktree-team-t+bob:a.txt")


def test_an_edit_follows_a_rename():
    plan = scenario([bash("git mv a.txt c.txt")], write("a.txt", "one\nbob\nthree\n"))
    with team_run(plan, backend="in-process", files=FILES, config=GIT) as run:
        code, value = headless(run)
        assert (code, value["status"]) == (0, "completed"), run.describe()
        assert files_of(run)["c.txt"] == "one\nbob\nthree"
        assert "a.txt" not in files_of(run)


def test_a_file_that_one_deleted_and_the_other_edited_is_a_conflict():
    resolve = [
        {
            "when": {"last_contains": "conflicts"},
            "calls": [bash("git add a.txt && git commit -q -m 'Keep the edit'")],
        },
        {"text": "The edit is kept."},
    ]
    plan = scenario([bash("git rm -q a.txt")], write("a.txt", "one\nbob\nthree\n"), resolve)
    with team_run(plan, backend="in-process", files=FILES, config=GIT) as run:
        code, value = headless(run)
        assert (code, value["status"]) == (0, "completed"), run.describe()
        assert files_of(run)["a.txt"] == "one\nbob\nthree"
        assert run.events("conflict")[0].member == "bob"


def test_a_change_of_mode_and_an_edit_are_both_kept():
    plan = scenario([bash("chmod +x a.txt")], write("a.txt", "one\nbob\nthree\n"))
    with team_run(plan, backend="in-process", files=FILES, config=GIT) as run:
        code, value = headless(run)
        assert (code, value["status"]) == (0, "completed"), run.describe()
        assert run.git("ls-tree", "HEAD", "a.txt").startswith("100755")
        assert files_of(run)["a.txt"] == "one\nbob\nthree"


def test_a_commit_of_the_person_during_the_run_is_not_touched_and_the_way_to_finish_is_told():
    plan = scenario(write("a.txt", "one\nalice\nthree\n"), write("b.txt", "bob\n"))
    plan["agents"]["bob"][1]["first_token_delay_s"] = 1.0
    with team_run(plan, backend="tmux", files=FILES) as run:
        lead = run.team("-p", "--output-format", "json")
        run.wait_for_event("claimed", member="bob")
        (run.repo / "mine.txt").write_text("mine\n")
        run.git("add", "mine.txt")
        run.git("commit", "-q", "-m", "mine")
        mine = run.git("rev-parse", "HEAD")
        done = lead.finish()
        assert (done.code, done.value["status"]) == (1, "incomplete"), run.describe()
        assert run.git("rev-parse", "HEAD") == mine
        assert run.git("status", "--porcelain") == ""
        assert f"git -C {run.repo} merge roocode-team/t" in done.value["result"]

        run.git("merge", "-q", "--no-edit", "roocode-team/t")
        found = files_of(run)
        assert (found["a.txt"], found["b.txt"], found["mine.txt"]) == ("one\nalice\nthree", "bob", "mine")


def test_changes_of_the_person_in_the_way_are_kept_and_nothing_is_half_merged():
    plan = scenario(write("a.txt", "one\nalice\nthree\n"), write("b.txt", "bob\n"))
    with team_run(plan, backend="in-process", files=FILES) as run:
        base = run.git("rev-parse", "HEAD")
        (run.repo / "a.txt").write_text("mine, not committed\n")
        code, value = headless(run)
        assert (code, value["status"]) == (1, "incomplete"), run.describe()
        assert run.git("rev-parse", "HEAD") == base
        assert (run.repo / "a.txt").read_text() == "mine, not committed\n"
        assert (run.repo / "b.txt").read_text() == "b\n"
        assert "merge --ff-only roocode-team/t" in value["result"]


def test_a_red_check_moves_nothing_and_the_lead_gets_its_end():
    plan = scenario(write("a.txt", "one\nalice\nthree\n"), write("b.txt", "bob\n"))
    plan["agents"]["lead"][4:4] = [{"text": "All is merged."}]
    plan["agents"]["lead"][5] = {
        "always": True,
        "when": {"last_contains": ["exit code 3", "it is red"]},
        "text": "Nobody can mend it ({{ turn }}).",
    }
    with team_run(plan, backend="in-process", files=FILES) as run:
        base = run.git("rev-parse", "HEAD")
        lead = run.team("-p", "--output-format", "json", check="echo it is red; exit 3")
        done = lead.finish()
        assert (done.code, done.value["status"]) == (1, "failed"), run.describe()
        assert done.value["verify"] == {"command": "echo it is red; exit 3", "exitCode": 3}
        assert run.git("rev-parse", "HEAD") == base
        assert len(run.events("verified")) == 3
        assert "it is red" not in done.out.replace(str(done.value["verify"]["command"]), "")
