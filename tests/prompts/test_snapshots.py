"""What the models read, word for word. ROOCODE_UPDATE_SNAPSHOTS=1 writes it anew: read the diff."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import cast

import pytest

from roocode.app import prompts
from roocode.engine import prompts as texts
from roocode.engine.subagents.agents import SubAgents
from roocode.engine.subagents.definition import AgentDefinition
from roocode.engine.subagents.desk import Desk
from roocode.engine.subagents.tools import (
    agent,
    send_message,
    task_create,
    task_get,
    task_list,
    task_stop,
    task_update,
)
from roocode.engine.team.mail import Content
from roocode.engine.team.tasks import TaskChange, Updated
from roocode.engine.team.tools.agent import Agent
from roocode.engine.team.tools.toolsets import lead_tools, teammate_tools
from roocode.interaction.config.data_root import data_root
from roocode.interaction.extensions.places import Folder
from roocode.interaction.skills.definition import read_skill
from roocode.interaction.skills.listing import listing
from roocode.memory.compaction.size import tokens_of_frame
from roocode.memory.compaction.summary import order
from roocode.protocol.team import Task
from roocode.protocol.tools import Tool, ToolSpec, Workspace
from roocode.security.sandbox.files import SafeFiles
from roocode.security.sandbox.shell import Shells
from roocode.tools.hooks.reading import read_hook
from roocode.tools.hooks.running import question_for
from roocode.tools.hooks.telling import Telling, configured
from roocode.tools.mcp.content import Keep
from roocode.tools.mcp.resources import resource_tools
from roocode.tools.registry import Services, build
from roocode.tools.services import Question

SNAPSHOTS = Path(__file__).parent / "snapshots"
ROOT = Path("/project")
CHARACTERS_A_TOKEN = 4
MOST_TOKENS = 6000


class Nobody:
    """Stands for the team behind the scheduling tools: their descriptions do not need one."""

    async def tasks(self) -> tuple[Task, ...]:
        return ()

    async def create(self, subject: str, description: str) -> Task:
        raise AssertionError(subject)

    async def update(self, task_id: str, change: TaskChange) -> Updated:
        raise AssertionError(task_id)

    async def send(self, to: str, summary: str, content: Content) -> str:
        raise AssertionError(to)

    async def merge(self, name: str, preview: bool) -> str:
        raise AssertionError(name)

    async def stop(self, target: str) -> str:
        raise AssertionError(target)

    async def spawn(
        self, *, name: str, team_name: str, prompt: str, subagent_type: str | None, model: str | None
    ) -> str:
        raise AssertionError(name)

    async def ask(self, questions: tuple[Question, ...]) -> tuple[str, ...] | None:
        raise AssertionError(questions)

    def keep(self, kind: str, name: str, text: str) -> str:
        raise AssertionError(name)

    async def load(self, name: str, arguments: str) -> str:
        raise AssertionError(name)

    async def propose(self, plan: str) -> str:
        raise AssertionError(plan)


class Nothing:
    """Stands for the tools that could be found."""

    def tools(self) -> tuple[ToolSpec, ...]:
        return ()

    def load(self, names: Iterable[str]) -> tuple[str, ...]:
        raise AssertionError(names)

    async def absent(self) -> Mapping[str, str]:
        return {}


def code_tools(*, asking: bool) -> tuple[Tool, ...]:
    workspace = Workspace(root=ROOT)
    files = SafeFiles(workspace, Path("/home/user"))
    person = Nobody() if asking else None
    return build(
        Services(workspace, files, Shells({}), person, notes=Nobody(), planner=person, skills=Nobody())
    )


def search_tool() -> tuple[Tool, ...]:
    workspace = Workspace(root=ROOT)
    offered = build(Services(workspace, SafeFiles(workspace, Path("/home/user")), further=Nothing()))
    return tuple(tool for tool in offered if tool.spec.name == "ToolSearch")


def described(tools: Iterable[Tool]) -> str:
    parts = []
    for tool in tools:
        schema = json.dumps(tool.spec.parameters, indent=1, ensure_ascii=False)
        parts.append(f"# {tool.spec.name}\n\n{tool.spec.description}\n\n{schema}")
    return "\n\n".join(parts)


def of_platform(text: str) -> str:
    return text.replace(f"Platform: {platform.system()}", "Platform: PLATFORM")


def shipped_skill(name: str) -> str:
    return (data_root() / "skills" / name / "SKILL.md").read_text(encoding="utf-8").strip()


def shipped_listing() -> str:
    folder = Folder("shipped", data_root() / "skills")
    paths = sorted(folder.path.glob("*/SKILL.md"))
    return listing([read_skill(path.read_text(encoding="utf-8"), path, folder).value for path in paths])


def words_of_hooks() -> str:
    """What a judge is asked, and how a hook's own words reach the model."""
    action = {"type": "agent", "prompt": "Are the tests green?"}
    hook = read_hook({"event": "stop", "name": "green", "action": action}, "f:1")
    telling = Telling(ROOT, lambda text: text)
    hint = read_hook({"event": "stop", "name": "tip", "action": {"type": "hint", "text": "Look."}}, "f:2")
    return "\n\n---\n\n".join(
        (
            question_for(hook.action, {"hook_event_name": "Stop"}),
            telling.quoted(hook, "said"),
            telling.reason(hook, "said"),
            configured(hint),
        )
    )


