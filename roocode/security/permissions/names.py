"""Names of tools and of their fields: ours, and those that files written for other agents use."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from roocode.protocol.messages import Arguments
from roocode.protocol.tools import Touches

_TOOLS = """
    ReadFile WriteFile EditFile Glob Grep Bash AskUser TodoWrite WebFetch WebSearch LoadSkill ToolSearch Agent
    SendMessage TaskCreate TaskGet TaskList TaskUpdate TaskStop BashOutput KillShell Remember MergeTeammate
    ExitPlanMode ListMcpResources ReadMcpResource
"""
TOOLS = frozenset(_TOOLS.split())

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "Read": "ReadFile",
        "Write": "WriteFile",
        "Edit": "EditFile",
        "MultiEdit": "EditFile",
        "NotebookEdit": "EditFile",
        "Task": "Agent",
        "AskUserQuestion": "AskUser",
        "Skill": "LoadSkill",
        "ListMcpResourcesTool": "ListMcpResources",
        "ReadMcpResourceTool": "ReadMcpResource",
    }
)

_ELSEWHERE = """
    EnterPlanMode EnterWorktree ExitWorktree KillBash LS NotebookRead SlashCommand TaskOutput TodoRead
"""
ELSEWHERE = frozenset(_ELSEWHERE.split())
"""Tools of other agents that have no counterpart here: a rule about them has nothing to do."""

FIELDS: Mapping[str, str] = MappingProxyType(
    {"file_path": "path", "notebook_path": "path", "skill": "name", "args": "arguments"}
)

_RENAMED = frozenset(ALIASES.values())

MAIN_FIELDS = frozenset({"command", "path", "file_path", "notebook_path", "url", "pattern"})
"""Fields that a rule's own pattern is about, so that `Tool(field:value)` does not take them."""


def canonical(name: str) -> str:
    """Our name for a tool; names are case-sensitive and an unknown one stays as it is."""
    return ALIASES.get(name, name)


def canonical_fields(name: str, arguments: Arguments) -> Arguments:
    """The arguments with our field names, for a tool of ours by whatever name; our own spelling wins."""
    if canonical(name) not in _RENAMED:
        return arguments
    ours = {FIELDS.get(field, field): value for field, value in arguments.items()}
    return {**ours, **{field: value for field, value in arguments.items() if field not in FIELDS}}


def patterns(name: str, arguments: Arguments) -> tuple[str, ...]:
    """The file patterns of a search, which can lead out of the directory that it names."""
    fields = {"Glob": ("pattern",), "Grep": ("glob",)}.get(name, ())
    return tuple(value for field in fields if isinstance(value := arguments.get(field), str))


def presumed_touches(name: str, arguments: Arguments) -> Touches:
    """What a call would touch, for a tool that is not here to be asked: by our names of tool and fields.

    Anything but a known tool counts as an effect that cannot be named.
    """

    def texts(field: str) -> tuple[str, ...]:
        value = arguments.get(field)
        return (value,) if isinstance(value, str) else ()

    cwd = next(iter(texts("cwd")), None)
    match name:
        case "Bash":
            return Touches(command="".join(texts("command")), cwd=cwd)
        case "ReadFile":
            return Touches(reads=texts("path"), cwd=cwd)
        case "Glob" | "Grep":
            return Touches(reads=texts("path") or (".",), cwd=cwd)
        case "WriteFile" | "EditFile":
            return Touches(writes=texts("path"), cwd=cwd)
        case "WebFetch":
            return Touches(urls=texts("url"))
        case "WebSearch" | "ReadMcpResource":
            return Touches(other=True)
        case _:
            return Touches(other=name not in TOOLS)


def is_known(name: str, further: frozenset[str] = frozenset()) -> bool:
    """Whether a rule's tool, which may hold `*`, can name a tool that exists."""
    return name in TOOLS or name in ELSEWHERE or name in further or name == "*" or name.startswith("mcp__")
