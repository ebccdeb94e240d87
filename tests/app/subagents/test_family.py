"""Sub-agents of a real session against a scripted model: in front, in the background, one after another."""

from __future__ import annotations

import json

import pytest

from roocode.engine.subagents.definition import AgentDefinition
from roocode.interaction.config.sources import Flag
from roocode.protocol.events import CallDecided, Notice, PromptAdded
from tests.app.subagents.family import Families, agent, asked, ids, states, typed
from tests.engine.loop.conftest import ALLOW_ALL, PROTOCOLS

GLOB = {"tool": "Glob", "input": {"pattern": "*"}}


def patience(seconds: float) -> tuple[Flag, ...]:
    return (ALLOW_ALL, Flag(("subagents", "auto_background"), seconds, "--test"))


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_in_front_the_report_is_the_result(families: Families, protocol: str) -> None:
    agents = {
        "main": [
            {"calls": [typed(name="ann", prompt="Look for the word.")]},
            {"when": {"result": {"tool": "Agent", "contains": "It is in a.txt."}}, "text": "Found."},
        ],
        "ann": [
            {"when": {"first_contains": "Look for the word."}, "calls": [GLOB]},
            {"text": "It is in a.txt."},
        ],
    }
    async with families.family(agents, protocol=protocol) as session:
        assert (await session.say("The person's words.")).text == "Found."
        assert states(session) == ["queued", "working", "completed"]
        first = asked(session.server, "ann")[0]
        assert "The person's words." not in first.raw.decode(), "a blank conversation"
        offered = {
            tool["name"] if "name" in tool else tool["function"]["name"] for tool in first.body["tools"]
        }
        assert offered.isdisjoint({"Agent", "AskUser", "TaskStop"})
        assert {"ReadFile", "EditFile", "SendMessage", "TaskList"} <= offered


@pytest.mark.asyncio
async def test_in_the_background_the_report_is_a_notification(families: Families) -> None:
    agents = {
        "main": [
            {"calls": [typed(name="ann", run_in_background=True)]},
            {"when": {"result": {"contains": "async_launched"}}, "text": "I go on."},
            {
                "when": {
                    "last_contains": [
                        "<task-notification",
                        'agent="ann"',
                        'status="completed"',
                        "Here &lt;b>",
                    ]
                },
                "text": "All is done.",
            },
        ],
        "ann": [{"text": "Here <b>"}],
    }
    async with families.family(agents) as session:
        ended = await session.say("Go.")
        assert (ended.text, ended.turns) == ("All is done.", 3)
        assert states(session, "ann") == ["queued", "background", "completed"]
        (mail,) = [event.message for event in session.seen(PromptAdded) if event.message.letters]
        assert mail.spoken == ""


@pytest.mark.asyncio
async def test_several_of_one_answer_work_beside_each_other(families: Families) -> None:
    meets = {"until": {"any_contains": "Find it."}, "timeout_s": 20}
    agents = {
        "main": [{"calls": [typed(name="ann"), typed(name="bob")]}, {"text": "Both."}],
        "ann": [{"text": "A", "first_token_delay_s": 0.3}],
        "bob": [{"wait": meets, "text": "B"}],
    }
    async with families.family(agents) as session:
        assert (await session.say("Go.")).text == "Both."
        assert [result.content.split("\n")[0] for result in session.results] == ["A", "B"]
        assert states(session)[:4] == ["queued", "queued", "working", "working"]


@pytest.mark.asyncio
async def test_more_than_may_work_at_once_wait(families: Families) -> None:
    names = ("ann", "bob", "cat")
    agents = {
        "main": [{"calls": [typed(name=name) for name in names]}, {"text": "All."}],
        **{name: [{"text": name}] for name in names},
    }
    most = (ALLOW_ALL, Flag(("subagents", "max_running"), 1, "--test"))
    async with families.family(agents, flags=most) as session:
        assert (await session.say("Go.")).text == "All."
        order = [
            (change, state) for change, state in zip(
                [event.agent for event in session.events if type(event).__name__ == "SubAgentChanged"],
                states(session), strict=True,
            )
        ]  # fmt: skip
        assert order == [
            *((name, "queued") for name in names),
            *((name, state) for name in names for state in ("working", "completed")),
        ]


