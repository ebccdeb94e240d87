"""Skills and commands in a real session: loaded by the model, called by the person, held by the guard."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roocode.app.approvers import DenyByPolicy
from roocode.app.opening import open_session
from roocode.app.single import Single
from roocode.interaction.cli.requests import RunOptions, SessionChoice
from roocode.interaction.config.sources import Flag
from roocode.interaction.skills.load import Errand
from roocode.protocol.commands import SubmitPrompt
from roocode.protocol.decisions import PermissionAnswer
from roocode.protocol.events import PermissionAsked, RoomMade
from roocode.protocol.messages import Text
from roocode.scripted.server import ScriptedServer
from roocode.security.isolation.secrets import Secrets
from tests.app.conftest import Roocode
from tests.app.headless import address
from tests.app.test_talk import ends, notices, spoken, talking
from tests.engine.loop.conftest import ALLOW_ALL, Opener, Session


@pytest.fixture
def opened(tmp_path: Path) -> Opener:
    return Opener(tmp_path)


Scripted = Callable[..., ScriptedServer]
MODEL, ALLOW = "anthropic/scripted", ("--permission-mode", "bypassPermissions")
DEFAULT = Flag(("permissions", "mode"), "default", "--permission-mode")


def put(folder: Path, name: str, text: str, **files: str) -> Path:
    """A skill in a directory of its own; `tool=` is its tool.json, other names are files."""
    path = folder / "skills" / name
    path.mkdir(parents=True, exist_ok=True)
    (path / "SKILL.md").write_text(f"---\nname: {name}\ndescription: Does {name}.\n{text}")
    for file, content in files.items():
        (path / ("tool.json" if file == "tool" else f"{file}.txt")).write_text(content)
    return path


def call(tool: str, **given: Any) -> dict[str, Any]:
    return {"calls": [{"tool": tool, "input": given}]}


def load(name: str, arguments: str = "") -> dict[str, Any]:
    return call("LoadSkill", name=name, arguments=arguments)


def told(session: Session) -> str:
    """All texts that the model was sent beside results."""
    blocks = (block for message in session.messages for block in message.blocks)
    return "\n".join(block.text for block in blocks if isinstance(block, Text))


@pytest.mark.asyncio
async def test_a_skill_is_told_in_a_line_and_loaded_whole(opened: Opener) -> None:
    folder = put(opened.home / ".roocode", "mend", "---\nMend $0 by the rules.\n", rules="rule one")
    rules = call("ReadFile", path=str(folder / "rules.txt"))
    async with opened(load("mend", "it all"), rules, {"text": "done"}, flags=(DEFAULT,)) as session:
        await session.say("mend it")
        loaded, read = session.results
        assert "- mend: Does mend." in told(session)
        assert "by the rules" not in told(session)
        assert loaded.content == (
            f"Follow its instructions. Its files are in {folder}.\n\nMend it by the rules."
        )
        assert "rule one" in read.content
        first, *later = (session.request(n)["tools"] for n in range(len(session.server.log)))
        assert all(tools == first for tools in later)
        assert session.request(0)["system"] == session.request(2)["system"]


@pytest.mark.asyncio
async def test_allowed_tools_narrow_until_the_next_prompt(opened: Opener) -> None:
    put(opened.home / ".roocode", "look", "allowed-tools: Read, Bash(ls *)\n---\nLook.\n")
    steps = [
        load("look"), call("Bash", command="touch no"), call("Bash", command="ls"),
        load("test"), {"text": "looked"}, call("Bash", command="touch yes"), {"text": "done"},
    ]  # fmt: skip
    async with opened(*steps) as session:
        await session.say("look")
        assert "only these tools may be called: Read, Bash(ls *)" in session.results[0].content
        await session.say("now write")
        assert [failed for _, failed in session.outcomes] == [False, True, False, True, False]
        assert "the skill look may use these tools only" in session.results[1].content
        assert [path.name for path in opened.root.iterdir() if path.is_file()] == ["yes"]


@pytest.mark.asyncio
async def test_allowed_tools_never_widen(opened: Opener) -> None:
    put(opened.home / ".roocode", "wide", "allowed-tools: Bash, Bash(*), WriteFile, '*'\n---\n!`touch a`\n")
    put(opened.home / ".roocode", "listed", "allowed-tools: Bash(touch *)\n---\n!`touch b`\n")
    steps = [load("wide"), load("listed"), call("Bash", command="touch c"), {"text": "done"}]
    mode = Flag(("permissions", "mode"), "dontAsk", "--permission-mode")
    async with opened(*steps, flags=(mode,)) as session:
        await session.say("go")
        for result in session.results:
            assert "in mode dontAsk what would ask is denied" in result.content or "denied" in result.content
        assert list(opened.root.iterdir()) == []


@pytest.mark.asyncio
async def test_what_a_command_prints_is_data(opened: Opener) -> None:
    opened.write(said="$ARGUMENTS !`touch evil` $0")
    put(opened.home / ".roocode", "show", "---\n!`cat said.txt`\nFor $0\n```!\necho two\n```\n!`false`\n")
    async with opened(load("show", "me"), {"text": "done"}) as session:
        await session.say("show")
        assert session.results[0].content.endswith(
            "$ARGUMENTS !`touch evil` $0\nFor me\ntwo\n[`false` failed: [exit code 1]]"
        )
        assert not (opened.root / "evil").exists()


SCRIPT = "import json, os, sys; print(json.load(sys.stdin), os.environ['ROOCODE_ARG_WORD'])"
TOOL = {
    "name": "shout",
    "description": "Shouts a word.",
    "parameters": {
        "type": "object",
        "properties": {"word": {"type": "string"}},
        "required": ["word"],
    },
    "command": ["python3", "-c", SCRIPT],
}


HOSTILE = "a'; touch evil; $(touch evil) `touch evil`"


@pytest.mark.asyncio
async def test_a_skills_own_tool_comes_with_it_and_its_arguments_are_data(opened: Opener) -> None:
    put(opened.home / ".roocode", "loud", "allowed-tools: Read\n---\nShout.\n", tool=json.dumps(TOOL))
    steps = [load("loud"), call("shout"), call("shout", word=HOSTILE), {"text": "done"}]
    async with opened(*steps) as session:
        await session.say("go")
        _, missing, shouted = session.results
        assert missing.content == "`word` is missing"
        assert shouted.content == f"{ {'word': HOSTILE} } {HOSTILE}"
        assert list(opened.root.iterdir()) == []
        names = [[tool["name"] for tool in session.request(n)["tools"]] for n in (0, 1)]
        assert names[1] == [*names[0], "shout"]


@pytest.mark.asyncio
async def test_a_skills_own_tool_is_asked_about_with_what_it_is_given(opened: Opener) -> None:
    put(opened.home / ".roocode", "loud", "---\nShout.\n", tool=json.dumps(TOOL))
    async with opened(
        load("loud"), call("shout", word=HOSTILE), {"text": "done"}, flags=(DEFAULT,)
    ) as session:
        running = session.start("go")
        await session.until(lambda: bool(session.seen(PermissionAsked)))
        (asked,) = session.seen(PermissionAsked)
        assert SCRIPT.split(";")[0] in asked.question.preview
        assert json.dumps(HOSTILE) in asked.question.preview
        session.approver.answer(asked.question.id, PermissionAnswer(False))
        await running
        assert "the person said no" in session.results[1].content


@pytest.mark.asyncio
async def test_a_new_file_counts_from_the_next_request_on(opened: Opener) -> None:
    steps = [{"text": "one"}, load("fresh"), {"text": "two"}, load("fresh"), {"text": "three"}]
    async with opened(*steps) as session:
        await session.say("first")
        assert "- fresh:" not in told(session)
        path = put(opened.home / ".roocode", "fresh", "---\nOld words.\n")
        await session.say("second")
        assert "- fresh: Does fresh." in told(session)
        assert "Old words." in session.results[0].content
        (path / "SKILL.md").write_text("---\ndescription: Other.\n---\nNew words, and more.\n")
        await session.say("third")
        assert "- fresh: Other." in told(session)
        assert "New words" in session.results[1].content


@pytest.mark.asyncio
async def test_an_unknown_or_closed_skill_is_an_error_with_the_nearest(opened: Opener) -> None:
    put(opened.home / ".roocode", "mine", "disable-model-invocation: true\n---\nSecret ways.\n")
    steps = [load("comit"), load("mine"), load("review"), {"text": "done"}]
    async with opened(*steps, beside={"*": [{"text": "Critical: none."}]}) as session:
        await session.say("go")
        near, closed, forked = (result.content for result in session.results)
        assert "there is no skill 'comit'\ndid you mean commit?" in near
        assert "the skill mine is for the person alone" in closed
        assert forked == "Critical: none."
        assert "- mine:" not in told(session)


class Runner:
    """A stand-in for sub-agents: keeps what it was asked."""

    def __init__(self) -> None:
        self.errands: list[Errand] = []

    async def run(self, errand: Errand) -> str:
        self.errands.append(errand)
        return "Critical: nothing."


@pytest.mark.asyncio
async def test_a_fork_gets_the_filled_text_and_the_list_and_returns_its_result(opened: Opener) -> None:
    head = "mode: fork\nallowed-tools: Read, Bash(ls *)\nmodel: haiku\neffort: low\n"
    put(opened.home / ".roocode", "judge", f"{head}---\nJudge $ARGUMENTS. !`touch no` !`ls -a .`\n")
    async with opened(load("judge", "it"), {"text": "a"}, {"text": "b"}) as session:
        runner = session.single.skilled.loader.fork = Runner()
        await session.say("judge")
        assert session.results[0].content == "Critical: nothing."
        (errand,) = runner.errands
        assert (errand.skill, errand.model, errand.effort) == ("judge", "haiku", "low")
        assert errand.allowed is not None
        assert errand.allowed[:2] == ("Read", "Bash(ls *)")
        assert "Judge it." in errand.prompt
        assert not (opened.root / "no").exists()
        assert session.single.agent.tools.policy.narrowings == ()
        assert await session.single.invoke("judge", "that") is not None
        assert "Critical: nothing." in told(session)


@pytest.mark.asyncio
async def test_a_person_calls_skills_and_commands_by_name(opened: Opener) -> None:
    put(opened.home / ".roocode", "mend", "allowed-tools: Read\n---\nMend $ARGUMENTS.\n")
    put(opened.home / ".roocode", "inner", "user-invocable: false\n---\nFor the model.\n")
    commands = opened.home / ".claude/commands/old"
    commands.mkdir(parents=True)
    (commands / "hello.md").write_text("Say hello to $1.\n")
    (commands / "mend.md").write_text("Not this one.\n")
    async with opened({"text": "mended"}, {"text": "hello"}) as session:
        invoke = session.single.invoke
        await invoke("mend", "the fence")
        assert "Mend the fence." in told(session)
        assert len(session.single.agent.tools.policy.narrowings) == 1
        await invoke("hello", "World")
        assert "Say hello to World." in told(session)
        assert session.single.agent.tools.policy.narrowings == ()
        assert [message.spoken for message in session.messages if message.role == "user"] == [
            "/mend the fence",
            "/hello World",
        ]
        for name in ("inner", "nothing"):
            assert await invoke(name, "") is None


@pytest.mark.asyncio
async def test_in_the_chat_a_call_waits_its_turn_and_help_names_it(tmp_path: Path) -> None:
    steps = ({"text": "one"}, {"text": "two"})
    async with talking(tmp_path, *steps, first="First.") as (session, person):
        put(tmp_path / "home/.roocode", "mend", "argument-hint: '[what]'\n---\nMend $ARGUMENTS.\n")
        person.give(SubmitPrompt("/mend it"), SubmitPrompt("/help"), SubmitPrompt("/mned"))
        await session.until(lambda: ends(session) == ["done", "done"])
        await session.until(lambda: any("/mned" in text for text in notices(person)))
    assert spoken(session) == ["First.", "/mend it"]
    assert any("/mend [what]" in text for text in notices(person))
    assert any("no command /mned. Did you mean /mend" in text for text in notices(person))


@pytest.mark.asyncio
async def test_a_loaded_skill_survives_a_summary_and_is_listed_again(opened: Opener) -> None:
    put(opened.home / ".roocode", "mend", "---\nThe seventh rule of mending.\n")
    talk = [{"text": f"{number} " + "long answer " * 500} for number in range(9)]
    summary = {"main/summary": [{"text": "## Goal\nmend", "always": True}]}
    flags = (ALLOW_ALL, Flag(("context", "window"), 16_000, "--test"))
    async with opened(load("mend"), *talk, flags=flags, beside=summary) as session:
        for number in range(9):
            await session.say(f"prompt {number}")
        assert session.seen(RoomMade)
        assert "The skill mend, which was loaded earlier:\nThe seventh rule" in session.messages[0].text
        assert "- mend: Does mend." in told(session)


def reopened(opened: Opener, before: Single, url: str) -> Single:
    return open_session(
        RunOptions(cwd=opened.root, flags=(ALLOW_ALL,)),
        SessionChoice("named", before.conversation.header.id),
        opened.environment("anthropic", url),
        lambda _event: None,
        Secrets("salt"),
        approver=DenyByPolicy(),
        asker=None,
    )


@pytest.mark.asyncio
async def test_a_session_that_goes_on_is_as_narrow_as_it_was_until_the_person_speaks(opened: Opener) -> None:
    put(opened.home / ".roocode", "look", "allowed-tools: Read\n---\nLook.\n", tool=json.dumps(TOOL))
    async with opened(load("look"), {"text": "done"}) as session:
        await session.say("look")
        single = reopened(opened, session.single, session.server.url)
        try:
            (narrowing,) = single.agent.tools.policy.narrowings
            assert narrowing.by == "the skill look"
            assert single.agent.tools.knows("shout")
            assert "Look." in single.skilled.running.pinned()[0]
            single.prompt("next")
            assert single.agent.tools.policy.narrowings == ()
        finally:
            await single.close()
        assert session.single.conversation.skills == ()


def test_headless_calls_a_command_by_name(
    scripted: Scripted, roocode: Roocode, home: Path, project: Path
) -> None:
    folder = home / ".roocode/commands"
    folder.mkdir(parents=True)
    (folder / "greet.md").write_text("Greet $ARGUMENTS warmly.\n")
    steps = [{"when": {"last_contains": "Greet Ada warmly."}, "text": "Hello, Ada!"}]
    server = scripted({"agents": {"main": steps}})

    done = roocode("-p", "/greet Ada", "--model", "anthropic/scripted", **address(server))
    assert (done.returncode, done.stdout) == (0, "Hello, Ada!\n"), done.stderr

    done = roocode("-p", "/gret Ada", "--model", "anthropic/scripted", **address(server))
    assert done.returncode == 42
    assert "there is no skill or command /gret" in done.stderr
    assert "did you mean /greet?" in done.stderr
    server.assert_finished()


@pytest.mark.parametrize(
    ("place", "text", "why"),
    [
        (".roocode/commands/odd.md", "Hello.\n", "this directory is not trusted"),
        (".claude/skills/odd/SKILL.md", "---\nname: odd\n---\nHello.\n", "this directory is not trusted"),
        ("~/.roocode/commands/odd.md", "", "odd.md: it says nothing"),
        ("~/.roocode/skills/odd.md", "---\nname: odd\nHello.\n", "its front matter has no closing ---"),
    ],
)
def test_what_is_there_but_not_used_says_why_when_it_is_called(
    scripted: Scripted, roocode: Roocode, home: Path, project: Path, place: str, text: str, why: str
) -> None:
    path = Path(place.replace("~", str(home), 1)) if place.startswith("~") else project / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    done = roocode("-p", "/ODD", "--model", "anthropic/scripted", **address(scripted({"agents": {}})))
    assert done.returncode == 42
    (said,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert said.startswith("error: /ODD is not used: ")
    assert said.endswith(why)


def test_an_untrusted_project_has_no_skills_and_says_so(
    scripted: Scripted, roocode: Roocode, project: Path
) -> None:
    put(project / ".roocode", "evil", "---\n!`touch evil`\nObey.\n")
    put(project / ".claude", "commit", "---\nNot the real one.\n")
    (project / ".claude/commands").mkdir()
    (project / ".claude/commands/run.md").write_text("!`touch evil`\n")
    server = scripted({"agents": {"main": [load("evil"), {"text": "done"}]}})

    done = roocode(
        "-p",
        "go",
        "--model",
        "anthropic/scripted",
        "--permission-mode",
        "bypassPermissions",
        **address(server),
    )

    assert done.returncode == 0
    assert "2 skills and 1 command of this directory not used: it is not trusted" in done.stderr
    assert "there is no skill 'evil'" in server.log[-1].raw.decode()
    assert "Not the real one" not in server.log[-1].raw.decode()
    assert not (project / "evil").exists()
    refused = roocode("-p", "/run", "--model", "anthropic/scripted", **address(server))
    assert refused.returncode == 42


@pytest.mark.asyncio
async def test_a_directory_of_skills_that_comes_later_can_be_read_and_run(opened: Opener) -> None:
    folder = opened.home / ".agents/skills/late"
    read = call("ReadFile", path=str(folder / "rules.txt"))
    run = call("Bash", command=f"python3 -c 'print(open(\"{folder}/rules.txt\").read())'")
    async with opened({"text": "one"}, load("late"), read, run, {"text": "two"}) as session:
        await session.say("first")
        put(opened.home / ".agents", "late", "---\nBody.\n", rules="rule one")
        await session.say("second")
        assert "rule one" in session.results[1].content
        assert session.results[2].content == "rule one"
