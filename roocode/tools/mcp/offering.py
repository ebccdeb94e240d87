"""What a server offers, in our own words: checked at the edge, and cut where there is too much of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from roocode.protocol.frozen import frozen
from roocode.tools.mcp.schemas import AS_SENT, Unfit, repaired

MOST_PAGES = 50
MOST_ITEMS = 1_000
LONGEST_DESCRIPTION = 2_048
LONGEST_NAME = 256


@frozen
class RemoteTool:
    """A tool by the server's own name; `schema` is one that a provider takes."""

    name: str
    description: str
    schema: dict[str, Any]


@frozen
class RemoteArgument:
    """An argument of a prompt: always a text."""

    name: str
    description: str = ""
    required: bool = False


@frozen
class RemotePrompt:
    """A prompt that a person may use."""

    name: str
    description: str
    arguments: tuple[RemoteArgument, ...] = ()


@frozen
class RemoteResource:
    """Something that can be read by its address; `template` marks an address with `{fields}`."""

    uri: str
    name: str
    description: str = ""
    mime: str = ""
    template: bool = False


@frozen
class Offering:
    """All that a server offers now. `notes` say what of it is left out, and why."""

    tools: tuple[RemoteTool, ...] = ()
    prompts: tuple[RemotePrompt, ...] = ()
    resources: tuple[RemoteResource, ...] = ()
    instructions: str = ""
    version: str = ""
    notes: tuple[str, ...] = ()


def cut(text: object, most: int = LONGEST_DESCRIPTION) -> str:
    """A text of at most `most` characters, with a mark where it goes on."""
    said = str(text or "").strip()
    return said if len(said) <= most else f"{said[: most - 2].rstrip()} …"


async def everything(
    page: Callable[[str | None], Awaitable[Any]], items: Callable[[Any], list[Any]], what: str
) -> tuple[list[Any], str]:
    """All items of a list that comes in pages, and a note where it is cut: an endless one ends here."""
    found: list[Any] = []
    cursor: str | None = None
    seen: set[str] = set()
    for _ in range(MOST_PAGES):
        result = await page(cursor)
        found += items(result)
        cursor = result.next_cursor
        if len(found) > MOST_ITEMS:
            return found[:MOST_ITEMS], f"it lists more than {MOST_ITEMS:,} {what}: the rest is left out"
        if not cursor:
            return found, ""
        if cursor in seen:
            return found, f"its list of {what} goes in a circle: cut there"
        seen.add(cursor)
    return found, f"its list of {what} has more than {MOST_PAGES} pages: the rest is left out"


def read_tools(items: list[Any]) -> tuple[list[RemoteTool], list[str]]:
    """The tools that can be called, and why others cannot."""
    tools: dict[str, RemoteTool] = {}
    notes = []
    for item in items:
        if not item.name.strip() or len(item.name) > LONGEST_NAME:
            notes.append(f"a tool is left out: its name has {len(item.name)} characters")
        elif item.name in tools:
            notes.append(f"the tool {item.name!r} is listed twice: the first counts")
        else:
            try:
                schema = repaired(item.input_schema.get(AS_SENT, item.input_schema))
            except (Unfit, RecursionError) as fault:
                notes.append(f"the tool {item.name!r} is left out: {fault}")
                continue
            described = item.description or getattr(item, "title", None)
            tools[item.name] = RemoteTool(item.name, cut(described), schema)
    return list(tools.values()), notes


def read_prompts(items: list[Any]) -> list[RemotePrompt]:
    """The prompts, each name once."""
    prompts: dict[str, RemotePrompt] = {}
    for item in items:
        arguments = tuple(
            RemoteArgument(cut(each.name, LONGEST_NAME), cut(each.description), bool(each.required))
            for each in item.arguments or []
        )
        if item.name.strip() and len(item.name) <= LONGEST_NAME:
            prompt = RemotePrompt(item.name, cut(item.description or item.title), arguments)
            prompts.setdefault(item.name, prompt)
    return list(prompts.values())


def read_resources(items: list[Any], *, template: bool) -> list[RemoteResource]:
    """The resources, or templates of their addresses."""
    return [
        RemoteResource(
            uri=cut(item.uri_template if template else item.uri, LONGEST_DESCRIPTION),
            name=cut(item.title or item.name, LONGEST_NAME),
            description=cut(item.description),
            mime=cut(item.mime_type, LONGEST_NAME),
            template=template,
        )
        for item in items
    ]