class NoAgents:
    """Stands for the sub-agents behind their tools."""

    parent = "main"


def family_tools() -> tuple[Tool, ...]:
    agents, desk = cast(SubAgents, NoAgents()), cast(Desk, NoAgents())
    return (
        agent.build(agents, lambda name: AgentDefinition(name, "", "")),
        send_message.build(agents, "main"),
        *(tool.build(desk) for tool in (task_create, task_get, task_list, task_stop)),
        task_update.build(desk, "main"),
    )


def definitions() -> str:
    files = sorted((data_root() / "agents").glob("*.md"))
    return "\n\n".join(f"# {path.name}\n\n{path.read_text(encoding='utf-8')}" for path in files)


READ: dict[str, Callable[[], str]] = {
    "hooks.md": words_of_hooks,
    "single.md": lambda: of_platform(prompts.single(ROOT)),
    "lead.md": lambda: of_platform(prompts.lead("refactor-auth", ROOT)),
    "own_hands.md": prompts.own_hands,
    "teammate.md": lambda: of_platform(prompts.teammate("refactor-auth", "alice", ROOT, "pytest -q")),
    "summary.md": lambda: order().text,
    "summary_with_facts.md": lambda: order("the ports", facts=True).text,
    "subagent.md": lambda: of_platform(prompts.subagent(ROOT, "You look.")),
    "subagent_words.md": lambda: "\n\n".join(map(texts.text, ("fork", "own_worktree", "in_background"))),
    "agents.md": definitions,
    "tools_family.md": lambda: described(family_tools()),
    "tools_single.md": lambda: described(code_tools(asking=True)),
    "tool_search.md": lambda: described(search_tool()),
    "tools_lead.md": lambda: described((Agent(Nobody()), *lead_tools(*[Nobody()] * 4))),
    "skill_commit.md": lambda: shipped_skill("commit"),
    "skill_review.md": lambda: shipped_skill("review"),
    "skill_test.md": lambda: shipped_skill("test"),
    "skills.md": shipped_listing,
    "tools_mcp.md": lambda: described(resource_tools({}, Keep(ROOT))),
    "tools_teammate.md": lambda: described(teammate_tools(Nobody(), Nobody())),
}


@pytest.mark.parametrize("name", READ)
def test_words_change_only_on_purpose(name: str) -> None:
    text, path = READ[name]() + "\n", SNAPSHOTS / name
    if os.environ.get("ROOCODE_UPDATE_SNAPSHOTS"):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


SINGLE = lambda: (*code_tools(asking=True), *family_tools())  # noqa: E731
LEAD = lambda: (Agent(Nobody()), *lead_tools(*[Nobody()] * 4))  # noqa: E731
TEAMMATE = lambda: (  # noqa: E731
    *code_tools(asking=False),
    *teammate_tools(Nobody(), Nobody()),
    *(tool for tool in family_tools() if tool.spec.name == "Agent"),
)


@pytest.mark.parametrize(
    ("prompt", "tools"), [("single.md", SINGLE), ("lead.md", LEAD), ("teammate.md", TEAMMATE)]
)
def test_what_every_request_begins_with_stays_small(
    prompt: str, tools: Callable[[], tuple[Tool, ...]]
) -> None:
    assert len(READ[prompt]() + described(tools())) / CHARACTERS_A_TOKEN < MOST_TOKENS
    with_servers = [tool.spec for tool in (*tools(), *search_tool())]
    assert tokens_of_frame(READ[prompt](), with_servers) < MOST_TOKENS