@pytest.mark.asyncio
async def test_one_that_takes_too_long_goes_into_the_background_by_itself(families: Families) -> None:
    agents = {
        "main": [
            {"calls": [typed(name="ann")]},
            {"when": {"result": {"contains": "async_launched"}}, "text": "I go on."},
            {"when": {"last_contains": ["<task-notification", "Late."]}, "text": "Done."},
        ],
        "ann": [
            {"calls": [GLOB], "first_token_delay_s": 1.5},
            {"when": {"last_contains": "You work in the background from now on"}, "text": "Late."},
        ],
    }
    async with families.family(agents, flags=patience(1)) as session:
        assert (await session.say("Go.")).text == "Done."
        assert states(session, "ann") == ["queued", "working", "background", "completed"]


@pytest.mark.asyncio
async def test_one_that_has_ended_goes_on_with_its_context(families: Families) -> None:
    again = {"tool": "SendMessage", "input": {"to": "ann", "summary": "more", "message": "And the second?"}}
    agents = {
        "main": [
            {"calls": [typed(name="ann", prompt="The first?")]},
            {"calls": [again]},
            {"when": {"result": {"contains": "async_launched"}}, "text": "I wait."},
            {"when": {"last_contains": ["<task-notification", "The second."]}, "text": "Done."},
        ],
        "ann": [
            {"text": "The first."},
            {
                "when": {
                    "first_contains": "The first?",
                    "last_contains": ["<agent-message", "And the second?"],
                },
                "text": "The second.",
            },
        ],
    }
    async with families.family(agents) as session:
        assert (await session.say("Go.")).text == "Done."


@pytest.mark.asyncio
async def test_a_name_is_used_once_and_an_unknown_kind_is_told(families: Families) -> None:
    agents = {
        "main": [
            {"calls": [typed(name="ann"), agent(subagent_type="explorer"), agent(model="haiku")]},
            {"calls": [typed(name="ann")]},
            {"text": "No."},
        ],
        "ann": [{"text": "Here."}],
    }
    async with families.family(agents) as session:
        await session.say("Go.")
        contents = [result.content for result in session.results]
        assert "Did you mean 'Explore'?" in contents[1]
        assert "a fork has its parent's model" in contents[2]
        assert "There is a sub-agent 'ann' already" in contents[3]


@pytest.mark.asyncio
async def test_tasks_agents_and_shells_are_told_apart_by_their_ids(families: Families) -> None:
    def call(tool: str, **given: object) -> dict[str, object]:
        return {"tool": tool, "input": given}

    agents = {
        "main": [
            {"calls": [
                call("TaskCreate", subject="first", description="one"),
                call("TaskCreate", subject="second", description="two"),
                call("Bash", command="sleep 60", run_in_background=True),
                typed(name="ann", run_in_background=True),
            ]},
            {"calls": [
                call("TaskUpdate", taskId="2", addBlockedBy=["1"]),
                call("TaskUpdate", taskId="1", status="in_progress"),
                call("TaskList"),
                call("TaskGet", taskId="2"),
                call("TaskGet", taskId="ann"),
                call("TaskStop", taskId="b1"),
                call("TaskStop", taskId="ann"),
                call("TaskStop", taskId="1"),
                call("TaskGet", taskId="9"),
            ]},
            {"text": "Stopped."},
            {"when": {"last_contains": 'status="stopped"'}, "text": "Done."},
        ],
        "ann": [{"text": "Too late.", "first_token_delay_s": 60, "once": True}],
    }  # fmt: skip
    async with families.family(agents, finishes=False) as session:
        await session.say("Go.")
        told = [result.content for result in session.results][4:]
    assert told[2].splitlines()[:2] == [
        "1 [in_progress] first (main)",
        "2 [pending] second (blocked by 1)",
    ]
    assert f"{ids(session)[0]} ann [background] general-purpose: find it" in told[2]
    assert "b1 [running] sleep 60" in told[2]
    assert "two" in told[3]
    assert "Find it." in told[4]
    assert told[5:8] == [
        "b1 was ended with all that it started.",
        "ann was stopped. SendMessage has it go on with its whole context.",
        "Task 1 is free again.",
    ]
    assert "There is no task 9" in told[8]


