"""A team's budget holds for lead and members together; at the limit it winds up, and a resume counts on."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.driver import TeamRun, team_run
from tests.e2e.plays import Step, call, update

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

COST = {"input": 1000, "output": 0}
LAST = {"when": {"tool_choice": "none"}, "always": True, "usage": COST}
PRICES = "models: {anthropic/scripted: {input_price: 1000, output_price: 1000}}\n"


def paid(*steps: Step) -> list[Step]:
    return [{"usage": COST, **step} for step in steps]


def member(name: str, *more: Step) -> list[Step]:
    """Takes its task, writes a file, then looks around until it is told to hand over."""
    look = {"calls": [call("Bash", command="git status --short && echo look {{ play }}")], "repeat": 200}
    return [
        {**LAST, "text": f"{name} hands over: {name}.txt is begun ({{{{ turn }}}})."},
        *more,
        *paid(
            {"calls": [update(f"{name} part", "in_progress")]},
            {"calls": [call("WriteFile", path=f"{name}.txt", content=f"by {name}\n")]},
            look,
        ),
    ]


def scenario(**members: list[Step]) -> dict[str, Any]:
    names = list(members)
    create = [call("TaskCreate", subject=f"{name} part", description=name) for name in names]
    spawn = [call("Agent", name=n, team_name="{{ team }}", description="part", prompt="Do it") for n in names]
    lead = [
        {**LAST, "text": "Nothing is merged; both files are begun ({{ turn }})."},
        *paid({"calls": create}, {"calls": spawn}, {"text": "All are at work."}),
        {"always": True, "usage": COST, "text": "Noted ({{ turn }})."},
    ]
    return {"agents": {"lead": lead, **members}}


def last_requests(run: TeamRun, agent: str) -> list[str]:
    return run.requests(agent, "this is your last message in this run")


@pytest.mark.parametrize("backend", ["tmux", "in-process"])
def test_tokens_count_for_all_together_and_the_team_winds_up(backend: str):
    play = scenario(alice=member("alice"), bob=member("bob"))
    with team_run(play, backend=backend) as run:
        done = run.team("-p", "--output-format", "json", "--max-budget-tokens", "20000").finish(90)
        assert done.code == 53, run.describe()
        value = done.value
        assert value["status"] == "budget"
        assert "the team's budget of 20000 tokens is used up" in value["result"]
        assert "Nothing is merged" in value["result"]
        assert "task 1 is in_progress, owned by alice" in value["result"]
        spent = {line["name"]: line["tokens"] for line in value["members"]}
        whole = value["usage"]["input_tokens"]
        assert 20_000 <= whole <= 30_000, f"three agents with a budget each would use more: {spent}"
        assert all(tokens < 20_000 for tokens in spent.values()), "no member had the whole budget"
        for name in ("alice", "bob"):
            assert last_requests(run, name), run.describe()
            assert run.git("show", f"worktree-team-t+{name}:{name}.txt") == f"by {name}"
            assert run.worktree(name).is_dir()
        lead = last_requests(run, "lead")
        assert len(lead) == 1
        assert "alice hands over" in lead[0], run.describe()
        assert "bob hands over" in lead[0], run.describe()
        assert [event.detail["reason"] for event in run.events("budget")]
        assert "and a larger budget" in done.err
        run.wait_until_nothing_is_left()


def test_a_resume_counts_on_from_what_was_spent_and_a_larger_budget_goes_on():
    finish = [update("alice part", "in_progress"), update("alice part", "completed")]
    told = {"when": {"last_contains": "Go on and finish", "tool_choice": "auto"}, "usage": COST}
    done = {"when": {"result": {"tool": "TaskUpdate", "contains": "completed"}}, "usage": COST}
    again = [{**told, "always": True, "calls": finish}, {**done, "always": True, "text": "My part is done."}]
    play = scenario(alice=member("alice", *again))
    merge = {
        "when": {"all_tasks": "completed", "tool_choice": "auto", "last_role": "user"},
        "usage": COST,
        "calls": [call("MergeTeammate", name="alice")],
        "always": True,
    }
    play["agents"]["lead"].insert(1, merge)
    with team_run(play, backend="tmux", config=PRICES) as run:
        first = run.team("-p", "--output-format", "json", "--max-budget-usd", "12").finish(90)
        assert (first.code, first.value["status"]) == (53, "budget"), run.describe()
        assert "the team's budget of 12.00 USD is used up" in first.value["result"]
        assert first.value["costUsd"] >= 12

        second = run.resume().finish(90)
        assert second.code == 53, "what was given before holds, and what was spent counts"
        assert "of 12.00 USD." in second.err
        assert second.value["costUsd"] > first.value["costUsd"]

        more = ("--max-budget-usd", "200", "alice", "Go on and finish")
        last = run.resume(*more).finish(90)
        assert last.code == 0, run.describe()
        assert run.git("show", "HEAD:alice.txt") == "by alice"
        assert second.value["costUsd"] < last.value["costUsd"] < 200


def test_the_time_of_a_team_ends_it_while_its_lead_only_waits():
    work = [
        {**LAST, "text": "alice hands over."},
        {"calls": [update("alice part", "in_progress")]},
        {"calls": [call("WriteFile", path="alice.txt", content="by alice\n")]},
        {"calls": [call("Bash", command="sleep 1; echo waited {{ play }}")], "repeat": 200},
    ]
    with team_run(scenario(alice=work), backend="tmux") as run:
        done = run.team("-p", "--output-format", "json", "--max-seconds", "5").finish(90)
        assert (done.code, done.value["status"]) == (53, "budget"), run.describe()
        assert "the team's limit of 5 seconds is reached" in done.value["result"]
        assert last_requests(run, "alice")
        assert run.git("show", "worktree-team-t+alice:alice.txt") == "by alice"


def test_a_price_that_is_not_known_is_said_and_never_counts_as_nothing():
    with team_run(scenario(alice=member("alice")), backend="in-process") as run:
        done = run.team("-p", "--output-format", "json", "--max-budget-usd", "1000").finish(90)
        assert (done.code, done.value["status"]) == (53, "budget"), run.describe()
        assert "price of a model is not known: lead" in done.value["result"]
        assert done.value["costUsd"] is None
        assert "The price of anthropic/scripted is not known" in done.err