@pytest.mark.asyncio
async def test_what_all_use_counts_against_one_budget(families: Families) -> None:
    spends = {"usage": {"input": 600, "output": 0}}
    agents = {
        "main": [
            {"calls": [typed(name="ann")], **spends},
            {"when": {"last_contains": "budget of 1000 tokens is used up"}, "text": "Over."},
        ],
        "ann": [
            {"calls": [GLOB], **spends},
            {"when": {"last_contains": "budget of 1000 tokens is used up"}, "text": "Cut short."},
        ],
    }
    async with families.family(agents, max_budget_tokens=1_000) as session:
        ended = await session.say("Go.")
        assert ended.end == "budget"
        assert "Cut short." in session.results[0].content


@pytest.mark.asyncio
async def test_a_call_that_the_filters_take_away_is_refused(families: Families) -> None:
    given = json.dumps(
        {"reader": {"description": "reads", "tools": "Read, Bash(git log *)", "prompt": "Read."}}
    )
    bash = {"tool": "Bash", "input": {"command": "rm -r x"}}
    agents = {
        "main": [{"calls": [agent(subagent_type="reader", name="ann")]}, {"text": "Done."}],
        "ann": [
            {
                "calls": [
                    bash,
                    {"tool": "WriteFile", "input": {"path": "x", "content": "y"}, "unoffered": True},
                ]
            },
            {"text": "I cannot."},
        ],
    }
    async with families.family(agents, agents=given) as session:
        await session.say("Go.")
        denied = [event.decision for event in session.seen(CallDecided) if event.agent == "ann"]
        assert [decision.verdict for decision in denied] == ["deny"]
        assert "the sub-agent ann may use these tools only: ReadFile, Bash(git log *)" in denied[0].reason
        assert not (families.root / "x").exists()


@pytest.mark.asyncio
async def test_a_small_model_that_the_provider_lacks_is_the_parents(families: Families) -> None:
    plays = {
        "main": [{"calls": [agent(subagent_type="Explore", name="ann")]}, {"text": "Done."}],
        "ann": [{"text": "Here."}],
    }
    known = {"models": ["claude-sonnet-5-5"]}
    async with families.family(plays, top=known) as session:
        session.server.failures.clear()
        await session.say("Go.")
        assert session.results[0].content.startswith("Here.")
        models = [record.body["model"] for record in asked(session.server, "ann")]
        assert models == ["claude-haiku-5-5", "claude-sonnet-5-5"]
        assert any("claude-sonnet-5-5 answers instead" in notice.text for notice in session.seen(Notice))


@pytest.mark.asyncio
async def test_code_of_ours_runs_a_blank_agent_in_front(families: Families) -> None:
    bash = {"tool": "Bash", "input": {"command": "ls"}, "unoffered": True}
    plays = {"a*": [{"calls": [GLOB, bash]}, {"text": "Reviewed."}]}
    async with families.family(plays) as session:
        made = AgentDefinition("review", "", "You review.", tools=("Glob",), model="inherit", custom=False)
        outcome = await session.single.family.run(made, "Review it.")
        assert (outcome.status, outcome.text) == ("completed", "Reviewed.")
        first = session.server.log[0].body
        assert [tool["name"] for tool in first["tools"]] == ["Glob"]
        assert "You review." in str(first["system"])
        assert not session.single.family.arrivals.waits


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["a\nb", "ä", "3", "b1", "a0b1c2d", "main", "x" * 40])
async def test_a_name_that_is_none_is_refused(families: Families, name: str) -> None:
    plays = {"main": [{"calls": [typed(name=name)]}, {"text": "No."}]}
    async with families.family(plays) as session:
        await session.say("Go.")
        assert session.results[0].is_error
        assert session.results[0].content.startswith("name: ")


@pytest.mark.asyncio
async def test_a_model_that_is_not_known_is_told_and_nothing_is_begun(families: Families) -> None:
    plays = {"main": [{"calls": [typed(model="sonett"), typed(model="no/such")]}, {"text": "No."}]}
    async with families.family(plays) as session:
        await session.say("Go.")
        assert [result.is_error for result in session.results] == [True, True]
        assert "did you mean sonnet?" in session.results[0].content
        assert states(session) == []
        assert not session.single.family.parent.folder.exists()
